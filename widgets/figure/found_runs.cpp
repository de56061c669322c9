#include "widgets/figure/found_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/mixers/builtin.h"
#include "core/record/newest_record.h"
#include "core/record/run_reader.h"
#include "core/spec/study_points.h"
#include "widgets/common/run_curves.h"

namespace braid::ui {
namespace {

// "window-64-nope/seed-2" without its seed.
std::string variant_of(const std::string& point) { return point.substr(0, point.rfind('/')); }

Result<FoundRun> read_run(const RunFolder& folder, const std::set<XAxis>& axes) {
    Result<RunPlan> plan = folder.plan();
    if (!plan) {
        return fail(plan.error());
    }
    FoundRun found;
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

// Runs of a study, newest of each point, in the order of its variants; what is missing goes into the notes.
void find_study_runs(const Project& project, const FigureSpec& spec, const std::set<XAxis>& axes,
                     std::vector<FoundRun>& found, FigureData& data) {
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
        Result<FoundRun> run = read_run(entry.folder, axes);
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
    std::stable_sort(found.begin(), found.end(), [](const FoundRun& a, const FoundRun& b) {
        return a.order != b.order     ? a.order < b.order
               : a.series != b.series ? a.series < b.series
                                      : a.view.plan->training.seed < b.view.plan->training.seed;
    });
}

void find_named_runs(const Project& project, const FigureSpec& spec, const std::set<XAxis>& axes,
                     std::vector<FoundRun>& found, FigureData& data) {
    data.expected_runs = spec.source.runs.size();
    std::map<std::string, int> names;
    for (const std::string& id : spec.source.runs) {
        Result<RunFolder> folder = project.find_run(id);
        Result<FoundRun> run = folder ? read_run(*folder, axes) : fail(folder.error());
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
    for (FoundRun& run : found) {  // one name for several runs says too little
        if (names[run.series] > 1) {
            run.series += " " + run.view.plan->id.str();
        }
    }
}

FigureRun describe_run(const FoundRun& found) {
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

}  // namespace

std::vector<FoundRun> find_runs(const Project& project, const FigureSpec& spec, const std::set<XAxis>& axes,
                                FigureData& data) {
    std::vector<FoundRun> found;
    if (!spec.source.study.empty())
        find_study_runs(project, spec, axes, found, data);
    else
        find_named_runs(project, spec, axes, found, data);
    for (const FoundRun& run : found) data.runs.push_back(describe_run(run));
    return found;
}

tl::unexpected<Error> nothing_to_draw(const FigureData& data, const std::string& project_folder,
                                      const std::string& hint) {
    std::string text = "there is nothing to draw yet";
    for (const std::string& note : data.notes) text.append("\n  ").append(note);
    return fail(ErrorKind::not_found, text, project_folder, hint);
}

const ScoreRecord* find_score(const FoundRun& run, const FigurePanel& panel, const std::string& kind,
                              const std::function<bool(const ScoreRecord&)>& fits) {
    return newest_record(run.view.scores->records, [&](const ScoreRecord& record) {
        if (record.kind != kind || (panel.step && record.checkpoint.step.value != *panel.step)) return false;
        return (panel.score.empty() || score_settings_hash(record) == panel.score) && fits(record);
    });
}

}  // namespace braid::ui
