// Mean loss by position in the context, and its difference to what it was scored against: a line a
// checkpoint, with the interval that the scores hold.
#include <algorithm>
#include <charconv>

#include "core/analysis/number_format.h"
#include "widgets/common/position_curves.h"
#include "widgets/common/run_palette.h"
#include "widgets/figure/figure_kind.h"
#include "widgets/figure/found_runs.h"
#include "widgets/figure/series_look.h"

namespace braid::ui {

extern const FigureKind& curves_figure;

namespace {

constexpr std::string_view difference_metric = "difference";
constexpr std::size_t longest_name = 16;  // of a run, in the title of an axis

bool shows_difference(const FigurePanel& panel) { return panel.metric == difference_metric; }

// "b7c0@2000" as its name and step, where the project knows the run.
std::string name_of(const Project& project, const std::string& checkpoint) {
    const std::size_t at = checkpoint.find('@');
    if (at == std::string::npos) return checkpoint.substr(checkpoint.rfind('/') + 1);
    std::string name = checkpoint.substr(0, at);
    if (const Result<RunFolder> folder = project.find_run(name))
        if (const Result<RunPlan> plan = folder->plan(); plan && !plan->name.empty()) name = plan->name;
    std::int64_t step = 0;
    std::from_chars(checkpoint.data() + at + 1, checkpoint.data() + checkpoint.size(), step);
    return name.append(", step ").append(format_count(step));
}

// The titles and the zero line that a panel has without being asked.
FigureSpec completed(const FigureSpec& spec, const FigureData& data) {
    FigureSpec full = spec;
    for (std::size_t i = 0; i < full.panels.size(); ++i) {
        FigurePanel& panel = full.panels[i];
        panel.x = "step";  // whole numbers
        if (panel.x_title.empty()) panel.x_title = "context (tokens)";
        if (!shows_difference(panel)) {
            if (panel.y_title.empty()) panel.y_title = "validation loss (nats/token)";
            continue;
        }
        if (!panel.threshold) panel.threshold = 0;
        if (!panel.y_title.empty()) continue;
        std::string other = i < data.panels.size() && !data.panels[i].positions.empty()
                                ? data.panels[i].positions.front().against_name
                                : std::string();
        for (const FigurePositions& one : data.panels[i].positions)
            if (one.against_name != other) other.clear();
        // The legend tells its step.
        other.resize(std::min(other.size(), other.rfind(", step ")));
        panel.y_title = other.empty() || other.size() > longest_name
                            ? "loss difference (nats/token)"
                            : "loss \u2212 " + other + " (nats/token)";
    }
    return full;
}

class LossByPositionFigure final : public FigureKind {
public:
    std::string_view id() const override { return "loss-by-position"; }
    bool showsCurves() const override { return false; }

    void validate(const FigureSpec& spec, Diagnostics& problems) const override {
        for (std::size_t i = 0; i < spec.panels.size(); ++i) {
            const FigurePanel& panel = spec.panels[i];
            const std::string place = "panels[" + std::to_string(i) + "].";
            if (panel.metric != "loss" && !shows_difference(panel))
                problems.push_back(
                    {place + "metric", "must be loss or difference for a loss-by-position", panel.metric});
            if (panel.compare_crossings)
                problems.push_back({place + "compare_crossings", "is for curves over training", "true"});
        }
    }

    Result<FigureData> load(const std::string& project_folder, const FigureSpec& spec) const override {
        Result<Project> project = Project::open(project_folder);
        if (!project) return fail(project.error());
        FigureData data;
        const std::vector<FoundRun> found = find_runs(*project, spec, {}, data);
        RunPalette palette;
        palette.load(project->folder() + "/ui.json");
        bool any = false;
        for (const FigurePanel& panel : spec.panels) {
            FigurePanelData drawn;
            const bool difference = shows_difference(panel);
            for (std::size_t i = 0; i < found.size(); ++i) {
                const ScoreRecord* score =
                    find_score(found[i], panel, "loss", [difference](const ScoreRecord& record) {
                        return record.series &&
                               !(difference ? record.series->difference : record.series->loss).empty();
                    });
                if (!score) {
                    data.notes.push_back(no_score(data.runs[i].id, panel));
                    continue;
                }
                any = true;
                const std::string file = score->file.substr(score->file.rfind('/') + 1);
                if (std::find(data.scores.begin(), data.scores.end(), file) == data.scores.end())
                    data.scores.push_back(file);
                const std::int64_t step = score->checkpoint.step.value;
                FigurePositions positions{
                    .run = i, .step = step, .against = scoredAgainst(*score), .losses = *score->series};
                positions.against_name =
                    positions.against.empty() ? std::string() : name_of(*project, positions.against);
                drawn.positions.push_back(std::move(positions));
                add_line(spec, found[i], i, step, drawn, palette);
            }
            for (FigureSeries& series : drawn.series) finish(spec, panel, drawn, series);
            if (!difference && spec.source.study.empty()) add_others(spec, *project, drawn, palette);
            data.panels.push_back(std::move(drawn));
        }
        if (!any)
            return nothing_to_draw(data, project_folder,
                                   "Score a checkpoint first: braid-engine eval loss RUN");
        return data;
    }

    void draw(const FigureSpec& spec, const FigureData& data, FigureCanvas& canvas) const override {
        curves_figure.draw(completed(spec, data), data, canvas);
    }

    std::string csv(const FigureSpec& spec, const FigureData& data) const override {
        std::string text =
            "panel,metric,run,name,step,against,context_tokens,value,standard_error,value_of_against\n";
        for (std::size_t p = 0; p < spec.panels.size(); ++p)
            for (const FigurePositions& one : data.panels[p].positions) {
                const bool difference = shows_difference(spec.panels[p]);
                const LossSeries& losses = one.losses;
                const std::vector<double>& values = difference ? losses.difference : losses.loss;
                const std::vector<double>& errors =
                    difference ? losses.difference_error : losses.standard_error;
                const FigureRun& run = data.runs[one.run];
                std::string head = std::to_string(p + 1);
                for (const std::string& field :
                     {spec.panels[p].metric, run.id, run.name, std::to_string(one.step), one.against})
                    head.append(",").append(csv_field(field));
                for (std::size_t i = 0; i < values.size(); ++i) {
                    text.append(head).append(",").append(exact_number(losses.position[i] + 1));
                    text.append(",").append(exact_number(values[i])).append(",");
                    if (i < errors.size()) text.append(exact_number(errors[i]));
                    text.append(",");
                    if (!difference && i < losses.difference.size())
                        text.append(exact_number(values[i] - losses.difference[i]));
                    text.append("\n");
                }
            }
        return text;
    }

    QString dataSummary(const FigureSpec& spec, const FigureData& data) const override {
        return curves_figure.dataSummary(spec, data);
    }

    double fittingHeight(const FigureSpec& spec, const FigureData& data) const override {
        return curves_figure.fittingHeight(spec, data);
    }

private:
    static std::string no_score(const std::string& run, const FigurePanel& panel) {
        std::string text = "run ";
        text.append(run).append(shows_difference(panel) ? " was not scored against another checkpoint"
                                                        : " has no score of its loss by position");
        if (panel.step) text.append(" at step ").append(std::to_string(*panel.step));
        return text;
    }

    // Seeds of a variant share a series; a run that is named has its own, with its step.
    static void add_line(const FigureSpec& spec, const FoundRun& run, std::size_t index, std::int64_t step,
                         FigurePanelData& drawn, RunPalette& palette) {
        std::string label = run.series;
        if (spec.source.study.empty()) label.append(", step ").append(format_count(step));
        auto series = std::find_if(drawn.series.begin(), drawn.series.end(),
                                   [&](const FigureSeries& one) { return one.label == label; });
        if (series == drawn.series.end()) {
            const auto colour = spec.colours.find(run.series);
            drawn.series.push_back({.label = label,
                                    .colour = colour != spec.colours.end()
                                                  ? colour->second
                                                  : palette.indexOf(RunPalette::keyOf(*run.view.plan))});
            series = std::prev(drawn.series.end());
        }
        series->lines.push_back({.run = index});
    }

    // The loss of what the checkpoints were scored against, unless it is in the figure itself.
    static void add_others(const FigureSpec& spec, const Project& project, FigurePanelData& drawn,
                           RunPalette& palette) {
        for (const FigurePositions& one : drawn.positions) {
            const CurvePtr curve = otherByPosition(one.losses);
            const bool known =
                std::any_of(drawn.series.begin(), drawn.series.end(),
                            [&](const FigureSeries& series) { return series.label == one.against_name; });
            if (known || one.against.empty() || curve->is_empty()) continue;
            FigureSeries series{.label = one.against_name, .colour = palette.indexOf(one.against)};
            if (const auto folder = project.find_run(one.against.substr(0, one.against.find('@'))))
                if (const Result<RunPlan> plan = folder->plan()) {
                    const auto colour = spec.colours.find(plan->name);
                    series.colour = colour != spec.colours.end() ? colour->second
                                                                 : palette.indexOf(RunPalette::keyOf(*plan));
                }
            series.lines.push_back({.run = one.run, .raw = curve, .shown = curve});
            series.mean = curve;
            drawn.series.push_back(std::move(series));
        }
    }

    static void finish(const FigureSpec& spec, const FigurePanel& panel, const FigurePanelData& drawn,
                       FigureSeries& series) {
        PositionCurves own;
        for (FigureLine& line : series.lines) {
            const auto scored = std::find_if(drawn.positions.begin(), drawn.positions.end(),
                                             [&](const FigurePositions& one) { return one.run == line.run; });
            own = shows_difference(panel) ? differenceByPosition(scored->losses)
                                          : lossByPosition(scored->losses);
            line.raw = own.mean;
        }
        // No crossings: a threshold is a line and no more.
        FigurePanel plain = panel;
        plain.threshold.reset();
        plain.smoothing = 0;
        finish_series(spec, plain, series);
        if (several_seeds(series) || !own.hasBand()) return;
        series.low = own.low;
        series.high = own.high;
        series.band = positionBandText().toStdString();
    }
};

const LossByPositionFigure instance;

}  // namespace

extern const FigureKind& loss_by_position_figure;
const FigureKind& loss_by_position_figure = instance;

}  // namespace braid::ui
