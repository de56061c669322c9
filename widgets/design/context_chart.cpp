#include "widgets/design/context_chart.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/common/theme.h"
#include "widgets/design/layer_text.h"

namespace braid::ui {

namespace {

constexpr double first_context = 1024;
constexpr double last_context = 1024.0 * 1024.0;
constexpr int title_height = 30;
constexpr int axis_labels = 60;  // left of the plot
constexpr int line_labels = 62;  // right of it
constexpr int below = 24;
constexpr int tick = 4;

struct Tick {
    double value = 0;
    bool major = true;
};

// Decades of the unit: 1, 10, 100 MiB, 1 GiB; 1 G, 10 G. Between them a half where there are few, else
// nothing.
std::vector<Tick> ticks(double low, double high, ContextChart::Unit unit) {
    std::vector<Tick> result;
    std::vector<double> decades;
    if (unit == ContextChart::Unit::bytes) {
        for (double prefix = 1; prefix < 1e18; prefix *= 1024) {
            for (const double digit : {1.0, 10.0, 100.0}) {
                decades.push_back(prefix * digit);
            }
        }
    } else {
        for (int exponent = 0; exponent < 18; ++exponent) {
            decades.push_back(std::pow(10.0, exponent));
        }
    }
    const auto inside = [&](double value) { return value >= low * 0.999 && value <= high * 1.001; };
    const auto count = std::count_if(decades.begin(), decades.end(), inside);
    for (std::size_t i = 0; i < decades.size(); ++i) {
        const double next = i + 1 < decades.size() ? decades[i + 1] : decades[i] * 10;
        if (inside(decades[i])) {
            result.push_back({.value = decades[i]});
        }
        for (int digit = 2; digit < 10; ++digit) {
            const double value = decades[i] * digit;
            const bool labelled = (count <= 2 && digit == 5) || (count == 0 && digit % 2 == 0);
            if (value < next * 0.98 && inside(value)) {
                result.push_back({.value = value, .major = labelled});
            }
        }
    }
    return result;
}

Qt::PenStyle pen_style(ContextLine::Stroke stroke) {
    switch (stroke) {
        case ContextLine::Stroke::dashed:
            return Qt::CustomDashLine;
        case ContextLine::Stroke::dotted:
            return Qt::CustomDashLine;
        default:
            return Qt::SolidLine;
    }
}

QPen line_pen(const ContextLine& line) {
    const Tokens& colours = tokens();
    QPen pen(line.own ? colours.text1 : colours.text3, line.own ? 2 : 1.5, pen_style(line.stroke),
             Qt::FlatCap, Qt::RoundJoin);
    if (line.stroke == ContextLine::Stroke::dashed) {
        pen.setDashPattern({4, 3});
    } else if (line.stroke == ContextLine::Stroke::dotted) {
        pen.setDashPattern({1.3, 1.7});
    }
    return pen;
}

}  // namespace

struct ContextChart::Frame {
    QRectF plot;
    double low = 1, high = 10;
    double x(double context) const {
        return plot.left() +
               plot.width() * std::log(context / first_context) / std::log(last_context / first_context);
    }
    double y(double value) const {
        return plot.bottom() - plot.height() * std::log(value / low) / std::log(high / low);
    }
    double context(double at) const {
        const double share = std::clamp((at - plot.left()) / plot.width(), 0.0, 1.0);
        return first_context * std::pow(last_context / first_context, share);
    }
};

ContextChart::ContextChart(const QString& title, const QString& note, Unit unit, QWidget* parent)
    : QWidget(parent), title_(title), note_(note), unit_(unit) {
    setMouseTracking(true);
    setAccessibleName(title + QLatin1Char(' ') + note);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void ContextChart::setLines(QVector<ContextLine> lines) {
    lines_ = std::move(lines);
    setAccessibleDescription(reading(static_cast<double>(context_)));
    update();
}

void ContextChart::setContext(std::int64_t context) {
    context_ = context;
    setAccessibleDescription(reading(static_cast<double>(context_)));
    update();
}

QString ContextChart::amount(double value) const {
    return unit_ == Unit::bytes ? byteText(value) : quantityText(value, 3);
}

QString ContextChart::reading(double context) const {
    QStringList parts;
    for (const ContextLine& line : lines_) {
        const auto after = std::lower_bound(line.points.begin(), line.points.end(), context * 0.9999,
                                            [](const auto& point, double x) { return point.first < x; });
        if (after != line.points.end()) {
            parts << line.label + QLatin1Char(' ') + amount(after->second);
        }
    }
    return QStringLiteral("%1: %2").arg(contextText(std::llround(context)), parts.join(QStringLiteral(", ")));
}

ContextChart::Frame ContextChart::frame() const {
    Frame frame;
    frame.plot = QRectF(axis_labels, title_height + 4, std::max(width() - axis_labels - line_labels, 20),
                        std::max(height() - title_height - 4 - below, 20));
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    for (const ContextLine& line : lines_) {
        for (const auto& [context, value] : line.points) {
            if (value > 0) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
        }
    }
    if (high > 0) {
        frame.low = low / 1.25;
        frame.high = high * 1.6;
        if (frame.high / frame.low < 4) {
            frame.low /= 2;
            frame.high *= 2;
        }
    }
    return frame;
}

void ContextChart::paintAxes(QPainter& painter, const Frame& frame) const {
    const Tokens& colours = tokens();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(Theme::instance().font(TypeStep::tick));
    const QRectF& plot = frame.plot;
    for (double context = first_context; context <= last_context; context *= 2) {
        const double x = frame.x(context);
        const bool major = std::fmod(std::round(std::log2(context)), 2) == 0;
        if (major) {
            painter.setPen(QPen(colours.grid, 1));
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
            painter.setPen(colours.text2);
            painter.drawText(QRectF(x - 30, plot.bottom() + tick + 2, 60, below - tick - 2),
                             Qt::AlignHCenter | Qt::AlignTop, contextText(std::llround(context)));
        }
        painter.setPen(QPen(colours.axis, 1));
        painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + (major ? tick : tick / 2)));
    }
    double last_label = std::numeric_limits<double>::infinity();
    for (const Tick& mark : ticks(frame.low, frame.high, unit_)) {
        const double y = frame.y(mark.value);
        const bool room = std::abs(last_label - y) >= 14;
        if (mark.major && room) {
            painter.setPen(QPen(colours.grid, 1));
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
            painter.setPen(colours.text2);
            painter.drawText(QRectF(0, y - 9, plot.left() - tick - 4, 18), Qt::AlignRight | Qt::AlignVCenter,
                             unit_ == Unit::bytes ? byteText(mark.value) : quantityText(mark.value, 2));
            last_label = y;
        }
        painter.setPen(QPen(colours.axis, 1));
        painter.drawLine(QPointF(plot.left() - (mark.major ? tick : tick / 2), y), QPointF(plot.left(), y));
    }
    painter.setPen(QPen(colours.axis, 1));
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
    painter.drawLine(plot.topLeft(), plot.bottomLeft());
}

void ContextChart::paintLines(QPainter& painter, const Frame& frame) const {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    for (const ContextLine& line : lines_) {
        QPainterPath path;
        bool drawing = false;
        for (const auto& [context, value] : line.points) {
            if (!(value > 0)) {
                drawing = false;  // not on a log axis: named beneath instead
                continue;
            }
            const QPointF point(frame.x(context), frame.y(value));
            if (drawing) {
                path.lineTo(point);
            } else {
                path.moveTo(point);
            }
            drawing = true;
        }
        painter.setPen(line_pen(line));
        painter.drawPath(path);
    }
}

void ContextChart::paintLabels(QPainter& painter, const Frame& frame) const {
    const Tokens& colours = tokens();
    struct Label {
        QString text;
        double y;
        bool own;
    };
    std::vector<Label> labels;
    QStringList nothing;
    for (const ContextLine& line : lines_) {
        if (line.points.empty()) {
            continue;
        }
        const double last = line.points.back().second;
        if (last > 0) {
            labels.push_back({line.label, frame.y(last), line.own});
        } else {
            nothing << line.label;
        }
    }
    // Spread so that no two names touch, in the order of the lines.
    std::stable_sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
    constexpr double apart = 13;
    for (std::size_t pass = 0; pass < 8; ++pass) {
        for (std::size_t i = 1; i < labels.size(); ++i) {
            const double overlap = apart - (labels[i].y - labels[i - 1].y);
            if (overlap > 0) {
                labels[i - 1].y -= overlap / 2;
                labels[i].y += overlap / 2;
            }
        }
    }
    for (const Label& label : labels) {
        const QFont font = Theme::instance().font(TypeStep::tick, label.own ? 600 : 400);
        painter.setFont(font);
        painter.setPen(label.own ? colours.text1 : colours.text2);
        const QRectF rect(frame.plot.right() + 5, label.y - 8, line_labels - 6, 16);
        painter.drawText(
            rect, Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetrics(font).elidedText(label.text, Qt::ElideMiddle, static_cast<int>(rect.width())));
    }
    if (!nothing.isEmpty() && unit_ == Unit::bytes) {
        painter.setFont(Theme::instance().font(TypeStep::tick));
        painter.setPen(colours.text3);
        painter.drawText(frame.plot.adjusted(6, 0, -6, -4), Qt::AlignRight | Qt::AlignBottom,
                         tr("%1: none at any context").arg(nothing.join(QStringLiteral(", "))));
    }
}

void ContextChart::paintMarker(QPainter& painter, const Frame& frame) const {
    const Tokens& colours = tokens();
    const double context = static_cast<double>(context_);
    if (context < first_context || context > last_context) {
        return;
    }
    const double x = std::round(frame.x(context)) + 0.5;
    QPen pen(colours.text1, 1, Qt::CustomDashLine, Qt::FlatCap);
    pen.setDashPattern({1.5, 2.5});
    painter.setPen(pen);
    painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
    const QFont font = Theme::instance().font(TypeStep::tick, 500);
    painter.setFont(font);
    painter.setPen(colours.text1);
    const QString text = contextText(context_);
    const int width = QFontMetrics(font).horizontalAdvance(text);
    const bool left = x - width - 6 > frame.plot.left() + 2;
    painter.drawText(QPointF(left ? x - width - 5 : x + 5, frame.plot.top() + 11), text);
}

void ContextChart::paintEvent(QPaintEvent*) {
    const Tokens& colours = tokens();
    QPainter painter(this);
    const Theme& theme = Theme::instance();
    const QFont bold = theme.font(TypeStep::control, 600);
    painter.setFont(bold);
    painter.setPen(colours.text1);
    painter.drawText(QRectF(metrics::gap3, 0, width(), title_height), Qt::AlignLeft | Qt::AlignVCenter,
                     title_);
    const int after = metrics::gap3 + QFontMetrics(bold).horizontalAdvance(title_) + metrics::gap2;
    painter.setFont(theme.font(TypeStep::table));
    painter.setPen(colours.text3);
    painter.drawText(QRectF(after, 0, width() - after, title_height), Qt::AlignLeft | Qt::AlignVCenter,
                     note_);
    const Frame frame = this->frame();
    if (lines_.isEmpty()) {
        painter.drawText(frame.plot, Qt::AlignCenter | Qt::TextWordWrap,
                         tr("Not known while the model is incomplete"));
        return;
    }
    paintAxes(painter, frame);
    paintLines(painter, frame);
    paintMarker(painter, frame);
    paintLabels(painter, frame);
    if (hover_ > 0) {
        painter.setPen(QPen(colours.borderStrong, 1));
        const double x = std::round(frame.x(hover_)) + 0.5;
        painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
    }
}

void ContextChart::mousePressEvent(QMouseEvent* event) {
    const Frame frame = this->frame();
    if (event->button() == Qt::LeftButton &&
        frame.plot.adjusted(-4, 0, 4, below).contains(event->position())) {
        const double octave = std::round(std::log2(frame.context(event->position().x())));
        Q_EMIT contextChosen(static_cast<std::int64_t>(std::exp2(octave)));
    }
}

void ContextChart::mouseMoveEvent(QMouseEvent* event) {
    const Frame frame = this->frame();
    const bool inside = frame.plot.contains(event->position());
    hover_ = inside ? std::exp2(std::round(std::log2(frame.context(event->position().x())))) : 0;
    setCursor(inside ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (inside) {
        QToolTip::showText(event->globalPosition().toPoint(), reading(hover_), this);
    } else {
        QToolTip::hideText();
    }
    update();
}

void ContextChart::leaveEvent(QEvent*) {
    hover_ = 0;
    update();
}

bool ContextChart::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        return true;  // shown while the pointer moves
    }
    return QWidget::event(event);
}

}  // namespace braid::ui
