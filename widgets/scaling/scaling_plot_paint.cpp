// How a ScalingPlot looks: axes, bands, lines and points.
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/common/format.h"
#include "widgets/common/mixer_style.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/scaling/scaling_plot.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

namespace {

constexpr double mark_radius = 3.6, small_radius = 2.8;
constexpr int most_bands = 80;  // beyond, bands would hide one another

QPen linePen(const QColor& colour, double width, bool dashed) {
    QPen pen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    if (dashed) pen.setDashPattern({4 / width * 1.2, 3 / width * 1.2});
    return pen;
}

QColor faint(QColor colour, double share) {
    colour.setAlphaF(float(share));
    return colour;
}

// Losses span less than a decade as a rule: powers of ten would leave one tick.
std::vector<double> lossTicks(AxisRange range) {
    if (range.upper / range.lower > 30) {
        std::vector<double> values;
        for (const Tick& tick : make_ticks({AxisScale::log}, range, {.target = 6}).major)
            values.push_back(tick.value);
        return values;
    }
    for (const std::vector<double>& steps :
         {std::vector<double>{1, 2, 5}, std::vector<double>{1, 1.5, 2, 3, 4, 6, 8},
          std::vector<double>{1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}}) {
        std::vector<double> values;
        for (int power = -6; power < 9; ++power)
            for (const double step : steps)
                if (const double value = step * std::pow(10, power);
                    value >= range.lower && value <= range.upper)
                    values.push_back(value);
        if (values.size() >= 4) return values;
    }
    std::vector<double> values;
    for (const Tick& tick : make_ticks({AxisScale::linear}, range, {.target = 5}).major)
        values.push_back(tick.value);
    return values;
}

}  // namespace

void paintScaleMark(QPainter& painter, const QPointF& place, std::size_t scale, double radius,
                    const QColor& colour, bool hollow, const QColor& ground) {
    painter.setPen(QPen(hollow ? colour : ground, hollow ? 1.5 : 0.8));
    painter.setBrush(hollow ? ground : colour);
    const auto polygon = [&](int corners, double turn, double size) {
        QPolygonF shape;
        for (int i = 0; i < corners; ++i) {
            const double angle = 2 * M_PI * i / corners + turn;
            shape << place + QPointF(std::sin(angle), -std::cos(angle)) * size;
        }
        painter.drawPolygon(shape);
    };
    switch (scale % 6) {
        case 0:
            painter.drawEllipse(place, radius, radius);
            break;
        case 1:
            polygon(4, M_PI / 4, radius * 1.25);
            break;
        case 2:
            polygon(3, 0, radius * 1.35);
            break;
        case 3:
            polygon(4, 0, radius * 1.35);
            break;
        case 4:
            polygon(3, M_PI, radius * 1.35);
            break;
        default:
            polygon(5, 0, radius * 1.2);
    }
}

const QPixmap& ScalingPlot::sprite(int colour, std::size_t shape, PointUse use) {
    QPixmap& pixmap = sprites_[{colour, shape % 6, int(use)}];
    if (!pixmap.isNull()) return pixmap;
    const double ratio = devicePixelRatioF();
    constexpr int side = 14;
    pixmap = QPixmap(QSize(side, side) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    const QPointF middle(side / 2.0, side / 2.0);
    if (use == PointUse::excluded) {
        painter.setPen(QPen(tokens().text3, 1.5));
        painter.drawLine(middle + QPointF(-3.5, -3.5), middle + QPointF(3.5, 3.5));
        painter.drawLine(middle + QPointF(-3.5, 3.5), middle + QPointF(3.5, -3.5));
    } else {
        paintScaleMark(painter, middle, shape, mark_radius, runColour(colour, tokens()),
                       use == PointUse::held_out, tokens().surface);
    }
    return pixmap;
}

void ScalingPlot::paintAxes(QPainter& painter) const {
    const Tokens& t = tokens();
    const Ticks ticks = make_ticks({AxisScale::log}, ranges_->x, {.target = options_.compact ? 3 : 6});
    const double bottom = residuals_.isEmpty() ? area_.bottom() : residuals_.bottom();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(Theme::instance().font(TypeStep::tick));
    double last_label = -1e9;
    const auto label = [&](double x, double value) {
        const QString words = formatSi(value);
        const double width = painter.fontMetrics().horizontalAdvance(words);
        if (x - width / 2 < last_label + 8) return;
        last_label = x + width / 2;
        painter.setPen(t.text2);
        painter.drawText(QRectF(x - 40, bottom + 5, 80, 15), Qt::AlignHCenter | Qt::AlignTop, words);
    };
    // Between the powers of ten also 3, where there are few of them.
    std::vector<double> values;
    for (const Tick& tick : ticks.major) values.push_back(tick.value);
    if (values.size() < 4)
        for (const Tick& tick : ticks.minor)
            if (const double head = tick.value / std::pow(10, std::floor(std::log10(tick.value)));
                std::abs(head - 3) < 0.01 || (values.size() < 2 && std::abs(head - 2) < 0.01) ||
                (values.size() < 2 && std::abs(head - 5) < 0.01))
                values.push_back(tick.value);
    std::sort(values.begin(), values.end());
    for (const double value : values) {
        const double x = std::round(xOf(value));
        painter.setPen(t.grid);
        painter.drawLine(QPointF(x, area_.top()), QPointF(x, area_.bottom()));
        if (!residuals_.isEmpty())
            painter.drawLine(QPointF(x, residuals_.top()), QPointF(x, residuals_.bottom()));
        painter.setPen(t.axis);
        painter.drawLine(QPointF(x, bottom), QPointF(x, bottom + 4));
        label(x, value);
    }
    painter.setPen(t.axis);
    for (const Tick& tick : ticks.minor) {
        const double x = std::round(xOf(tick.value));
        painter.drawLine(QPointF(x, bottom), QPointF(x, bottom + 2));
    }
    double last_y = 1e9;
    for (const double value : lossTicks(ranges_->y)) {
        const double y = std::round(yOf(value));
        painter.setPen(t.grid);
        painter.drawLine(QPointF(area_.left(), y), QPointF(area_.right(), y));
        if (last_y - y < 15) continue;
        last_y = y;
        painter.setPen(t.text2);
        painter.drawText(QRectF(0, y - 8, area_.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                         formatSignificant(value, 3));
        painter.setPen(t.axis);
        painter.drawLine(QPointF(area_.left() - 4, y), QPointF(area_.left(), y));
    }
    painter.drawLine(area_.topLeft(), area_.bottomLeft());
    painter.drawLine(area_.bottomLeft(), area_.bottomRight());
    painter.setPen(t.text1);
    painter.setFont(Theme::instance().font(options_.compact ? TypeStep::table : TypeStep::control, 600));
    const QString title = options_.title.isEmpty() ? metricText(content_->view.metric) : options_.title;
    painter.drawText(QRectF(12, 4, width() - 24, 20), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(title, Qt::ElideRight, width() - 24));
    painter.setFont(Theme::instance().font(TypeStep::tick));
    painter.setPen(t.text2);
    if (!options_.compact || height() > 150)
        painter.drawText(QRectF(area_.left(), bottom + 19, area_.width(), 15), Qt::AlignRight | Qt::AlignTop,
                         options_.flops ? tr("FLOPs, 6 N D") : tr("tokens D"));
}

void ScalingPlot::paintResidualAxes(QPainter& painter) const {
    if (residuals_.isEmpty()) return;
    const Tokens& t = tokens();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(Theme::instance().font(TypeStep::tick));
    const double top = std::expm1(ranges_->residual);
    double step = std::pow(10, std::floor(std::log10(top)));
    if (step * 5 < top) step *= 5;
    if (step * 2 < top) step *= 2;
    for (const double share : {-step, 0.0, step}) {
        const double y = std::round(residualY(std::log1p(std::max(-0.9, share))));
        if (y < residuals_.top() || y > residuals_.bottom()) continue;
        painter.setPen(share == 0 ? t.axis : t.grid);
        painter.drawLine(QPointF(residuals_.left(), y), QPointF(residuals_.right(), y));
        painter.setPen(t.text2);
        const QString words = share == 0 ? QStringLiteral("0")
                                         : (share > 0 ? QStringLiteral("+") : QString()) +
                                               QString::fromStdString(format_significant(share * 100, 2)) +
                                               QStringLiteral(" %");
        painter.drawText(QRectF(0, y - 8, residuals_.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                         words);
    }
    painter.setPen(t.axis);
    painter.drawLine(residuals_.bottomLeft(), residuals_.bottomRight());
    painter.drawLine(residuals_.topLeft(), residuals_.bottomLeft());
    if (options_.compact) return;
    double squares[2] = {0, 0}, numbers[2] = {0, 0};
    for (const ScalingViewPoint& point : content_->view.points) {
        if (!point.finished() || point.use == PointUse::excluded || !std::isfinite(point.log_residual) ||
            !options_.shows(point.curve, point.scale))
            continue;
        const int which = point.use == PointUse::held_out;
        squares[which] += point.log_residual * point.log_residual;
        numbers[which] += 1;
    }
    painter.setPen(t.text2);
    QStringList lines{tr("residual")};
    const auto rms = [&](int which) {
        return formatFixed(std::sqrt(squares[which] / numbers[which]) * 100, 1) + QStringLiteral(" %");
    };
    if (numbers[0] > 0) lines << tr("fit rms %1").arg(rms(0));
    if (numbers[1] > 0) lines << tr("held out %1").arg(rms(1));
    double y = residuals_.top();
    for (const QString& line : lines) {
        painter.drawText(
            QRectF(area_.right() + 6, y, width() - area_.right() - 6, 15), Qt::AlignLeft | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(line, Qt::ElideRight, int(width() - area_.right() - 6)));
        y += 15;
    }
}

void ScalingPlot::paintLines(QPainter& painter) const {
    painter.save();
    painter.setClipRect(area_);
    painter.setRenderHint(QPainter::Antialiasing);
    const Tokens& t = tokens();
    const ScalingView& view = content_->view;
    const bool bands = int(content_->lines.size()) <= most_bands;
    const double width = content_->lines.size() > 40 ? 1 : options_.compact ? 1.3 : 1.6;
    for (const bool filling : {true, false})
        for (const ScalingLine& line : content_->lines) {
            if (!options_.shows(line.curve, line.scale)) continue;
            const QColor colour = runColour(view.curves[line.curve].colour, t);
            // Pieces within and beyond twice the fitted range.
            for (std::size_t begin = 0; begin + 1 < line.tokens.size();) {
                std::size_t end = begin + 1;
                const bool beyond = line.extrapolated[begin] || line.extrapolated[end];
                while (end + 1 < line.tokens.size() &&
                       (line.extrapolated[end] || line.extrapolated[end + 1]) == beyond)
                    ++end;
                QPolygonF middle, band;
                for (std::size_t i = begin; i <= end; ++i) {
                    const double x = xOf(along(line.parameters, line.tokens[i]));
                    middle << QPointF(x, yOf(line.loss[i]));
                    if (!line.low.empty()) band << QPointF(x, yOf(line.low[i]));
                }
                if (!line.low.empty())
                    for (std::size_t i = end + 1; i-- > begin;)
                        band << QPointF(xOf(along(line.parameters, line.tokens[i])), yOf(line.high[i]));
                if (filling && bands && !band.isEmpty()) {
                    painter.setPen(Qt::NoPen);
                    painter.setBrush(faint(colour, beyond ? 0.09 : 0.15));
                    painter.drawPolygon(band);
                }
                if (!filling) {
                    painter.setBrush(Qt::NoBrush);
                    painter.setPen(linePen(colour, width, beyond));
                    painter.drawPolyline(middle);
                }
                begin = end;
            }
        }
    painter.restore();
}

void ScalingPlot::paintPoints(QPainter& painter) {
    const ScalingView& view = content_->view;
    painter.setRenderHint(QPainter::Antialiasing);
    // Those that are left out first: they lie beneath the others.
    for (const PointUse use : {PointUse::excluded, PointUse::fitted, PointUse::held_out})
        for (const int index : order_) {
            const ScalingViewPoint& point = view.points[std::size_t(index)];
            if (point.use != use) continue;
            const QPointF place = places_[std::size_t(index)];
            if (!point.finished()) {
                paintStatePie(painter, QRectF(place - QPointF(5, 5), QSizeF(10, 10)), point.state,
                              point.progress, view.curves[point.curve].colour);
                continue;
            }
            if (options_.means && view.several_seeds && use != PointUse::excluded) continue;
            const QPixmap& mark = sprite(view.curves[point.curve].colour, point.scale, use);
            painter.drawPixmap(place - QPointF(7, 7), mark);
        }
    if (options_.means && view.several_seeds) paintMeans(painter);
}

void ScalingPlot::paintMeans(QPainter& painter) {
    for (const ScalingMean& mean : content_->means) {
        if (!options_.shows(mean.curve, mean.scale) || mean.value <= 0) continue;
        const QPointF place(xOf(along(mean.parameters, mean.tokens)), yOf(mean.value));
        if (!area_.contains(place)) continue;
        const int colour = content_->view.curves[mean.curve].colour;
        if (mean.seeds > 1) {
            painter.setPen(QPen(runColour(colour, tokens()), 1.3));
            const double low = yOf(std::max(mean.value - mean.half_width, ranges_->y.lower));
            const double high = yOf(std::min(mean.value + mean.half_width, ranges_->y.upper));
            painter.drawLine(QPointF(place.x(), low), QPointF(place.x(), high));
            for (const double y : {low, high})
                painter.drawLine(QPointF(place.x() - 3, y), QPointF(place.x() + 3, y));
        }
        painter.drawPixmap(place - QPointF(7, 7), sprite(colour, mean.scale, mean.use));
    }
}

void ScalingPlot::paintResiduals(QPainter& painter) {
    if (residuals_.isEmpty()) return;
    painter.save();
    painter.setClipRect(residuals_.adjusted(-4, -2, 4, 2));
    const ScalingView& view = content_->view;
    for (const int index : order_) {
        const ScalingViewPoint& point = view.points[std::size_t(index)];
        if (!point.finished() || point.use == PointUse::excluded || !std::isfinite(point.log_residual))
            continue;
        const QPointF place(places_[std::size_t(index)].x(), residualY(point.log_residual));
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        painter.drawPixmap(QRectF(place - QPointF(5.5, 5.5), QSizeF(11, 11)),
                           sprite(view.curves[point.curve].colour, point.scale, point.use), QRectF());
    }
    painter.restore();
}

}  // namespace braid::ui
