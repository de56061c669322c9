#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/common/colour_map.h"
#include "widgets/common/format.h"
#include "widgets/common/mixer_style.h"
#include "widgets/common/theme.h"
#include "widgets/probe/layer_map_view.h"
#include "widgets/probe/map_metrics.h"

namespace braid::ui {

using namespace map_metrics;

namespace {

QFont themeFont(TypeStep step, int weight = 400) { return Theme::instance().font(step, weight); }

// At least `need` pixels between labels.
std::size_t every(double need, double room) { return std::size_t(std::max(1.0, std::ceil(need / room))); }

QString barText(const LayerMap& map, double value) {
    const double reach = std::max(std::abs(map.least), std::abs(map.most));
    const int decimals = reach >= 20 ? 0 : reach >= 2 ? 1 : reach >= 0.1 ? 2 : 3;
    const QString number = formatFixed(value, decimals);
    return map.isSigned && value > 0 ? QLatin1Char('+') + number : number;
}

}  // namespace

QColor LayerMapView::fill(const LayerMap& map, double value) const {
    if (map.isSigned) return redBlue(value / map.most, tokens().dark ? dark_middle : light_middle);
    return cividis(map.share(value));
}

void LayerMapView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), tokens().surface);
    if (sections_.empty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t s = 0; s < shown_; ++s) {
        paintLabels(painter, s);
        paintSection(painter, s);
        paintBar(painter, s);
    }
    paintAxis(painter);
    for (std::size_t s = 0; s < shown_; ++s) paintTop(painter, s);
    paintRead(painter);
}

void LayerMapView::paintSection(QPainter& painter, std::size_t index) const {
    const Tokens& t = tokens();
    const Section& section = sections_[index];
    const LayerMap& map = section.map;
    for (std::size_t r = 0; r < map.rows.size(); ++r) {
        const LayerRow& row = map.rows[r];
        for (std::size_t l = 0; l < row.cells.size(); ++l) {
            if (row.cells[l].isOutside) continue;
            const QRectF area = cellRect({index, r, l});
            if (std::isfinite(row.cells[l].value)) {
                painter.fillRect(area, fill(map, row.cells[l].value));
            } else {
                painter.fillRect(area, t.sunken);
                painter.fillRect(area, QBrush(t.borderStrong, Qt::BDiagPattern));
            }
            const std::vector<LayerSpec>& layers = map.runs[row.source].layers;
            if (!byHead(section) && l < layers.size())
                paintLayer(painter, QRectF(area.left(), area.bottom() + 0.5, area.width(), strip), layers[l]);
        }
    }
    // Heads of another run than that of the axis have layers of their own.
    const MeasuredRun* axis = axisRun();
    if (!byHead(section) || map.rows.empty() || (axis && axis->run == map.runs.front().run)) return;
    const std::vector<LayerSpec>& layers = map.runs.front().layers;
    for (std::size_t l = 0; l < std::min(layers.size(), map.rows.back().cells.size()); ++l) {
        const QRectF area = cellRect({index, map.rows.size() - 1, l});
        paintLayer(painter, QRectF(area.left(), area.bottom() + 1, area.width(), strip), layers[l]);
    }
}

void LayerMapView::paintLabels(QPainter& painter, std::size_t index) const {
    const Tokens& t = tokens();
    const Section& section = sections_[index];
    const Layout& layout = layouts_[index];
    painter.setPen(t.text1);
    painter.setFont(themeFont(TypeStep::table, 600));
    const QRectF line(0, layout.top, width(), title_height - 2);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, section.title);
    const double after = painter.fontMetrics().horizontalAdvance(section.title) + 8;
    painter.setFont(themeFont(TypeStep::tick));
    painter.setPen(t.text3);
    const bool named = !section.map.top.empty() && topLabels(index) == TopLabels::inTitle;
    const QString note = named ? topText(index) + QStringLiteral("; ") + section.note : section.note;
    painter.drawText(line.adjusted(after, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(note, Qt::ElideRight, int(line.width() - after)));

    if (byHead(section)) {
        const std::size_t step = every(painter.fontMetrics().height() + 2, layout.pitch);
        painter.setPen(t.text2);
        for (std::size_t r = 0; r < section.map.rows.size(); r += step)
            painter.drawText(labelRect(index, r).adjusted(0, -4, 0, 4), Qt::AlignRight | Qt::AlignVCenter,
                             section.map.rows[r].label);
        painter.drawText(QRectF(0, layout.rows - 2, 60, 18), Qt::AlignLeft | Qt::AlignVCenter,
                         section.map.rowName);
        return;
    }
    for (std::size_t r = 0; r < section.map.rows.size(); ++r) {
        const MeasuredRun& run = section.map.runs[section.map.rows[r].source];
        const bool current = run.run == current_ && section.map.runs.size() > 1;
        const QRectF label = labelRect(index, r);
        if (current) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(t.selection);
            painter.drawRoundedRect(
                QRectF(0, label.top() - 2, width() - right_room + 2, layout.row + strip + 4),
                metrics::radiusCell, metrics::radiusCell);
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(runColour(run.colour, t));
        painter.drawEllipse(QPointF(9, label.center().y()), 3.5, 3.5);
        painter.setFont(themeFont(TypeStep::table, current ? 600 : 400));
        painter.setPen(t.text1);
        const std::string& mixer = section.map.rows[r].mixer;
        const QRectF room = label.adjusted(20, -3, mixer.empty() ? 0 : -20, 3);
        if (!mixer.empty())
            paintBadge(painter, QRectF(label.right() - 16, label.center().y() - 8, 16, 17), mixer);
        painter.setPen(t.text1);
        painter.drawText(
            room, Qt::AlignLeft | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(section.map.rows[r].label, Qt::ElideMiddle, int(room.width())));
    }
}

void LayerMapView::paintBar(QPainter& painter, std::size_t index) const {
    const Tokens& t = tokens();
    const LayerMap& map = sections_[index].map;
    const Layout& layout = layouts_[index];
    const double last = layout.rows + layout.pitch * double(map.rows.size()) - (layout.pitch - layout.row);
    const QRectF bar(width() - right_room + bar_gap, layout.rows, bar_width, last - layout.rows);
    for (int y = 0; y < int(bar.height()); ++y) {
        const double value = map.least + (map.most - map.least) * y / std::max(1.0, bar.height() - 1);
        painter.fillRect(QRectF(bar.left(), bar.bottom() - y - 1, bar.width(), 1.2), fill(map, value));
    }
    painter.setPen(t.text2);
    painter.setFont(themeFont(TypeStep::tick));
    const bool short_bar = bar.height() < 36;
    for (const double part : {0.0, 0.5, 1.0}) {
        if (part == 0.5 && short_bar) continue;
        const double y = std::clamp(bar.bottom() - bar.height() * part, bar.top() + 5, bar.bottom() - 4);
        QString text = barText(map, map.least + (map.most - map.least) * part);
        if (part == 1 && map.unit == "%") text += QStringLiteral(" %");  // other units stand in the title
        painter.drawText(QRectF(bar.right() + 4, y - 8, right_room, 16), Qt::AlignLeft | Qt::AlignVCenter,
                         text);
    }
}

// The value stands in its own cell where it fits; else beside the ring, where a map has rows enough not to be
// covered by it; else in the title.
LayerMapView::TopLabels LayerMapView::topLabels(std::size_t index) const {
    const LayerMap& map = sections_[index].map;
    const Layout& layout = layouts_[index];
    int widest = 0;
    const QFontMetrics metrics(themeFont(TypeStep::tick, 600));
    for (const auto& [row, layer] : map.top)
        widest = std::max(
            widest, metrics.horizontalAdvance(measuredText(map.rows[row].cells[layer].value, map.unit)));
    if (columnWidth() - 1 >= widest + 4 && layout.row >= metrics.height() - 2) return TopLabels::inCell;
    return double(map.rows.size()) * layout.pitch >= least_boxed_height ? TopLabels::beside
                                                                        : TopLabels::inTitle;
}

QString LayerMapView::topText(std::size_t index) const {
    const LayerMap& map = sections_[index].map;
    QStringList texts;
    for (const auto& [row, layer] : map.top)
        texts << QStringLiteral("%1 %2").arg(headText(layer, row),
                                             measuredText(map.rows[row].cells[layer].value, map.unit));
    return texts.join(QStringLiteral(", "));
}

void LayerMapView::paintTop(QPainter& painter, std::size_t index) const {
    const Tokens& t = tokens();
    const LayerMap& map = sections_[index].map;
    const TopLabels labels = topLabels(index);
    painter.setFont(themeFont(TypeStep::tick, 600));
    std::vector<QRectF> taken;
    for (const auto& [row, layer] : map.top) {
        const QRectF cell = cellRect({index, row, layer});
        const double value = map.rows[row].cells[layer].value;
        painter.setBrush(Qt::NoBrush);
        if (labels != TopLabels::beside) {
            const QRectF ring = cell.adjusted(1.5, 1.5, -1.5, -1.5);
            painter.setPen(QPen(t.surface, 4));
            painter.drawRoundedRect(ring, metrics::radiusField, metrics::radiusField);
            painter.setPen(QPen(t.mark, 2.2));
            painter.drawRoundedRect(ring, metrics::radiusField, metrics::radiusField);
            if (labels == TopLabels::inTitle) continue;
            painter.setPen(strongestOn(fill(map, value)));
            painter.drawText(cell, Qt::AlignCenter, measuredText(value, map.unit));
            continue;
        }
        const double radius = std::clamp(std::min(cell.width(), cell.height()) / 2 + 3, 7.0, 12.0);
        painter.setPen(QPen(t.surface, 5));
        painter.drawEllipse(cell.center(), radius, radius);
        painter.setPen(QPen(t.mark, 2.2));
        painter.drawEllipse(cell.center(), radius, radius);
        const QString text =
            QStringLiteral("%1  %2").arg(headText(layer, row), measuredText(value, map.unit));
        const double width = painter.fontMetrics().horizontalAdvance(text) + 12;
        QRectF box(cell.center().x() + radius + 5, cell.center().y() - 9, width, 18);
        if (box.right() > columnLeft() + columnWidth() * double(layers_) + 4)
            box.moveRight(cell.center().x() - radius - 5);
        for (const QRectF& other : taken)
            if (other.intersects(box))
                box.moveTop(box.top() < other.top() ? other.top() - 20 : other.bottom() + 2);
        taken.push_back(box);
        painter.setPen(QPen(t.borderStrong, 1));
        painter.setBrush(t.raised);
        painter.drawRoundedRect(box, metrics::radiusCell, metrics::radiusCell);
        painter.setPen(t.text1);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

void LayerMapView::paintAxis(QPainter& painter) const {
    const Tokens& t = tokens();
    const MeasuredRun* run = axisRun();
    const auto now = read();
    painter.setPen(t.text2);
    painter.setFont(themeFont(TypeStep::tick));
    painter.drawText(QRectF(0, axis_, columnLeft(), 18), Qt::AlignLeft | Qt::AlignVCenter, tr("mixer"));
    painter.drawText(QRectF(0, axis_ + 20, columnLeft(), 18), Qt::AlignLeft | Qt::AlignVCenter, tr("layer"));
    const std::size_t step =
        every(painter.fontMetrics().horizontalAdvance(QString::number(layers_)) + 6, columnWidth());
    for (std::size_t l = 0; l < layers_; ++l) {
        const QRectF area(columnLeft() + columnWidth() * double(l), axis_, columnWidth() - 1, 17);
        if (run && l < run->layers.size()) {
            const std::vector<HeadGroup>& groups = run->layers[l].groups;
            paintLayer(painter, area, run->layers[l]);
            const double share = area.width() / double(std::max<std::size_t>(1, groups.size()));
            for (std::size_t g = 0; g < groups.size() && share >= 10; ++g)
                paintBadge(painter, QRectF(area.left() + share * (double(g) + 0.5) - 8, area.top(), 16, 17),
                           groups[g].mixer);
        }
        const bool read_here = now && now->layer == l;
        if (l % step != 0 && !read_here) continue;
        painter.setFont(themeFont(TypeStep::tick, read_here ? 600 : 400));
        painter.setPen(read_here ? t.text1 : t.text2);
        painter.drawText(QRectF(area.center().x() - 20, axis_ + 20, 40, 18), Qt::AlignCenter,
                         QString::number(l));
    }
}

void LayerMapView::paintRead(QPainter& painter) const {
    const auto place = read();
    if (!place || !exists(*place)) return;
    const Tokens& t = tokens();
    const QRectF area = cellRect(*place);
    painter.setBrush(Qt::NoBrush);
    // Seen on any colour: the ink ring of the theme within one of its opposite.
    painter.setPen(QPen(t.surface, 4));
    painter.drawRect(area);
    painter.setPen(QPen(held_ ? t.mark : t.ink, 2));
    painter.drawRect(area);
}

}  // namespace braid::ui
