// The numbers of a figure, read from a project's runs. Plain values: may be made on any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/axis.h"
#include "core/analysis/curve.h"
#include "core/record/run_status.h"
#include "core/spec/architecture.h"
#include "widgets/common/measured_views.h"
#include "widgets/common/needle_grid.h"
#include "widgets/common/run_measurements.h"
#include "widgets/figure/figure.h"

namespace braid {
struct GrowthRecord;  // core/record/growth.h
}

namespace braid::ui {

// One run behind the figure.
struct FigureRun {
    std::string id = {};
    std::string name = {};
    std::string series = {};  // label of its series
    std::uint64_t seed = 0;
    ArchitectureSpec architecture = {};
    std::string architecture_hash = {};
    std::string plan_hash = {};
    std::string command = {};
    RunState state = RunState::planned;
    std::int64_t step = 0;   // done
    std::int64_t steps = 0;  // planned
    double tokens_per_step = 0;
    double flops_per_token = 0;                        // of training; 0: unknown
    double seconds = 0;                                // of training so far; NaN if not recorded
    std::map<std::string, std::int64_t> queries = {};  // places a metric is the mean over, where recorded
};

// A run's values in one panel.
struct FigureLine {
    std::size_t run = 0;  // index into FigureData::runs
    CurvePtr raw = Curve::empty();
    CurvePtr shown = Curve::empty();  // smoothed as the panel asks
};

// One entry of the legend: a variant with its seeds, or a single run.
struct FigureSeries {
    std::string label;
    int colour = 0;              // palette index
    std::string component = {};  // not a run but a part of a model: in its own colour; empty: a run
    std::vector<FigureLine> lines = {};
    CurvePtr mean = Curve::empty();  // over the seeds; the line itself for one
    CurvePtr low = Curve::empty();
    CurvePtr high = Curve::empty();
    // Where the panel's threshold is reached: the median over the seeds (median_crossing), in curves and
    // tables alike. Infinite: never; NaN: no threshold.
    double arrival = std::numeric_limits<double>::quiet_NaN();
    // A dashed level of its own, such as that which a profile falls to; NaN: none. `arrival`: where it does.
    double level = std::numeric_limits<double>::quiet_NaN();
    std::string level_name = {};  // for the legend
    // What the band is, for the legend, where it is not that of several seeds; empty: there is none.
    std::string band = {};
};

// A score by depth and length, of one run.
struct FigureMap {
    std::size_t run = 0;  // index into FigureData::runs
    std::int64_t step = 0;
    std::string kind = {};  // "niah"
    NeedleGrid grid = {};
};

// Losses by position that a run's checkpoint was scored with.
struct FigurePositions {
    std::size_t run = 0;  // index into FigureData::runs
    std::int64_t step = 0;
    std::string against = {};       // "b7c0@2000", where it was scored against another
    std::string against_name = {};  // "full, step 2,000"
    LossSeries losses = {};
};

// The attention of one head over a part of a text, in squares of `size` tokens.
struct FigureAttention {
    std::size_t run = 0;  // index into FigureData::runs
    std::int64_t step = 0;
    std::int64_t layer = 0, head = 0;
    std::string mixer = {};
    std::string architecture_hash = {};
    bool is_signed = false;                       // implied by a recurrence, or a difference
    std::string against = {};                     // "8.3, step 1,200": what it is less; empty: nothing
    std::int64_t tokens = 0;                      // of the text
    std::int64_t size = 1;                        // tokens in a square
    std::int64_t first_query = 0, first_key = 0;  // multiples of `size`
    std::int64_t rows = 0, columns = 0;
    std::vector<float> weights = {};  // [rows, columns], of the largest magnitude in each square
    std::vector<float> sink = {};     // [rows] its largest share; empty: no sink
    std::vector<std::pair<std::int64_t, std::int64_t>> needles = {};  // tokens [begin, end)
};

struct FigurePanelData {
    std::vector<FigureSeries> series = {};
    std::vector<Tick> x_ticks = {};  // labels of the x axis where not at round numbers: all that was measured
    std::vector<FigureMap> maps = {};                  // of a needle-map
    std::vector<FigureAttention> attention = {};       // of an attention-map
    std::vector<FigurePositions> positions = {};       // of losses by position
    std::vector<MeasuredRun> measured = {};            // of a measurement: one a run that has it
    std::vector<RunMeasurementsPointer> records = {};  // which keep those alive
};

struct ScalingFigureData;  // scaling_load.h

struct FigureData {
    std::vector<FigureRun> runs = {};
    std::vector<FigurePanelData> panels = {};               // as many as the description's
    std::shared_ptr<const ScalingFigureData> scaling = {};  // of a study's scaling
    std::shared_ptr<const GrowthRecord> growth = {};        // measured speeds
    std::vector<std::string> notes = {};                    // what is missing: one sentence each
    std::vector<std::string> scores = {};                   // files of scores and measurements that were read
    std::size_t expected_runs = 0;  // of the study; equal to runs.size() when nothing is missing
};

// Combines lines into means and bands and smooths them; also for tests that bring their own lines.
void finish_series(const FigureSpec& spec, const FigurePanel& panel, FigureSeries& series);

// What spec.kind needs.
Result<FigureData> load_figure_data(const std::string& project_folder, const FigureSpec& spec);

// Reads the runs of spec.source in the project. Runs of a study that do not exist yet are told in notes; it
// is an error (not_found) if there is nothing to draw at all.
Result<FigureData> load_curves(const std::string& project_folder, const FigureSpec& spec);

}  // namespace braid::ui
