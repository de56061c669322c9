// A study as its scaling is drawn: points by curve and scale, what the fit says of each. Plain values, made
// from the study, its runs and the record of a fit: for the window and for figures.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/scaling_record.h"
#include "core/record/study_state.h"

namespace braid::ui {

using ScalingRecordPtr = std::shared_ptr<const ScalingRecord>;

struct ScalingViewCurve {
    std::string name = {};
    int colour = 0;                   // palette index
    const ScalingFit* fit = nullptr;  // of the view's record; null: none
};

// A size of models: one of the study's scales, or of its variants'.
struct ScalingViewScale {
    std::string name = {};
    double parameters = 0;  // N, the mean over its points
};

struct ScalingViewPoint {
    std::size_t curve = 0, scale = 0;
    std::size_t point = 0;  // index in the study's state
    std::string label = {};
    std::optional<double> budget = {};
    std::uint64_t seed = 0;
    double parameters = 0;             // N
    double tokens = 0;                 // D: seen so far, or to be seen where there is no run
    std::optional<double> value = {};  // of the metric; also of an unfinished run
    RunState state = RunState::planned;
    double progress = 0;   // 0 to 1
    std::string run = {};  // id; empty: none
    PointUse use = PointUse::fitted;
    std::string rule = {};    // of the study that holds it out or excludes it
    std::string reason = {};  // why it is excluded
    bool in_fit = false;      // the record knows this run
    // What the fit says; NaN without one.
    double predicted = std::numeric_limits<double>::quiet_NaN();
    double log_residual = std::numeric_limits<double>::quiet_NaN();
    bool extrapolated = false;

    bool finished() const { return state == RunState::finished; }
    // 6 N D
    double flops() const { return 6 * parameters * tokens; }
};

struct ScalingView {
    std::string study = {};
    std::string metric = {};
    std::vector<ScalingViewCurve> curves = {};
    std::vector<ScalingViewScale> scales = {};
    std::vector<ScalingViewPoint> points = {};  // of all that the study plans, in its order
    ScalingRecordPtr record = {};
    bool branching = false;
    std::size_t finished = 0;    // points
    std::size_t new_points = 0;  // finished with a value that can be fitted, and unknown to the record
    bool rules_changed = false;  // the study holds out or excludes others than the record did
    bool several_seeds = false;
    bool outdated() const { return record && (new_points > 0 || rules_changed); }
    bool can_draw(const ScalingViewPoint& point) const;  // on logarithmic axes
};

// `colours`: palette indices by the curve's name; the others get those that are free, in order.
ScalingView scaling_view(const StudySpec& spec, const StudyState& state, ScalingRecordPtr record,
                         const std::string& metric, const std::map<std::string, int>& colours = {});

// Metrics that finished runs have recorded: the fitted ones first.
std::vector<std::string> scaling_metrics(const StudySpec& spec, const StudyState& state);

// Of the points of one curve, scale and budget that count: mean, and the 90 % interval of it.
struct ScalingMean {
    std::size_t curve = 0, scale = 0;
    std::optional<double> budget = {};
    double parameters = 0, tokens = 0, value = 0;
    double half_width = 0;  // 0 for one seed
    std::size_t seeds = 0;
    PointUse use = PointUse::fitted;
};
std::vector<ScalingMean> scaling_means(const ScalingView& view);

// Two curves over the seeds that both have, at each scale and budget: mean of (second - first), and the 90 %
// interval of it.
struct ScalingPair {
    std::size_t scale = 0;
    std::optional<double> budget = {};
    double tokens = 0;
    double first = 0, second = 0;  // means over the common seeds
    double difference = 0, half_width = 0;
    std::size_t seeds = 0;
};
std::vector<ScalingPair> scaling_pairs(const ScalingView& view, std::size_t first, std::size_t second);

}  // namespace braid::ui
