#include "widgets/figure/scaling_legend.h"

#include <cmath>

#include "core/analysis/number_format.h"
#include "widgets/common/theme.h"

namespace braid::ui {

QColor paperColour(const ScalingView& view, std::size_t curve) {
    return lightTokens().runs[std::size_t(view.curves[curve].colour % run_colour_count)];
}

std::vector<ScalingLegendEntry> scalingLegend(const std::vector<ScalingPaperPanel>& panels) {
    std::vector<ScalingLegendEntry> curves, scales, rest;
    const ScalingView& view = *panels.front().view;
    std::vector<bool> curve_seen(view.curves.size()), scale_seen(view.scales.size());
    bool dashed = false, band = false, hollow = false;
    std::size_t crosses = 0;
    for (const ScalingPaperPanel& panel : panels) {
        for (const ScalingViewPoint* point : panel.points) {
            curve_seen[point->curve] = scale_seen[point->scale] = true;
            hollow = hollow || point->use == PointUse::held_out;
            crosses += &panel == &panels.front() && point->use == PointUse::excluded;
        }
        for (const ScalingLine& line : *panel.lines) {
            if (!panel.shows(line)) continue;
            band = band || !line.low.empty();
            dashed = dashed || std::find(line.extrapolated.begin(), line.extrapolated.end(), 1) !=
                                   line.extrapolated.end();
        }
    }
    for (std::size_t i = 0; i < curve_seen.size(); ++i)
        if (curve_seen[i])
            curves.push_back({ScalingLegendEntry::curve, i, QString::fromStdString(view.curves[i].name)});
    for (std::size_t i = 0; i < scale_seen.size(); ++i)
        if (scale_seen[i] && view.scales.size() > 1)
            scales.push_back(
                {ScalingLegendEntry::scale, i,
                 QString::fromStdString(view.scales[i].name.empty() ? format_si(view.scales[i].parameters)
                                                                    : view.scales[i].name)});
    if (hollow) rest.push_back({ScalingLegendEntry::hollow, 0, QStringLiteral("held out")});
    if (crosses > 0) rest.push_back({ScalingLegendEntry::cross, 0, QStringLiteral("excluded")});
    if (band && view.record)
        rest.push_back(
            {ScalingLegendEntry::band, 0,
             QStringLiteral("%1 % interval").arg(std::lround(view.record->report.options.level * 100))});
    if (dashed) rest.push_back({ScalingLegendEntry::dashed, 0, QStringLiteral("extrapolated")});
    curves.insert(curves.end(), scales.begin(), scales.end());
    curves.insert(curves.end(), rest.begin(), rest.end());
    return curves;
}

double drawScalingLegend(FigureCanvas& canvas, const std::vector<ScalingLegendEntry>& entries,
                         const ScalingView& view, double top, bool draw) {
    const double sample = FigureCanvas::mm(5.5), gap = FigureCanvas::mm(3), line = canvas.textHeight() * 1.25;
    const double right = canvas.page().width() - FigureCanvas::mm(1);
    double x = FigureCanvas::mm(1), y = top + line / 2;
    for (const ScalingLegendEntry& entry : entries) {
        const double width = sample + canvas.textWidth(entry.text);
        if (x + width > right && x > FigureCanvas::mm(1.5)) {
            x = FigureCanvas::mm(1);
            y += line;
        }
        if (draw) {
            const QPointF middle(x + sample * 0.42, y);
            const QColor ink = FigureCanvas::faintInk();
            const double half = sample * 0.38, radius = FigureCanvas::mm(scaling_mark_mm);
            switch (entry.kind) {
                case ScalingLegendEntry::curve:
                    canvas.line(middle - QPointF(half, 0), middle + QPointF(half, 0),
                                paperColour(view, entry.index), canvas.linePt() * 1.4);
                    ++canvas.facts().legend_entries;
                    break;
                case ScalingLegendEntry::scale:
                    canvas.marker(middle, int(entry.index), ink, radius);
                    break;
                case ScalingLegendEntry::hollow:
                    canvas.marker(middle, 0, ink, radius * 1.25);
                    canvas.marker(middle, 0, Qt::white, radius * 0.55);
                    break;
                case ScalingLegendEntry::dashed:
                    canvas.line(middle - QPointF(half, 0), middle + QPointF(half, 0), ink, canvas.linePt(),
                                {4, 3});
                    break;
                case ScalingLegendEntry::band: {
                    QColor faint = ink;
                    faint.setAlphaF(0.25F);
                    canvas.rectangle(QRectF(middle.x() - half, y - radius, half * 2, radius * 2), faint);
                    break;
                }
                case ScalingLegendEntry::cross:
                    for (const double turn : {1.0, -1.0})
                        canvas.line(middle + QPointF(-radius, -radius * turn),
                                    middle + QPointF(radius, radius * turn), ink, 0.7);
            }
            canvas.text({x + sample, y}, entry.text);
        }
        x += width + gap;
    }
    return y + line / 2 - top;
}

}  // namespace braid::ui
