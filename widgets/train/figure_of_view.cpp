#include "widgets/train/figure_of_view.h"

#include "core/spec/study.h"
#include "widgets/common/project_session.h"

namespace braid::ui {

NamedFigure figureOfStudy(const ProjectSession& session, const QString& study) {
    for (const FigureEntry& entry : session.figures()) {
        if (!entry.problem.isEmpty()) continue;
        const Result<FigureSpec> spec = read_figure(entry.file.toStdString());
        if (spec && spec->kind == "curves" && spec->source.study == study.toStdString())
            return {.name = entry.name, .spec = *spec};
    }
    FigureSpec spec;
    spec.source.study = study.toStdString();
    FigurePanel panel{.metric = "loss"};
    if (const StudyEntry* entry = session.study(study); entry != nullptr && entry->spec) {
        panel.metric = entry->spec->measure.metric;
        panel.threshold = entry->spec->measure.threshold;
        panel.compare_crossings = true;
    }
    spec.title = panel.metric + " against tokens, " + study.toStdString();
    spec.panels.push_back(panel);
    return {.name = study + QStringLiteral("-curves"), .spec = spec};
}

NamedFigure figureOfRuns(const std::vector<RunPointer>& runs, const std::vector<std::string>& metrics,
                         const std::string& x, AxisScale y_scale, double smoothing) {
    FigureSpec spec;
    std::string names;
    for (const RunPointer& run : runs) {
        spec.source.runs.push_back(run->id.str());
        spec.colours[run->name.toStdString()] = run->paletteIndex;
        names += (names.empty() ? "" : ", ") + run->name.toStdString();
    }
    for (const std::string& metric : metrics) {
        FigurePanel panel{.metric = metric, .x = x};
        panel.y_scale = y_scale;
        panel.smoothing = smoothing;
        spec.panels.push_back(panel);
    }
    spec.title = names;
    return {.name = QString::fromStdString(slug(names)).left(40), .spec = spec};
}

NamedFigure figureOfNeedles(const RunPointer& run, const ScoreRecord& record, const std::string& task) {
    FigureSpec spec{.kind = "needle-map"};
    spec.source.runs = {run->id.str()};
    FigurePanel panel{.metric = record.kind + "/" + task};
    panel.step = record.checkpoint.step.value;
    panel.score = score_settings_hash(record);
    spec.panels.push_back(panel);
    spec.title = task + ", " + run->name.toStdString();
    spec.style.size = FigureSize::single;
    spec.style.width_mm = standard_width_mm(spec.style.size, spec.style.width_mm);
    spec.style.height_mm = 56;
    return {.name = QString::fromStdString(slug(spec.title)).left(40), .spec = spec};
}

NamedFigure figureOfPositions(const RunPointer& run, const ScoreRecord& record) {
    FigureSpec spec{.kind = "loss-by-position"};
    spec.source.runs = {run->id.str()};
    spec.colours[run->name.toStdString()] = run->paletteIndex;
    FigurePanel panel{.metric = "loss", .x_scale = AxisScale::log};
    panel.step = record.checkpoint.step.value;
    panel.score = score_settings_hash(record);
    spec.panels.push_back(panel);
    const bool compared = record.series && !record.series->difference.empty();
    panel.metric = "difference";
    if (compared) spec.panels.push_back(panel);
    spec.title = "loss by position, " + run->name.toStdString();
    spec.style.size = compared ? FigureSize::double_column : FigureSize::single;
    spec.style.width_mm = standard_width_mm(spec.style.size, spec.style.width_mm);
    spec.style.height_mm = 60;
    return {.name = QString::fromStdString(slug(spec.title)).left(40), .spec = spec};
}

}  // namespace braid::ui
