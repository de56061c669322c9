#include "widgets/figure/measured_scatter.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/number_format.h"
#include "widgets/common/colour_map.h"

namespace braid::ui {

namespace {

constexpr double gap_mm = 4, bar_mm = 2, mark_mm = 0.75;
constexpr int bands = 48;

QString number(double value, int decimals) { return QString::fromStdString(format_fixed(value, decimals)); }

double depth(std::size_t layer, std::size_t layers) {
    return layers < 2 ? 0 : double(layer) / double(layers - 1);
}

struct Frame {
    QRectF area;
    double top = 1;  // of the entropy axis
    QPointF place(const HeadPoint& point) const {
        return {area.left() + area.width() * point.hit, area.bottom() - area.height() * point.entropy / top};
    }
};

void drawAxes(FigureCanvas& canvas, const Frame& frame, const QString& title, bool named) {
    const double line = canvas.textHeight();
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        const double x = frame.area.left() + frame.area.width() * part;
        const double y = frame.area.bottom() - frame.area.height() * part;
        canvas.line({x, frame.area.top()}, {x, frame.area.bottom()}, FigureCanvas::gridInk(), 0.4);
        canvas.line({frame.area.left(), y}, {frame.area.right(), y}, FigureCanvas::gridInk(), 0.4);
        if (part == 0.25 || part == 0.75) continue;
        canvas.text({x, frame.area.bottom() + line * 0.75}, number(part, 1), TextAnchor::centre);
        canvas.text({frame.area.left() - FigureCanvas::mm(0.8), y}, number(part * frame.top, 2),
                    TextAnchor::right);
    }
    canvas.line(frame.area.bottomLeft(), frame.area.bottomRight(), FigureCanvas::axisInk(), 0.5);
    canvas.line(frame.area.topLeft(), frame.area.bottomLeft(), FigureCanvas::axisInk(), 0.5);
    canvas.text({frame.area.left(), frame.area.top() - line * 0.9}, title, TextAnchor::left, 600);
    canvas.text({frame.area.center().x(), frame.area.bottom() + line * 1.8}, QStringLiteral("hit rate"),
                TextAnchor::centre);
    if (named)
        canvas.text({line * 0.5, frame.area.center().y()}, QStringLiteral("attention entropy"),
                    TextAnchor::centre, 400, FigureCanvas::ink(), true);
}

void drawDepth(FigureCanvas& canvas, const QRectF& bar, std::size_t layers) {
    const double height = bar.height() / bands;
    for (int i = 0; i < bands; ++i)
        canvas.rectangle(
            {bar.left(), bar.bottom() - height * (i + 1), bar.width(), height * (i == 0 ? 1.0 : 1.3)},
            cividis((i + 0.5) / bands));
    const double x = bar.right() + FigureCanvas::mm(0.8), inset = canvas.textHeight() * 0.4;
    canvas.text({x, bar.bottom() - inset}, QStringLiteral("0"));
    canvas.text({x, bar.top() + inset}, QString::number(std::max<std::size_t>(1, layers) - 1));
    canvas.text({x, bar.center().y()}, QStringLiteral("layer"));
}

}  // namespace

std::vector<HeadPoint> headPoints(const MeasurementRecord& record) {
    std::vector<HeadPoint> points;
    const MeasuredArray* hit = record.find("hit_rate");
    const MeasuredArray* entropy = record.find("entropy");
    if (!hit || !entropy || hit->axes.size() != 2 || entropy->values.size() != hit->values.size())
        return points;
    const std::size_t heads = hit->axes[1].ticks.size();
    for (std::size_t i = 0; i < hit->values.size(); ++i)
        if (std::isfinite(hit->values[i]) && std::isfinite(entropy->values[i]))
            points.push_back({i / heads, i % heads, hit->values[i], entropy->values[i]});
    return points;
}

void drawHeadScatter(FigureCanvas& canvas, const std::vector<MeasuredRun>& runs) {
    std::size_t layers = 1;
    double top = 1;
    for (const MeasuredRun& run : runs) {
        const MeasuredArray* hit = run.record->find("hit_rate");
        if (hit) layers = std::max(layers, hit->axes[0].ticks.size());
        for (const HeadPoint& point : headPoints(*run.record)) top = std::max(top, point.entropy);
    }
    const double line = canvas.textHeight();
    const double left = line * 1.2 + canvas.textWidth(QStringLiteral("0.00")) + FigureCanvas::mm(1);
    const double right = FigureCanvas::mm(bar_mm + 2.5) + canvas.textWidth(QStringLiteral("layer"));
    const double between = FigureCanvas::mm(gap_mm) + canvas.textWidth(QStringLiteral("0.00"));
    const auto count = double(std::max<std::size_t>(1, runs.size()));
    const double width = (canvas.page().width() - left - right - between * (count - 1)) / count;
    const double height = canvas.page().height() - line * 4.2;
    canvas.facts().fewest_seeds = 1;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const Frame frame{{left + (width + between) * double(i), line * 1.7, width, height}, top};
        drawAxes(canvas, frame, runs[i].name, i == 0);
        ++canvas.facts().series;
        for (const HeadPoint& point : headPoints(*runs[i].record)) {
            // A light ring keeps points apart that lie on each other.
            canvas.marker(frame.place(point), 0, Qt::white, FigureCanvas::mm(mark_mm + 0.12));
            canvas.marker(frame.place(point), 0, cividis(depth(point.layer, layers)),
                          FigureCanvas::mm(mark_mm));
            ++canvas.facts().points;
        }
    }
    canvas.facts().legend_entries = canvas.facts().series;
    drawDepth(
        canvas,
        {canvas.page().width() - right + FigureCanvas::mm(1.5), line * 1.7, FigureCanvas::mm(bar_mm), height},
        layers);
}

}  // namespace braid::ui
