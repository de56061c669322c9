#include "widgets/scaling/queue_list.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "widgets/common/format.h"
#include "widgets/common/mixer_style.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

namespace {

constexpr std::size_t most_working = 4, most_failed = 2, most_waiting = 3;
constexpr int line_height = 22, working_height = 28;

}  // namespace

QueueList::QueueList(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Runs that train or wait"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void QueueList::show(const ScalingContentPtr& content, const StudyForecast& forecast) {
    content_ = content;
    lines_.clear();
    if (content_) {
        const ScalingView& view = content_->view;
        const auto add = [&](const std::vector<int>& points, std::size_t most, const QString& more,
                             const auto& note, bool working, bool failed) {
            for (std::size_t i = 0; i < std::min(most, points.size()); ++i) {
                const ScalingViewPoint& point = view.points[std::size_t(points[i])];
                lines_.push_back({points[i], pointName(view, point), note(i, point), working, failed});
            }
            if (points.size() > most)
                lines_.push_back({.name = more.arg(formatCount(std::int64_t(points.size() - most)))});
        };
        add(
            forecast.working, most_working, tr("and %1 more train"),
            [](std::size_t, const ScalingViewPoint& point) {
                return point.state == RunState::paused ? tr("paused") : formatPercent(point.progress);
            },
            true, false);
        add(
            forecast.failed, most_failed, tr("and %1 more need attention"),
            [](std::size_t, const ScalingViewPoint& point) { return runStateText(point.state); }, false,
            true);
        add(
            forecast.waiting, most_waiting, tr("and %1 more wait"),
            [&](std::size_t i, const ScalingViewPoint& point) {
                return i == 0                                     ? tr("next")
                       : content_->cost.points[point.point].trunk ? tr("branch")
                                                                  : QString();
            },
            false, false);
    }
    setAccessibleDescription(lines().join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QStringList QueueList::lines() const {
    QStringList all;
    for (const Line& line : lines_)
        all << (line.note.isEmpty() ? line.name : line.name + QLatin1Char(' ') + line.note);
    return all;
}

int QueueList::heightOf(const Line& line) const { return line.working ? working_height : line_height; }

QSize QueueList::sizeHint() const {
    int height = 0;
    for (const Line& line : lines_) height += heightOf(line);
    return {160, height};
}

int QueueList::lineAt(double y) const {
    double top = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        top += heightOf(lines_[i]);
        if (y < top) return int(i);
    }
    return -1;
}

void QueueList::mousePressEvent(QMouseEvent* event) {
    const int line = lineAt(event->position().y());
    if (line >= 0 && lines_[std::size_t(line)].point >= 0) Q_EMIT chosen(lines_[std::size_t(line)].point);
}

bool QueueList::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int at = lineAt(help->pos().y());
    if (at >= 0) QToolTip::showText(help->globalPos(), lines().at(at), this);
    return true;
}

void QueueList::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(Theme::instance().font(TypeStep::table));
    double top = 0;
    for (const Line& line : lines_) {
        const double height = heightOf(line);
        const double notes = painter.fontMetrics().horizontalAdvance(line.note);
        const double left = line.point >= 0 ? 18 : 0;
        if (line.point >= 0) {
            const ScalingViewPoint& point = content_->view.points[std::size_t(line.point)];
            paintStatePie(painter, QRectF(1, top + 6, 10, 10), point.state, point.progress,
                          content_->view.curves[point.curve].colour);
            if (line.working) {
                const QRectF bar(left, top + line_height, width() - left, 3);
                painter.setPen(Qt::NoPen);
                painter.setBrush(t.border);
                painter.drawRoundedRect(bar, 1.5, 1.5);
                painter.setBrush(runColour(content_->view.curves[point.curve].colour, t));
                painter.drawRoundedRect(
                    QRectF(bar.left(), bar.top(), std::max(3.0, bar.width() * point.progress), 3), 1.5, 1.5);
            }
        }
        painter.setPen(line.point < 0 ? t.text3 : t.text1);
        painter.drawText(
            QRectF(left, top, width() - left - notes - 8, line_height), Qt::AlignLeft | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(line.name, Qt::ElideMiddle, int(width() - left - notes - 8)));
        painter.setPen(line.failed ? t.error : t.text3);
        painter.drawText(QRectF(width() - notes, top, notes + 1, line_height),
                         Qt::AlignRight | Qt::AlignVCenter, line.note);
        top += height;
    }
}

}  // namespace braid::ui
