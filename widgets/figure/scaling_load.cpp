#include "widgets/figure/scaling_load.h"

#include <algorithm>

#include "core/mixers/builtin.h"
#include "core/record/project.h"
#include "widgets/common/run_palette.h"

namespace braid::ui {

namespace {

constexpr std::string_view where_word = " where ", residual_word = "residual of ", against_word = " against ",
                           by_word = " by ", and_word = " and ";

Result<StudySpec> read_study(const Project& project, const std::string& name) {
    const std::string file = project.document_file(DocumentKind::study, name);
    const Result<Json> json = read_json(file);
    if (!json) return fail(json.error());
    Checked<StudySpec> spec = study_from_json(*json);
    if (!spec) return fail(to_error(spec.error(), file));
    spec->name = name;
    return *std::move(spec);
}

Checked<std::vector<PlannedPoint>> plan(const Project& project, const StudySpec& spec) {
    const auto find = [&](const std::string& name) -> Checked<ArchitectureSpec> {
        const Result<Json> json = read_json(project.document_file(DocumentKind::architecture, name));
        if (!json) return tl::unexpected<Diagnostics>({{"architecture", describe(json.error()), name}});
        return architecture_from_json(*json);
    };
    return plan_study(spec, {.catalog = builtin_mixers(), .find_architecture = find});
}

void describe_runs(const ScalingFigureData& scaling, const std::vector<StudyRun>& runs, FigureData& data) {
    std::map<std::string, std::shared_ptr<const RunPlan>> plans;
    for (const StudyRun& run : runs) plans[run.entry.folder.name()] = run.plan;
    std::size_t missing = 0;
    for (const PointState& point : scaling.state.points) {
        ++data.expected_runs;
        if (!point.run) {
            ++missing;
            continue;
        }
        const RunPlan& plan = *plans.at(point.run->folder.name());
        data.runs.push_back({.id = plan.id.str(),
                             .name = plan.name.empty() ? plan.id.str() : plan.name,
                             .series = curve_of(scaling.spec, point.planned.point),
                             .seed = plan.training.seed,
                             .architecture = plan.architecture,
                             .architecture_hash = content_hash(plan.architecture, builtin_mixers()),
                             .plan_hash = content_hash(to_json(plan)),
                             .command = plan.command,
                             .state = point.state(),
                             .step = point.run->status.step.value,
                             .steps = total_steps(plan),
                             .tokens_per_step = double(plan.training.tokens_per_step())});
    }
    if (missing > 0) {
        std::string note = std::to_string(missing);
        note.append(" of ").append(std::to_string(data.expected_runs)).append(" runs do not exist yet");
        data.notes.push_back(note);
    }
}

std::map<std::string, int> colours_of(const ScalingFigureData& scaling, const std::vector<StudyRun>& runs,
                                      const Project& project, const FigureSpec& spec) {
    RunPalette palette;
    palette.load(project.folder() + "/ui.json");
    std::map<std::string, std::shared_ptr<const RunPlan>> plans;
    for (const StudyRun& run : runs) plans[run.entry.folder.name()] = run.plan;
    std::map<std::string, int> colours = spec.colours;
    for (const PointState& point : scaling.state.points)
        if (point.run)
            colours.emplace(curve_of(scaling.spec, point.planned.point),
                            palette.indexOf(RunPalette::keyOf(*plans.at(point.run->folder.name()))));
    return colours;
}

}  // namespace

Checked<ScalingPanelWish> scaling_wish(const std::string& text, const std::string& path) {
    ScalingPanelWish wish;
    std::string rest = text;
    if (const std::size_t at = rest.find(where_word); at != std::string::npos) {
        Checked<RowRule> rule = parse_row_rule(rest.substr(at + where_word.size()), path);
        if (!rule) return tl::unexpected(rule.error());
        if (rule->largest)
            return tl::unexpected<Diagnostics>({{path, "must name points by COLUMN=VALUE", text}});
        wish.where = *std::move(rule);
        rest.resize(at);
    }
    if (const std::size_t at = rest.find(against_word); at != std::string::npos) {
        wish.against = rest.substr(at + against_word.size());
        rest.resize(at);
    }
    if (const std::size_t at = rest.find(by_word); at != std::string::npos) {
        const std::string factors = rest.substr(at + by_word.size());
        const std::size_t parted = factors.find(and_word);
        if (parted == std::string::npos)
            return tl::unexpected<Diagnostics>({{path, "must name two factors: METRIC by X and Y", text}});
        wish.x = factors.substr(0, parted);
        wish.y = factors.substr(parted + and_word.size());
        rest.resize(at);
    }
    if (rest.starts_with(residual_word)) {
        wish.residual = true;
        rest.erase(0, residual_word.size());
    }
    if (rest.empty()) return tl::unexpected<Diagnostics>({{path, "must name a metric", text}});
    wish.metric = rest;
    return wish;
}

std::string wish_text(const ScalingPanelWish& wish) {
    std::string text = wish.residual ? std::string(residual_word) : std::string();
    text.append(wish.metric);
    if (!wish.x.empty()) text.append(by_word).append(wish.x).append(and_word).append(wish.y);
    if (!wish.against.empty()) text.append(against_word).append(wish.against);
    if (wish.where) text.append(where_word).append(wish.where->text);
    return text;
}

bool is_meant(const ScalingPanelWish& wish, const StudySpec& spec, const StudyState& state,
              const ScalingView& view, const ScalingViewPoint& point) {
    if (!wish.where) return true;
    const StudyFields fields = fields_of(spec, state.points[point.point].planned.point);
    return holds(*wish.where, [&](const std::string& column) -> std::optional<std::string> {
        if (same_title(column, "curve")) return view.curves[point.curve].name;
        if (same_title(column, "scale")) return view.scales[point.scale].name;
        for (const auto& [name, value] : fields)
            if (same_title(name, column)) return value;
        return std::nullopt;
    });
}

Result<FigureData> load_scaling(const std::string& project_folder, const FigureSpec& spec) {
    Result<Project> project = Project::open(project_folder);
    if (!project) return fail(project.error());
    Result<StudySpec> study = read_study(*project, spec.source.study);
    if (!study) return fail(study.error());
    const std::vector<StudyRun> runs = runs_of_study(*project, spec.source.study);
    auto scaling = std::make_shared<ScalingFigureData>();
    scaling->spec = with_seeds_of_runs(runs, *std::move(study));
    Checked<std::vector<PlannedPoint>> planned = plan(*project, scaling->spec);
    if (!planned)
        return fail(
            to_error(planned.error(), project->document_file(DocumentKind::study, spec.source.study)));
    scaling->state = match_runs(scaling->spec, *std::move(planned), runs, builtin_mixers(), true);
    FigureData data;
    describe_runs(*scaling, runs, data);
    const std::map<std::string, int> colours = colours_of(*scaling, runs, *project, spec);
    bool any = false;
    for (const FigurePanel& panel : spec.panels) {
        const Checked<ScalingPanelWish> wish = scaling_wish(panel.metric, "panels.metric");
        if (!wish) return fail(to_error(wish.error()));
        const std::string file = scaling_record_file(project_folder, spec.source.study, wish->metric);
        Result<ScalingRecord> record = read_scaling_record(file);
        ScalingRecordPtr shared;
        if (record) {
            shared = std::make_shared<const ScalingRecord>(*std::move(record));
            const std::string name = file.substr(file.rfind('/', file.rfind('/') - 1) + 1);
            if (std::find(data.scores.begin(), data.scores.end(), name) == data.scores.end())
                data.scores.push_back(name);
        } else if (record.error().kind != ErrorKind::not_found) {
            data.notes.push_back(describe(record.error()));
        } else if (spec.kind == "scaling") {
            std::string note = wish->metric;
            note.append(" has not been fitted: braid-engine study fit ").append(spec.source.study);
            data.notes.push_back(note.append(" --metric ").append(wish->metric));
        }
        ScalingView view = scaling_view(scaling->spec, scaling->state, shared, wish->metric, colours);
        if (view.outdated()) data.notes.push_back("the fit is older than the study: " + data.scores.back());
        any = any || std::any_of(view.points.begin(), view.points.end(), [&](const ScalingViewPoint& point) {
                  return point.finished() && point.value;
              });
        scaling->lines.push_back(scaling_lines(view));
        scaling->views.push_back(std::move(view));
        data.panels.emplace_back();
    }
    if (!any)
        return fail(ErrorKind::not_found,
                    "no point of study " + spec.source.study + " has finished with a value to draw",
                    project_folder, "braid-engine study run " + spec.source.study);
    data.scaling = std::move(scaling);
    return data;
}

}  // namespace braid::ui
