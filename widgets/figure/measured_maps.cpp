#include "widgets/figure/measured_maps.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/number_format.h"
#include "widgets/common/colour_map.h"
#include "widgets/common/theme.h"
#include "widgets/figure/paper_strip.h"

namespace braid::ui {

namespace {

constexpr double run_weight = 2, head_weight = 1, bar_weight = 1.5, strip_share = 0.2;
constexpr double tallest_bar_mm = 3.2, head_strip_mm = 1.5;

QColor fill(const LayerMap& map, double value) {
    return map.isSigned ? redBlue(value / map.most, light_middle) : cividis(map.share(value));
}

// Strokes rather than textures of painters, which do not survive in every file format, and no clipping.
void hatch(FigureCanvas& canvas, const QRectF& cell) {
    canvas.rectangle(cell, QColor(0xf1, 0xf3, 0xf6));
    const double step = FigureCanvas::mm(0.9);
    for (double c = cell.left() - cell.height() + step; c < cell.right(); c += step) {
        // From the lower left to the upper right along x - left = c + rise.
        const double begin = std::max(0.0, cell.left() - c), end = std::min(cell.height(), cell.right() - c);
        if (begin < end)
            canvas.line({c + begin, cell.bottom() - begin}, {c + end, cell.bottom() - end},
                        QColor(0x9a, 0xa2, 0xb0), 0.3);
    }
}

QString scaleText(const LayerMap& map, double value) {
    const double reach = std::max(std::abs(map.least), std::abs(map.most));
    const QString text = QString::fromStdString(format_fixed(value, reach >= 20    ? 0
                                                                    : reach >= 2   ? 1
                                                                    : reach >= 0.1 ? 2
                                                                                   : 3));
    return map.isSigned && value > 0 ? QLatin1Char('+') + text : text;
}

// "head 0" and then numbers alone; "SWA-128, full" where rows are by kind of layer.
QString labelOf(const LayerMap& map, std::size_t row) {
    const LayerRow& one = map.rows[row];
    if (!one.mixer.empty()) return one.label + QStringLiteral(", ") + QString::fromStdString(one.mixer);
    return !map.rowName.isEmpty() && row == 0 ? map.rowName + QLatin1Char(' ') + one.label : one.label;
}

}  // namespace

void MeasuredMaps::addMap(const QString& title, LayerMap map) {
    if (map.isEmpty()) return;
    panels_.push_back({.title = title, .map = std::move(map)});
}

void MeasuredMaps::addBars(const QString& title, const std::vector<MeasuredRun>& runs,
                           const std::string& array) {
    Panel panel{.title = title, .map = {}, .runs = runs, .bars = measuredBars(runs, array)};
    if (panel.bars.empty()) return;
    const MeasuredArray& first = *runs.front().record->find(array);
    panel.unit = first.unit;
    panel.title += QStringLiteral(", horizon %1 tokens").arg(tickText(first.axes[0].ticks.front()));
    panels_.push_back(std::move(panel));
}

void MeasuredMaps::addNote(const QString& text) { panels_.push_back({.title = text}); }

double MeasuredMaps::weight(const Panel& panel) {
    return double(panel.map.rows.size()) * (panel.map.rowName.isEmpty() ? run_weight : head_weight) +
           double(panel.bars.size()) * bar_weight;
}

void MeasuredMaps::draw() {
    FigureFacts& facts = canvas_.facts();
    facts.fewest_seeds = 1;
    const double line = canvas_.textHeight();
    double left = 0, all = 0;
    const Panel* last_map = nullptr;
    for (const Panel& panel : panels_) {
        for (std::size_t r = 0; r < panel.map.rows.size(); ++r)
            left = std::max(left, canvas_.textWidth(labelOf(panel.map, r)));
        for (const MeasuredBar& bar : panel.bars)
            left = std::max(left,
                            canvas_.textWidth(panel.runs[bar.source].name + QStringLiteral(", ") + bar.what));
        all += weight(panel);
        if (!panel.map.isEmpty()) last_map = &panel;
        facts.series += int(panel.map.runs.size() + panel.runs.size());
    }
    facts.legend_entries = facts.series;
    left = std::min(std::max(left, canvas_.textWidth(QStringLiteral("layer"))) + FigureCanvas::mm(1.5),
                    canvas_.page().width() * 0.35);
    const double right = canvas_.textWidth(QStringLiteral("+0.000 tokens")) + FigureCanvas::mm(4.5);
    const double title = line * 1.7, gap = line * 0.7, axis = last_map ? line * 1.4 : 0;
    const double room = canvas_.page().height() - axis - double(panels_.size()) * (title + gap);
    double y = 0;
    for (const Panel& panel : panels_) {
        canvas_.text({0, y + line * 0.7}, panel.title, TextAnchor::left, 600);
        const double height = all > 0 ? std::max(0.0, room * weight(panel) / all) : 0;
        const QRectF area(left, y + title, canvas_.page().width() - left - right, height);
        if (!panel.map.isEmpty()) drawMap(panel, area);
        if (!panel.bars.empty()) drawBars(panel, area);
        if (&panel == last_map) {
            drawAxis(panel, area);
            y += axis;
        }
        y += title + height + gap;
    }
}

void MeasuredMaps::drawMap(const Panel& panel, const QRectF& area) {
    const LayerMap& map = panel.map;
    const bool heads = !map.rowName.isEmpty();
    const bool striped = heads && !map.runs.front().layers.empty();
    const double pitch =
        (area.height() - (striped ? FigureCanvas::mm(head_strip_mm) : 0)) / double(map.rows.size());
    const double column = area.width() / double(std::max<std::size_t>(1, map.layers()));
    if (striped)
        drawPaperStrip(canvas_,
                       {area.left(), area.bottom() - FigureCanvas::mm(head_strip_mm - 0.3), area.width(),
                        FigureCanvas::mm(head_strip_mm - 0.3)},
                       map.runs.front().layers);
    const double gap = std::min(FigureCanvas::mm(0.15), column * 0.1);
    const double tall = heads ? pitch - gap : pitch * (1 - strip_share) - FigureCanvas::mm(0.5);
    const auto skip = std::size_t(std::max(1.0, std::ceil(canvas_.textHeight() * 0.95 / pitch)));
    for (std::size_t r = 0; r < map.rows.size(); ++r) {
        const LayerRow& row = map.rows[r];
        const double top = area.top() + pitch * double(r);
        if (r % skip == 0)
            canvas_.text({area.left() - FigureCanvas::mm(1), top + tall / 2}, labelOf(map, r),
                         TextAnchor::right);
        for (std::size_t l = 0; l < row.cells.size(); ++l) {
            if (row.cells[l].isOutside) continue;
            const QRectF cell(area.left() + column * double(l), top, column - gap, tall);
            if (!std::isfinite(row.cells[l].value)) {
                hatch(canvas_, cell);
                ++canvas_.facts().missing;
                continue;
            }
            ++canvas_.facts().points;
            canvas_.rectangle(cell, fill(map, row.cells[l].value));
        }
        if (!heads && !map.runs[row.source].layers.empty())
            drawPaperStrip(canvas_,
                           {area.left(), top + tall + FigureCanvas::mm(0.15),
                            column * double(map.runs[row.source].layers.size()) - gap, pitch * strip_share},
                           map.runs[row.source].layers);
    }
    drawTop(panel, area, pitch, column);
    drawScale(panel, area);
}

void MeasuredMaps::drawTop(const Panel& panel, const QRectF& area, double pitch, double column) {
    const LayerMap& map = panel.map;
    for (const auto& [row, layer] : map.top) {
        const QPointF centre(area.left() + column * (double(layer) + 0.5),
                             area.top() + pitch * (double(row) + 0.5));
        const double radius =
            FigureCanvas::mm(std::clamp(std::min(pitch, column) * 0.6 / FigureCanvas::mm(1), 1.1, 2.0));
        QPainter& painter = canvas_.painter();
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(Qt::white, FigureCanvas::pt(1.8)));
        painter.drawEllipse(centre, radius, radius);
        painter.setPen(QPen(lightTokens().mark, FigureCanvas::pt(0.9)));
        painter.drawEllipse(centre, radius, radius);
        const QString text = QStringLiteral("%1  %2").arg(
            headText(layer, row), measuredText(map.rows[row].cells[layer].value, map.unit));
        const double width = canvas_.textWidth(text) + FigureCanvas::mm(1.2),
                     height = canvas_.textHeight() * 1.1;
        QRectF box(centre.x() + radius + FigureCanvas::mm(0.6), centre.y() - height / 2, width, height);
        if (box.right() > area.right()) box.moveRight(centre.x() - radius - FigureCanvas::mm(0.6));
        canvas_.rectangle(box, QColor(255, 255, 255, 235));
        canvas_.text(box.center(), text, TextAnchor::centre);
    }
}

void MeasuredMaps::drawScale(const Panel& panel, const QRectF& area) {
    constexpr int bands = 48;
    const LayerMap& map = panel.map;
    const QRectF bar(area.right() + FigureCanvas::mm(1.5), area.top(), FigureCanvas::mm(2), area.height());
    const double height = bar.height() / bands;
    for (int i = 0; i < bands;
         ++i)  // each reaches a little into the next: no light between them in any viewer
        canvas_.rectangle(
            {bar.left(), bar.bottom() - height * (i + 1), bar.width(), height * (i == 0 ? 1.0 : 1.3)},
            fill(map, map.least + (map.most - map.least) * (i + 0.5) / bands));
    const double inset = canvas_.textHeight() * 0.4;
    for (const double part : {0.0, 0.5, 1.0}) {
        if (part == 0.5 && bar.height() < 3.2 * canvas_.textHeight()) continue;
        QString text = scaleText(map, map.least + (map.most - map.least) * part);
        if (part == 1 && !map.unit.empty()) text += QLatin1Char(' ') + QString::fromStdString(map.unit);
        const double y =
            std::clamp(bar.bottom() - bar.height() * part, bar.top() + inset, bar.bottom() - inset);
        canvas_.text({bar.right() + FigureCanvas::mm(0.8), y}, text);
    }
}

void MeasuredMaps::drawAxis(const Panel& panel, const QRectF& area) {
    const std::size_t layers = panel.map.layers();
    const double column = area.width() / double(std::max<std::size_t>(1, layers));
    const double need = canvas_.textWidth(QString::number(layers)) + FigureCanvas::mm(0.8);
    const auto skip = std::size_t(std::max(1.0, std::ceil(need / column)));
    double y = area.bottom() + canvas_.textHeight() * 0.8;
    canvas_.text({area.left() - FigureCanvas::mm(1), y}, QStringLiteral("layer"), TextAnchor::right);
    for (std::size_t l = 0; l < layers; l += skip)
        canvas_.text({area.left() + column * (double(l) + 0.5), y}, QString::number(l), TextAnchor::centre);
}

void MeasuredMaps::drawBars(const Panel& panel, const QRectF& area) {
    double least = 0, most = 1e-12;
    for (const MeasuredBar& bar : panel.bars)
        for (const double value : {bar.value.value, bar.value.low, bar.value.high})
            if (std::isfinite(value)) {
                least = std::min(least, value);
                most = std::max(most, value);
            }
    const double pitch = area.height() / double(panel.bars.size());
    const auto x = [&](double value) {
        return area.left() + area.width() * (value - least) / (most - least);
    };
    const double tall = std::min(pitch * 0.6, FigureCanvas::mm(tallest_bar_mm));
    canvas_.line({x(0), area.top()}, {x(0), area.bottom()}, FigureCanvas::axisInk(), 0.4);
    for (std::size_t i = 0; i < panel.bars.size(); ++i) {
        const MeasuredBar& bar = panel.bars[i];
        const double middle = area.top() + pitch * (double(i) + 0.5);
        canvas_.text({area.left() - FigureCanvas::mm(1), middle},
                     panel.runs[bar.source].name + QStringLiteral(", ") + bar.what, TextAnchor::right);
        if (!std::isfinite(bar.value.value)) {
            ++canvas_.facts().missing;
            continue;
        }
        ++canvas_.facts().points;
        const double from = x(std::min(0.0, bar.value.value)), to = x(std::max(0.0, bar.value.value));
        LayerSpec layer;
        layer.groups.push_back({.mixer = bar.what.toStdString(), .heads = 1, .kv_heads = 1});
        drawPaperStrip(canvas_, {from, middle - tall / 2, std::max(FigureCanvas::mm(0.3), to - from), tall},
                       {layer});
        double after = to;
        if (std::isfinite(bar.value.low) && std::isfinite(bar.value.high)) {
            canvas_.line({x(bar.value.low), middle}, {x(bar.value.high), middle}, FigureCanvas::ink(), 0.6);
            after = std::max(after, x(bar.value.high));
        }
        canvas_.text({after + FigureCanvas::mm(0.8), middle},
                     measuredText(bar.value.value, panel.unit, true));
    }
}

}  // namespace braid::ui
