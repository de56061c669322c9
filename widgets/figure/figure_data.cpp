#include "widgets/figure/figure_data.h"

#include <algorithm>
#include <set>

#include "core/analysis/crossing.h"
#include "core/analysis/seeds.h"
#include "core/analysis/smoothing.h"
#include "widgets/common/run_palette.h"
#include "widgets/figure/figure_kind.h"
#include "widgets/figure/found_runs.h"

namespace braid::ui {
namespace {

struct AxisName {
    std::string_view name;
    XAxis axis;
};
constexpr AxisName axis_names[] = {
    {"tokens", XAxis::tokens}, {"step", XAxis::step}, {"flops", XAxis::flops}, {"time_s", XAxis::time}};

XAxis axis_of(const std::string& name) {
    for (const AxisName& entry : axis_names) {
        if (entry.name == name) {
            return entry.axis;
        }
    }
    return XAxis::tokens;
}

}  // namespace

void finish_series(const FigureSpec& spec, const FigurePanel& panel, FigureSeries& series) {
    std::vector<CurvePtr> curves;
    for (FigureLine& line : series.lines) {
        line.shown = smooth(line.raw, panel.smoothing);
        curves.push_back(line.shown);
    }
    if (panel.threshold) {
        series.arrival = median_crossing(curves, *panel.threshold);
    }
    const SeedCurves combined =
        combine_seeds(curves, spec.spread == SeedSpread::interval ? SeedBand::interval : SeedBand::range);
    if (combined.seeds > 0) {
        series.mean = combined.mean;
        series.low = combined.low;
        series.high = combined.high;
    }
}

Result<FigureData> load_figure_data(const std::string& project_folder, const FigureSpec& spec) {
    const FigureKind* kind = find_figure_kind(spec.kind);
    return kind ? kind->load(project_folder, spec) : load_curves(project_folder, spec);
}

Result<FigureData> load_curves(const std::string& project_folder, const FigureSpec& spec) {
    Result<Project> project = Project::open(project_folder);
    if (!project) {
        return fail(project.error());
    }
    std::set<XAxis> axes;
    for (const FigurePanel& panel : spec.panels) {
        axes.insert(axis_of(panel.x));
    }
    FigureData data;
    const std::vector<FoundRun> found = find_runs(*project, spec, axes, data);
    RunPalette palette;
    palette.load(project->folder() + "/ui.json");
    std::set<std::string> recorded;
    for (const FigurePanel& panel : spec.panels) {
        FigurePanelData drawn;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const FoundRun& run = found[i];
            auto series = std::find_if(drawn.series.begin(), drawn.series.end(),
                                       [&](const FigureSeries& one) { return one.label == run.series; });
            if (series == drawn.series.end()) {
                const auto colour = spec.colours.find(run.series);
                drawn.series.push_back({.label = run.series,
                                        .colour = colour != spec.colours.end()
                                                      ? colour->second
                                                      : palette.indexOf(RunPalette::keyOf(*run.view.plan))});
                series = std::prev(drawn.series.end());
            }
            const CurvePtr curve = run.view.curve(panel.metric, axis_of(panel.x));
            if (curve && !curve->is_empty()) {
                series->lines.push_back({i, curve, curve});
                recorded.insert(panel.metric);
            } else {
                data.notes.push_back("run " + data.runs[i].id + " (" + run.series + ") has no values of " +
                                     panel.metric);
            }
        }
        std::erase_if(drawn.series, [](const FigureSeries& series) { return series.lines.empty(); });
        for (FigureSeries& series : drawn.series) {
            finish_series(spec, panel, series);
        }
        data.panels.push_back(std::move(drawn));
    }
    if (recorded.empty()) {
        return nothing_to_draw(data, project_folder,
                               spec.source.study.empty()
                                   ? "Check the run ids with: braid-engine run list"
                                   : "Train it first: braid-engine study run " + spec.source.study);
    }
    return data;
}

}  // namespace braid::ui
