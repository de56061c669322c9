#include "widgets/scaling/scaling_figures.h"

#include <algorithm>

#include "widgets/figure/figure_kind.h"

namespace braid::ui {

namespace {

NamedFigure figureOf(const ScalingContent& content, const char* kind) {
    NamedFigure figure;
    std::string metric = content.view.metric;
    std::replace(metric.begin(), metric.end(), '/', '-');
    figure.name = QString::fromStdString(content.study + "-" + metric + "-" + kind);
    figure.spec.kind = kind;
    figure.spec.source.study = content.study;
    figure.spec.title = content.spec.title.empty() ? content.study : content.spec.title;
    for (const ScalingViewCurve& curve : content.view.curves) figure.spec.colours[curve.name] = curve.colour;
    return figure;
}

void add(NamedFigure& figure, const std::string& metric, bool flops) {
    FigurePanel panel{.metric = metric, .x = flops ? "flops" : "tokens"};
    panel.x_scale = AxisScale::log;
    panel.y_scale = AxisScale::log;
    figure.spec.panels.push_back(std::move(panel));
}

void setHeight(NamedFigure& figure, double height) { figure.spec.style.height_mm = height; }

double scalingHeightOf(const NamedFigure& figure, std::size_t curves) {
    const double legend = 4 + 3.5 * double(curves / 6 + 1);
    const std::size_t panels = figure.spec.panels.size();
    if (panels <= 2 && figure.spec.panels.back().metric.starts_with("residual of ")) return 84 + 30 + legend;
    return panels == 1 ? 84 + legend : 46 * double((panels + 3) / 4) + legend;
}

// A rule cannot ask for a value with a comma.
bool speakable(const std::string& value) { return value.find(',') == std::string::npos; }

}  // namespace

NamedFigure overlayFigure(const ScalingContent& content, bool flops) {
    NamedFigure figure = figureOf(content, "scaling");
    add(figure, content.view.metric, flops);
    if (content.view.record) add(figure, "residual of " + content.view.metric, flops);
    setHeight(figure, scalingHeightOf(figure, content.view.curves.size()));
    return figure;
}

NamedFigure panelsFigure(const ScalingContent& content, bool flops, bool by_scale) {
    NamedFigure figure = figureOf(content, "scaling");
    const auto one = [&](const char* column, const std::string& value) {
        if (!speakable(value)) return;
        std::string metric = content.view.metric;
        add(figure, metric.append(" where ").append(column).append("=").append(value), flops);
    };
    if (by_scale)
        for (const ScalingViewScale& scale : content.view.scales) one("scale", scale.name);
    else
        for (const ScalingViewCurve& curve : content.view.curves) one("curve", curve.name);
    if (figure.spec.panels.empty()) return overlayFigure(content, flops);
    setHeight(figure, scalingHeightOf(figure, content.view.curves.size()));
    return figure;
}

// All other curves are left out.
NamedFigure pairFigure(const ScalingContent& content, bool flops, const std::vector<std::string>& curves) {
    NamedFigure figure = figureOf(content, "scaling");
    std::string rule;
    for (const ScalingViewCurve& curve : content.view.curves) {
        if (std::find(curves.begin(), curves.end(), curve.name) != curves.end() || !speakable(curve.name))
            continue;
        rule.append(rule.empty() ? " where " : ", ").append("curve!=").append(curve.name);
    }
    add(figure, content.view.metric + rule, flops);
    if (content.view.record) add(figure, "residual of " + content.view.metric + rule, flops);
    setHeight(figure, scalingHeightOf(figure, curves.size()));
    return figure;
}

NamedFigure mapFigure(const ScalingContent& content, const std::string& wish) {
    NamedFigure figure = figureOf(content, "study-map");
    figure.spec.panels.push_back({.metric = wish});
    figure.spec.style.height_mm = 80;
    return figure;
}

NamedFigure frontFigure(const ScalingContent& content, const std::string& wish) {
    NamedFigure figure = figureOf(content, "pareto");
    figure.spec.panels.push_back({.metric = wish});
    figure.spec.style.height_mm = 100;
    return figure;
}

}  // namespace braid::ui
