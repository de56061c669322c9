#include "widgets/figure/figure_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/analysis/crossing.h"
#include "core/analysis/seeds.h"
#include "core/analysis/smoothing.h"
#include "core/mixers/builtin.h"
#include "core/record/project.h"
#include "core/record/run_reader.h"
#include "core/spec/study.h"
#include "widgets/common/run_curves.h"
#include "widgets/common/run_palette.h"
#include "widgets/figure/figure_kind.h"

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

// A run on its way into the figure.
struct Found {
    RunView view;
    std::string series;
    std::size_t order = 0;  // of its series
};

// "window-64-nope/seed-2" without its seed.
std::string variant_of(const std::string& point) { return point.substr(0, point.rfind('/')); }

Result<Found> read_run(const RunFolder& folder, const std::set<XAxis>& axes) {
    Result<RunPlan> plan = folder.plan();
    if (!plan) {
        return fail(plan.error());
    }
    Found found;
    found.view.id = plan->id;
    found.view.plan = std::make_shared<const RunPlan>(std::move(*plan));
    found.view.trainingFlopsPerToken = training_flops_per_token(*found.view.plan);
    found.view.folder = folder;
    RunReader reader(folder);
    found.view.record = reader.poll();
    if (found.view.record->problem) {
        return fail(*found.view.record->problem);
    }
    found.view.scores = readRunScores(folder);
    RunCurves curves;
    curves.update(found.view, axes);
    return found;
}

FigureRun describe_run(const Found& found) {
    const RunPlan& plan = *found.view.plan;
    return {.id = plan.id.str(),
            .name = plan.name.empty() ? plan.id.str() : plan.name,
            .series = found.series,
            .seed = plan.training.seed,
            .architecture = plan.architecture,
            .architecture_hash = content_hash(plan.architecture, builtin_mixers()),
            .plan_hash = content_hash(to_json(plan)),
            .command = plan.command,
            .state = found.view.state(),
            .step = found.view.step(),
            .steps = plan.training.steps,
            .tokens_per_step = static_cast<double>(plan.training.tokens_per_step()),
            .flops_per_token = found.view.trainingFlopsPerToken,
            .seconds = found.view.latest("time_s").value_or(std::numeric_limits<double>::quiet_NaN()),
            .queries = found.view.queries()};
}

// Runs of a study, newest of each point, in the order of its variants; what is missing goes into the notes.
void find_study_runs(const Project& project, const FigureSpec& spec, const std::set<XAxis>& axes,
                     std::vector<Found>& found, FigureData& data) {
    const std::string& name = spec.source.study;
    std::vector<std::string> variants;  // labels in order
    std::map<std::string, std::string> label_of;
    std::vector<StudyPoint> points;
    const std::string file = project.document_file(DocumentKind::study, name);
    if (const auto json = read_json(file)) {
        if (const Checked<StudySpec> study = study_from_json(*json)) {
            for (const StudyVariant& variant : study->variants) {
                variants.push_back(variant.label);
                label_of[slug(variant.label)] = variant.label;
            }
            points = study_points(*study);
        } else {
            data.notes.push_back("study " + name +
                                 " cannot be read: " + describe(to_error(study.error(), file)));
        }
    } else {
        data.notes.push_back("study " + name + " has no file; its runs are taken as they are");
    }
    std::map<std::string, RunEntry> newest;  // by point
    for (const RunEntry& entry : project.runs()) {
        if (entry.study.str() == name) {
            const std::string point = entry.point.empty() ? entry.id.str() : entry.point;
            const auto before = newest.find(point);
            // A run that has trained is worth more than a newer one that has not begun.
            if (before == newest.end() || before->second.status.step.value == 0 ||
                entry.status.step.value > 0) {
                newest[point] = entry;
            }
        }
    }
    std::vector<std::string> missing;
    for (const StudyPoint& point : points) {
        if (!newest.contains(point.key)) {
            missing.push_back(point.key);
        }
    }
    data.expected_runs = std::max(points.size(), newest.size());
    if (!missing.empty()) {
        std::string list;
        for (std::size_t i = 0; i < missing.size() && i < 8; ++i) {
            list += (list.empty() ? "" : ", ") + missing[i];
        }
        data.notes.push_back("study " + name + ": " + std::to_string(missing.size()) + " of " +
                             std::to_string(points.size()) + " runs do not exist yet: " + list +
                             (missing.size() > 8 ? ", ..." : ""));
    }
    for (const auto& [point, entry] : newest) {
        Result<Found> run = read_run(entry.folder, axes);
        if (!run) {
            data.notes.push_back("run " + entry.id.str() + " cannot be read: " + describe(run.error()));
            continue;
        }
        const std::string variant = variant_of(point);
        run->series = label_of.contains(variant) ? label_of[variant] : variant;
        run->order = static_cast<std::size_t>(std::find(variants.begin(), variants.end(), run->series) -
                                              variants.begin());
        found.push_back(std::move(*run));
    }
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return a.order != b.order     ? a.order < b.order
               : a.series != b.series ? a.series < b.series
                                      : a.view.plan->training.seed < b.view.plan->training.seed;
    });
}

void find_named_runs(const Project& project, const FigureSpec& spec, const std::set<XAxis>& axes,
                     std::vector<Found>& found, FigureData& data) {
    data.expected_runs = spec.source.runs.size();
    std::map<std::string, int> names;
    for (const std::string& id : spec.source.runs) {
        Result<RunFolder> folder = project.find_run(id);
        Result<Found> run = folder ? read_run(*folder, axes) : fail(folder.error());
        if (!run) {
            data.notes.push_back("run " + id + ": " + describe(run.error()));
            continue;
        }
        const RunPlan& plan = *run->view.plan;
        run->series = plan.name.empty() ? plan.id.str() : plan.name;
        ++names[run->series];
        run->order = found.size();
        found.push_back(std::move(*run));
    }
    for (Found& run : found) {  // one name for several runs says too little
        if (names[run.series] > 1) {
            run.series += " " + run.view.plan->id.str();
        }
    }
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

Result<FigureData> load_needles(const std::string& project_folder, const FigureSpec& spec) {
    Result<Project> project = Project::open(project_folder);
    if (!project) {
        return fail(project.error());
    }
    FigureData data;
    std::vector<Found> found;
    find_named_runs(*project, spec, {}, found, data);
    for (const Found& run : found) {
        data.runs.push_back(describe_run(run));
    }
    bool any = false;
    for (const FigurePanel& panel : spec.panels) {
        FigurePanelData drawn;
        const std::string kind = panel.metric.substr(0, panel.metric.find('/'));
        const std::string task = panel.metric.substr(std::min(panel.metric.size(), kind.size() + 1));
        for (std::size_t i = 0; i < found.size(); ++i) {
            const ScoreRecord* chosen = nullptr;
            for (const ScoreRecord& record : found[i].view.scores->records) {
                const bool fits = record.kind == kind &&
                                  (!panel.step || record.checkpoint.step.value == *panel.step) &&
                                  !needleGrid(record, task).isEmpty();
                const bool later =
                    fits && (!chosen || std::pair(record.checkpoint.step.value, record.created) >=
                                            std::pair(chosen->checkpoint.step.value, chosen->created));
                if (later) {
                    chosen = &record;
                }
            }
            if (chosen) {
                drawn.maps.push_back({i, chosen->checkpoint.step.value, kind, needleGrid(*chosen, task)});
                data.scores.push_back(chosen->file.substr(chosen->file.rfind('/') + 1));
                any = true;
            } else {
                data.notes.push_back(
                    "run " + data.runs[i].id + " has no score " + panel.metric + " by depth and length" +
                    (panel.step ? " at step " + std::to_string(*panel.step) : std::string()));
            }
        }
        data.panels.push_back(std::move(drawn));
    }
    if (!any) {
        std::string why;
        for (const std::string& note : data.notes) {
            why.append("\n  ").append(note);
        }
        return fail(ErrorKind::not_found, "there is nothing to draw yet" + why, project_folder,
                    "Score a checkpoint first: braid-engine eval niah RUN");
    }
    return data;
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
    std::vector<Found> found;
    if (!spec.source.study.empty()) {
        find_study_runs(*project, spec, axes, found, data);
    } else {
        find_named_runs(*project, spec, axes, found, data);
    }
    RunPalette palette;
    palette.load(project->folder() + "/ui.json");
    for (const Found& run : found) {
        data.runs.push_back(describe_run(run));
    }
    std::set<std::string> recorded;
    for (const FigurePanel& panel : spec.panels) {
        FigurePanelData drawn;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const Found& run = found[i];
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
        std::string why;
        for (const std::string& note : data.notes) {
            why += "\n  " + note;
        }
        return fail(ErrorKind::not_found, "there is nothing to draw yet" + why, project_folder,
                    spec.source.study.empty()
                        ? "Check the run ids with: braid-engine run list"
                        : "Train it first: braid-engine study run " + spec.source.study);
    }
    return data;
}

}  // namespace braid::ui
