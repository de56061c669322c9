// What a ScalingPlot says: names of the scales, legend, and the point that is read.
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/common/mixer_style.h"
#include "widgets/scaling/scaling_plot.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

namespace {

constexpr std::size_t most_named_curves = 10;
constexpr double row_height = 18;

}  // namespace

void ScalingPlot::paintScaleNames(QPainter& painter) const {
    if (options_.compact) return;
    const std::vector<ScalingViewScale>& scales = content_->view.scales;
    struct Name {
        double y = 0;
        std::size_t scale = 0, lines = 0;
        double x = 0;
    };
    std::vector<Name> names(scales.size());
    for (const ScalingLine& line : content_->lines) {
        if (!options_.shows(line.curve, line.scale)) continue;
        Name& name = names[line.scale];
        name.scale = line.scale;
        name.y += yOf(line.loss.back());
        name.x = std::max(name.x, xOf(along(line.parameters, line.tokens.back())));
        ++name.lines;
    }
    std::erase_if(names, [](const Name& name) { return name.lines == 0; });
    for (Name& name : names) name.y /= double(name.lines);
    std::sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.y < b.y; });
    const double gap = 14;
    for (std::size_t i = 1; i < names.size(); ++i) names[i].y = std::max(names[i].y, names[i - 1].y + gap);
    for (std::size_t i = names.size(); i-- > 1;) {
        names[i].y = std::min(names[i].y, area_.bottom() - 4 - gap * double(names.size() - 1 - i));
        names[i - 1].y = std::min(names[i - 1].y, names[i].y - gap);
    }
    painter.setFont(Theme::instance().font(TypeStep::tick, 600));
    const QFontMetricsF letters(painter.font());
    for (const Name& name : names) {
        const double left = std::min(name.x, area_.right()) + 6;
        const QString text = scaleText(scales[name.scale]);
        // Lines of larger scales may go on beneath it.
        QPainterPath outline;
        outline.addText(left, name.y + letters.capHeight() / 2, painter.font(), text);
        QColor halo = tokens().surface;
        halo.setAlphaF(0.85F);
        painter.strokePath(outline, QPen(halo, 4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setPen(tokens().text1);
        painter.drawText(QRectF(left, name.y - 8, width() - left - 2, 16), Qt::AlignLeft | Qt::AlignVCenter,
                         text);
    }
}

// Where the fewest points and lines lie beneath a box.
QRectF ScalingPlot::emptiestCorner(const QSizeF& size) const {
    const QRectF inside = area_.adjusted(8, 8, -8, -8);
    const QRectF corners[] = {
        {inside.right() - size.width(), inside.top(), size.width(), size.height()},
        {inside.left(), inside.bottom() - size.height(), size.width(), size.height()},
        {inside.left(), inside.top(), size.width(), size.height()},
        {inside.right() - size.width(), inside.bottom() - size.height(), size.width(), size.height()}};
    QRectF best = corners[0];
    std::size_t fewest = SIZE_MAX;
    for (const QRectF& corner : corners) {
        std::size_t count = 0;
        for (const int point : order_) count += corner.contains(places_[std::size_t(point)]) ? 3 : 0;
        for (const ScalingLine& line : content_->lines)
            if (options_.shows(line.curve, line.scale))
                for (std::size_t i = 0; i < line.tokens.size(); i += 4)
                    count += corner.contains(
                        QPointF(xOf(along(line.parameters, line.tokens[i])), yOf(line.loss[i])));
        if (count < fewest) {
            fewest = count;
            best = corner;
        }
    }
    return best;
}

void ScalingPlot::paintLegend(QPainter& painter) const {
    if (options_.compact) return;
    const Tokens& t = tokens();
    const ScalingView& view = content_->view;
    struct Entry {
        enum Kind { curve, scale, dashed, band, cross } kind;
        std::size_t index;
        QString text;
    };
    std::vector<Entry> left, right, beneath;
    std::vector<bool> shown_curves(view.curves.size()), shown_scales(view.scales.size());
    std::vector<bool> held_out(view.scales.size(), true);
    std::size_t excluded = 0;
    for (const int index : order_) {
        const ScalingViewPoint& point = view.points[std::size_t(index)];
        shown_curves[point.curve] = shown_scales[point.scale] = true;
        if (point.use != PointUse::held_out) held_out[point.scale] = false;
        excluded += point.use == PointUse::excluded;
    }
    for (std::size_t i = 0; i < view.curves.size(); ++i)
        if (shown_curves[i]) left.push_back({Entry::curve, i, QString::fromStdString(view.curves[i].name)});
    if (left.size() > most_named_curves) left.clear();  // the table of coefficients names them
    for (std::size_t i = 0; i < view.scales.size(); ++i)
        if (shown_scales[i]) {
            const QString name = QString::fromStdString(view.scales[i].name);
            right.push_back({Entry::scale, i, held_out[i] ? tr("%1 held out").arg(name) : name});
        }
    if (right.size() > most_named_curves) right.clear();
    const auto beyond =
        std::any_of(content_->lines.begin(), content_->lines.end(), [&](const ScalingLine& line) {
            return options_.shows(line.curve, line.scale) &&
                   std::find(line.extrapolated.begin(), line.extrapolated.end(), 1) !=
                       line.extrapolated.end();
        });
    if (beyond) beneath.push_back({Entry::dashed, 0, tr("extrapolated")});
    const bool banded = std::any_of(content_->lines.begin(), content_->lines.end(),
                                    [](const ScalingLine& line) { return !line.low.empty(); });
    if (banded) beneath.push_back({Entry::band, 0, tr("90 % band")});
    if (excluded > 0) beneath.push_back({Entry::cross, 0, tr("excluded, %1").arg(excluded)});
    if (left.empty() && right.empty()) return;

    painter.setFont(Theme::instance().font(TypeStep::tick, 500));
    const QFontMetrics metrics = painter.fontMetrics();
    constexpr double sample = 26, gap = 14, pad = 10;
    const auto wide = [&](const std::vector<Entry>& entries) {
        double most = 0;
        for (const Entry& entry : entries)
            most = std::max(most, sample + double(metrics.horizontalAdvance(entry.text)));
        return most;
    };
    const std::size_t columns = left.size() > 2 ? 2 : 1;
    const std::size_t scale_columns = right.size() > 2 ? 2 : 1;
    const double curve_width = std::min(wide(left), 150.0), scale_width = wide(right);
    const std::size_t rows =
        std::max((left.size() + columns - 1) / columns, (right.size() + scale_columns - 1) / scale_columns);
    double last = 0;
    for (const Entry& entry : beneath) last += sample + metrics.horizontalAdvance(entry.text) + gap;
    const double above = (left.empty() ? 0 : double(columns) * (curve_width + gap)) +
                         (right.empty() ? 0 : double(scale_columns) * (scale_width + gap));
    const QSizeF size(std::max(above, last) + 2 * pad - gap,
                      double(rows) * row_height + (beneath.empty() ? 0 : row_height + 4) + 2 * pad - 8);
    if (size.width() > area_.width() * 0.75 || size.height() > area_.height() * 0.55) return;
    const QRectF box = emptiestCorner(size);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor ground = t.surface;
    ground.setAlphaF(0.92F);
    painter.setPen(t.border);
    painter.setBrush(ground);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), metrics::radiusCard, metrics::radiusCard);

    const auto draw = [&](const Entry& entry, double x, double y, double width) {
        const double middle = y + row_height / 2;
        switch (entry.kind) {
            case Entry::curve:
                painter.setPen(QPen(runColour(view.curves[entry.index].colour, t), 2));
                painter.drawLine(QPointF(x, middle), QPointF(x + 18, middle));
                break;
            case Entry::scale:
                paintScaleMark(painter, {x + 9, middle}, entry.index, 3.6, t.text2, held_out[entry.index],
                               t.surface);
                break;
            case Entry::dashed: {
                QPen pen(t.text2, 1.5, Qt::SolidLine, Qt::FlatCap);
                pen.setDashPattern({3, 2.3});
                painter.setPen(pen);
                painter.drawLine(QPointF(x, middle), QPointF(x + 18, middle));
                break;
            }
            case Entry::band: {
                QColor band = t.text2;
                band.setAlphaF(0.25F);
                painter.fillRect(QRectF(x, middle - 5, 18, 10), band);
                break;
            }
            case Entry::cross:
                painter.setPen(QPen(t.text3, 1.5));
                painter.drawLine(QPointF(x + 6, middle - 3.5), QPointF(x + 13, middle + 3.5));
                painter.drawLine(QPointF(x + 6, middle + 3.5), QPointF(x + 13, middle - 3.5));
        }
        painter.setPen(t.text1);
        painter.drawText(QRectF(x + sample, y, width - sample, row_height), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(entry.text, Qt::ElideRight, int(width - sample + 1)));
    };
    double x = box.left() + pad;
    const double top = box.top() + pad - 4;
    const auto fill = [&](const std::vector<Entry>& entries, std::size_t in_columns, double width) {
        if (entries.empty()) return;
        for (std::size_t i = 0; i < entries.size(); ++i)
            draw(entries[i], x + double(i % in_columns) * (width + gap),
                 top + double(i / in_columns) * row_height, width);
        x += double(in_columns) * (width + gap);
    };
    fill(left, columns, curve_width);
    fill(right, scale_columns, scale_width);
    double at = box.left() + pad;
    const double y = top + double(rows) * row_height + 4;
    for (const Entry& entry : beneath) {
        const double width = sample + metrics.horizontalAdvance(entry.text);
        draw(entry, at, y, width);
        at += width + gap;
    }
}

void ScalingPlot::paintReadout(QPainter& painter) const {
    const int shown = hovered_ >= 0 ? hovered_ : hasFocus() ? current_ : -1;
    const Tokens& t = tokens();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const int index : {current_, hovered_}) {
        const auto at = place(index);
        if (!at) continue;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.ink, index == current_ ? 2 : 1.3));
        painter.drawEllipse(*at, 7.5, 7.5);
        const double residual = content_->view.points[std::size_t(index)].log_residual;
        if (!residuals_.isEmpty() && std::isfinite(residual) && std::abs(residual) <= ranges_->residual)
            painter.drawEllipse(QPointF(at->x(), residualY(residual)), 6, 6);
    }
    const auto at = place(shown);
    if (!at) return;
    const QString said = textOf(shown);
    const qsizetype colon = said.indexOf(QStringLiteral(": "));
    const QString name = said.left(colon), rest = said.mid(colon + 2);
    const QFont bold = Theme::instance().font(TypeStep::table, 600);
    const QFont plain = Theme::instance().font(TypeStep::table);
    const double room = std::max(120.0, width() - 40.0);
    const double wide = std::min(room, std::max(double(QFontMetrics(bold).horizontalAdvance(name)),
                                                double(QFontMetrics(plain).horizontalAdvance(rest))));
    QRectF box(0, 0, wide + 20, 44);
    box.moveCenter({at->x() + box.width() / 2 + 16, at->y() - box.height() / 2 - 14});
    if (box.right() > width() - 4) box.moveRight(at->x() - 14);
    if (box.left() < 4) box.moveLeft(4);
    if (box.top() < 4) box.moveTop(at->y() + 14);
    painter.setPen(t.borderStrong);
    painter.setBrush(t.raised);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), metrics::radiusCard, metrics::radiusCard);
    painter.setPen(t.text1);
    painter.setFont(bold);
    painter.drawText(box.adjusted(10, 4, -8, -22), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(bold).elidedText(name, Qt::ElideMiddle, int(box.width() - 18)));
    painter.setPen(t.text2);
    painter.setFont(plain);
    painter.drawText(box.adjusted(10, 22, -8, -4), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(plain).elidedText(rest, Qt::ElideRight, int(box.width() - 18)));
}

void ScalingPlot::paintStill(QPainter& painter) {
    painter.fillRect(rect(), tokens().surface);
    if (!content_ || !ranges_) {
        if (options_.title.isEmpty()) return;
        painter.setPen(tokens().text3);
        painter.setFont(Theme::instance().font(TypeStep::table));
        painter.drawText(rect(), Qt::AlignCenter, tr("no points"));
        return;
    }
    paintAxes(painter);
    paintResidualAxes(painter);
    paintLines(painter);
    paintPoints(painter);
    paintResiduals(painter);
    paintScaleNames(painter);
    paintLegend(painter);
}

void ScalingPlot::paintEvent(QPaintEvent*) {
    const double ratio = devicePixelRatioF();
    if (!stillValid_ || still_.size() != size() * ratio) {
        still_ = QPixmap(size() * ratio);
        still_.setDevicePixelRatio(ratio);
        QPainter painter(&still_);
        paintStill(painter);
        stillValid_ = true;
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, still_);
    if (!content_ || !ranges_) return;
    paintReadout(painter);
    if (!hasFocus()) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(tokens().ink, 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), metrics::radiusField,
                            metrics::radiusField);
}

}  // namespace braid::ui
