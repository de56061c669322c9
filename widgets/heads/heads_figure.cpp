#include "widgets/heads/heads_figure.h"

#include <QFileInfo>
#include <cmath>

#include "core/spec/study.h"
#include "widgets/common/project_session.h"
#include "widgets/figure/attention_data.h"
#include "widgets/heads/heads_choice.h"

namespace braid::ui {

std::optional<NamedFigure> figureOfHeads(const HeadsChoice& choice) {
    const HeadsState& state = choice.state();
    const RunPointer run = choice.run();
    const CapturePointer shown = choice.leading();
    if (!shown || state.isEmpty()) return {};
    FigureSpec spec{.kind = "attention-map"};
    std::string name;
    if (run) {
        spec.source.runs = {run->id.str()};
        name = run->name.toStdString();
    } else if (shown->checkpoint.run.empty()) {
        spec.source.checkpoint = shown->checkpoint.folder;
        name = QFileInfo(QString::fromStdString(shown->checkpoint.folder)).fileName().toStdString();
    } else {
        return {};  // of a run that is no longer there
    }
    const auto panelOf = [&](HeadSide side) -> std::optional<FigurePanel> {
        const CapturePointer& capture = choice.capture(side);
        const auto& head = choice.head(side);
        if (!capture || !head) return {};
        AttentionMetric metric{.layer = head->first, .head = head->second};
        metric.row = state.form() == AttentionForm::row && !state.difference();
        if (state.difference())
            metric.less =
                AttentionMetric::Other{choice.head(HeadSide::a)->first, choice.head(HeadSide::a)->second,
                                       choice.capture(HeadSide::a)->checkpoint.step.value};
        FigurePanel panel{.metric = to_text(metric)};
        panel.step = capture->checkpoint.step.value;
        panel.score = capture_settings_hash(*capture);
        panel.y_scale = state.form() == AttentionForm::log ? AxisScale::log : AxisScale::linear;
        // The colours of the view; shares of a row have no other ends than 0 and 1.
        if (!metric.row) panel.colour_range[1] = state.scale().high;
        if (!metric.row && state.scale().form == AttentionForm::log)
            panel.colour_range[0] = state.scale().low;
        const MapViewport view = state.viewportOf(side);
        if (!view.isWhole()) {
            panel.x_range = {std::floor(view.key), std::ceil(view.key + view.span)};
            // A scale of colours, not of the axis: 0 is a query like any other.
            panel.y_range = {std::floor(view.query), std::ceil(view.query + view.span)};
            if (panel.y_scale == AxisScale::log && *panel.y_range[0] <= 0) panel.y_range[0].reset();
        }
        return panel;
    };
    for (const HeadSide side : {HeadSide::a, HeadSide::b}) {
        if (state.difference() && side == HeadSide::a) continue;
        if (const auto panel = panelOf(side)) spec.panels.push_back(*panel);
    }
    if (spec.panels.empty()) return {};
    const auto& head = choice.head(state.leading());
    spec.title = "head " + std::to_string(head->first) + "." + std::to_string(head->second);
    spec.title.append(", ").append(name);
    spec.style.size = spec.panels.size() > 1 ? FigureSize::double_column : FigureSize::single;
    spec.style.width_mm = standard_width_mm(spec.style.size, spec.style.width_mm);
    spec.style.height_mm = spec.panels.size() > 1 ? 86 : 78;
    return NamedFigure{.name = QString::fromStdString(slug(spec.title)).left(40), .spec = spec};
}

}  // namespace braid::ui
