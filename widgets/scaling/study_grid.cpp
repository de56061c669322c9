#include "widgets/scaling/study_grid.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "widgets/common/format.h"
#include "widgets/common/mixer_style.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

namespace {

constexpr int row_height = 20, foot = 18;
constexpr double group_gap = 4, cell_gap = 1, widest_cell = 26;

StudyGrid::State stateOf(const ScalingViewPoint& point) {
    switch (point.state) {
        case RunState::finished:
            return StudyGrid::State::finished;
        case RunState::running:
        case RunState::paused:
            return StudyGrid::State::running;
        case RunState::planned:
            return point.run.empty() ? StudyGrid::State::planned : StudyGrid::State::queued;
        default:
            return StudyGrid::State::failed;
    }
}

// What one should look at first.
int pressing(StudyGrid::State state) {
    switch (state) {
        case StudyGrid::State::failed:
            return 4;
        case StudyGrid::State::running:
            return 3;
        case StudyGrid::State::queued:
            return 2;
        case StudyGrid::State::planned:
            return 1;
        case StudyGrid::State::finished:
            return 0;
    }
    return 0;
}

QString stateWord(StudyGrid::State state) {
    switch (state) {
        case StudyGrid::State::failed:
            return StudyGrid::tr("failed");
        case StudyGrid::State::running:
            return StudyGrid::tr("training");
        case StudyGrid::State::queued:
            return StudyGrid::tr("queued");
        case StudyGrid::State::planned:
            return StudyGrid::tr("planned");
        case StudyGrid::State::finished:
            return StudyGrid::tr("finished");
    }
    return {};
}

}  // namespace

StudyGrid::StudyGrid(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Grid of the study's runs"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void StudyGrid::show(const ScalingContentPtr& content) {
    const int point = current_ >= 0 ? cells_[std::size_t(current_)].points.front() : -1;
    content_ = content;
    cells_.clear();
    widest_.clear();
    names_.clear();
    current_ = -1;
    if (!content_) return update();
    const ScalingView& view = content_->view;
    names_ = namesApart(view);
    // The columns of a scale: its budgets, or where there are none its points one after the other.
    std::vector<std::set<double>> budgets(view.scales.size());
    for (const ScalingViewPoint& each : view.points) budgets[each.scale].insert(each.budget.value_or(0));
    std::map<std::tuple<std::size_t, std::size_t, int>, std::size_t> places;
    for (std::size_t i = 0; i < view.points.size(); ++i) {
        const ScalingViewPoint& each = view.points[i];
        const std::set<double>& columns = budgets[each.scale];
        const int column = int(std::distance(columns.begin(), columns.find(each.budget.value_or(0))));
        const auto [place, is_new] =
            places.emplace(std::tuple{each.curve, each.scale, column}, cells_.size());
        if (is_new)
            cells_.push_back({.curve = each.curve, .scale = each.scale, .column = column, .excluded = true});
        Cell& cell = cells_[place->second];
        const State state = stateOf(each);
        if (cell.points.empty() || pressing(state) > pressing(cell.state)) cell.state = state;
        cell.points.push_back(int(i));
        cell.finished += each.finished();
        cell.progress += each.finished() ? 1 : each.progress;
        cell.excluded = cell.excluded && each.use == PointUse::excluded;
    }
    for (Cell& cell : cells_) cell.progress /= double(cell.points.size());
    std::sort(cells_.begin(), cells_.end(), [](const Cell& a, const Cell& b) {
        return std::tie(a.curve, a.scale, a.column) < std::tie(b.curve, b.scale, b.column);
    });
    for (const std::set<double>& columns : budgets) widest_.push_back(int(columns.size()));
    setCurrentPoint(point);
    updateGeometry();
    update();
}

QSize StudyGrid::sizeHint() const {
    return {180, content_ ? int(content_->view.curves.size()) * row_height + foot : foot};
}
QSize StudyGrid::minimumSizeHint() const { return {120, sizeHint().height()}; }

// As wide as the longest name, where the cells leave room for it.
double StudyGrid::nameWidth() const {
    const QFontMetricsF font(Theme::instance().font(TypeStep::table));
    double longest = 0;
    for (const QString& name : names_) longest = std::max(longest, font.horizontalAdvance(name) + 4);
    double cells = 0;
    for (const int columns : widest_) cells += columns * widest_cell + group_gap;
    return std::min(longest, std::max(std::min(width() * 0.4, 96.0), width() - cells));
}

QRectF StudyGrid::rectOf(int index) const {
    const Cell& cell = cells_[std::size_t(index)];
    const double left = nameWidth() + 4;
    double columns = 0, before = 0;
    for (std::size_t i = 0; i < widest_.size(); ++i) {
        columns += widest_[i];
        if (i < cell.scale) before += widest_[i];
    }
    const double room = width() - left - group_gap * double(widest_.size() - 1);
    const double each = std::min(room / std::max(1.0, columns), widest_cell);
    const double x = left + (before + cell.column) * each + group_gap * double(cell.scale);
    return {x, double(cell.curve) * row_height + 4, std::max(1.0, each - cell_gap), row_height - 8.0};
}

QString StudyGrid::textOf(int index) const {
    const Cell& cell = cells_[std::size_t(index)];
    const ScalingView& view = content_->view;
    const ScalingViewPoint& point = view.points[std::size_t(cell.points.front())];
    QString text = QString::fromStdString(point.label) + QStringLiteral(": ");
    if (cell.points.size() > 1)
        text += tr("%1 of %2 seeds finished").arg(cell.finished).arg(cell.points.size());
    else
        text += stateWord(cell.state);
    if (cell.state == State::running) text += QStringLiteral(", ") + formatPercent(cell.progress);
    if (cell.points.size() == 1 && point.finished() && point.value)
        text += QStringLiteral(", ") + metricText(view.metric) + QLatin1Char(' ') + valueTextOf(*point.value);
    if (cell.excluded) text += tr(", excluded from the fit");
    return text;
}

void StudyGrid::setCurrent(int cell) {
    current_ = cell;
    setAccessibleDescription(cell >= 0 ? textOf(cell) : QString());
    update();
}

void StudyGrid::setCurrentPoint(int point) {
    int found = -1;
    for (std::size_t i = 0; i < cells_.size() && point >= 0; ++i)
        if (std::find(cells_[i].points.begin(), cells_[i].points.end(), point) != cells_[i].points.end())
            found = int(i);
    if (found != current_) setCurrent(found);
}

int StudyGrid::cellAt(const QPointF& place) const {
    for (int i = 0; i < int(cells_.size()); ++i)
        if (rectOf(i).adjusted(-0.5, -3, 0.5, 3).contains(place)) return i;
    return -1;
}

void StudyGrid::mousePressEvent(QMouseEvent* event) {
    const int cell = cellAt(event->position());
    if (cell < 0) return;
    setCurrent(cell);
    Q_EMIT chosen(cells_[std::size_t(cell)].points.front());
}

void StudyGrid::walk(int right, int down) {
    if (cells_.empty()) return;
    if (current_ < 0) {
        setCurrent(0);
    } else if (right != 0) {
        setCurrent(std::clamp(current_ + right, 0, int(cells_.size()) - 1));
    } else {
        const Cell& at = cells_[std::size_t(current_)];
        for (int i = current_ + down; i >= 0 && i < int(cells_.size()); i += down) {
            const Cell& cell = cells_[std::size_t(i)];
            if (cell.curve != at.curve && cell.scale == at.scale && cell.column == at.column) {
                setCurrent(i);
                break;
            }
        }
    }
    Q_EMIT chosen(cells_[std::size_t(current_)].points.front());
}

void StudyGrid::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Right:
            return walk(1, 0);
        case Qt::Key_Left:
            return walk(-1, 0);
        case Qt::Key_Down:
            return walk(0, 1);
        case Qt::Key_Up:
            return walk(0, -1);
        default:
            QWidget::keyPressEvent(event);
    }
}

void StudyGrid::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}
void StudyGrid::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

bool StudyGrid::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int cell = cellAt(help->pos());
    if (cell < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), textOf(cell), this);
    return true;
}

void StudyGrid::paintEvent(QPaintEvent*) {
    if (!content_) return;
    const Tokens& t = tokens();
    const ScalingView& view = content_->view;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(Theme::instance().font(TypeStep::table));
    painter.setPen(t.text1);
    const double names = nameWidth();
    for (std::size_t i = 0; i < view.curves.size(); ++i)
        painter.drawText(QRectF(0, double(i) * row_height, names, row_height),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(names_[qsizetype(i)], Qt::ElideMiddle, int(names)));
    std::vector<std::pair<double, double>> spans(view.scales.size(), {1e9, -1e9});
    for (int i = 0; i < int(cells_.size()); ++i) {
        const Cell& cell = cells_[std::size_t(i)];
        const QRectF rect = rectOf(i);
        spans[cell.scale].first = std::min(spans[cell.scale].first, rect.left());
        spans[cell.scale].second = std::max(spans[cell.scale].second, rect.right());
        QColor colour = runColour(view.curves[cell.curve].colour, t);
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.sunken);
        painter.setOpacity(cell.excluded ? 0.45 : 1);
        painter.drawRect(rect);
        // As much of the cell as has been trained.
        painter.setBrush(colour);
        painter.drawRect(QRectF(rect.left(), rect.bottom() - rect.height() * cell.progress, rect.width(),
                                rect.height() * cell.progress));
        painter.setOpacity(1);
        if (cell.state == State::failed) {
            painter.setPen(QPen(t.error, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(rect.adjusted(0.75, 0.75, -0.75, -0.75));
        } else if (cell.state != State::finished) {
            painter.setPen(QPen(cell.state == State::planned ? t.borderStrong : colour, 1,
                                cell.state == State::queued ? Qt::DotLine : Qt::SolidLine));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
        }
        if (i == current_) {
            painter.setPen(QPen(t.ink, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(rect.adjusted(-1.5, -1.5, 1.5, 1.5));
        }
    }
    painter.setFont(Theme::instance().font(TypeStep::tick));
    painter.setPen(t.text3);
    const double y = double(view.curves.size()) * row_height;
    double last = -1e9;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (spans[i].first > spans[i].second) continue;
        const QString name = QString::fromStdString(view.scales[i].name);
        const double middle = (spans[i].first + spans[i].second) / 2;
        const double half = painter.fontMetrics().horizontalAdvance(name) / 2.0;
        if (middle - half < last + 4) continue;
        last = middle + half;
        painter.drawText(QRectF(middle - 40, y, 80, foot), Qt::AlignCenter, name);
    }
    if (hasFocus() && current_ < 0) {
        painter.setPen(QPen(t.ink, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), metrics::radiusField,
                                metrics::radiusField);
    }
}

}  // namespace braid::ui
