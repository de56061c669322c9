#include "widgets/scaling/map_view.h"

#include <QComboBox>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/common/colour_map.h"
#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

MapGrid::MapGrid(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Map of the study over two factors"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void MapGrid::show(StudyMap map, const QString& metric) {
    map_ = std::move(map);
    metric_ = metric;
    if (current_ >= int(map_.cells.size())) current_ = -1;
    update();
}

QRectF MapGrid::area() const { return QRectF(rect()).adjusted(110, 52, -96, -48); }

QRectF MapGrid::rectOf(int cell) const {
    const int columns = int(map_.x.values.size()), rows = int(map_.y.values.size());
    const QRectF all = area();
    return {all.left() + all.width() * (cell % columns) / columns,
            all.top() + all.height() * (cell / columns) / rows, all.width() / columns - 2,
            all.height() / rows - 2};
}

QString MapGrid::textOf(int index) const {
    const StudyCell& cell = map_.cells[std::size_t(index)];
    const std::size_t columns = map_.x.values.size();
    QString text = tr("%1 %2, %3 %4: ")
                       .arg(QString::fromStdString(map_.x.name),
                            QString::fromStdString(map_.x.values[std::size_t(index) % columns]),
                            QString::fromStdString(map_.y.name),
                            QString::fromStdString(map_.y.values[std::size_t(index) / columns]));
    if (!cell.mean)
        return text + (cell.planned > 0 ? tr("none of %1 runs has finished").arg(cell.planned)
                                        : tr("not part of the study"));
    text += tr("%1 %2").arg(metric_, valueTextOf(*cell.mean));
    if (cell.runs > 1) text += tr(" ± %1 (90 %)").arg(formatSignificant(cell.half_width, 2));
    return text + tr(", %1 of %2 runs").arg(cell.runs).arg(cell.planned);
}

int MapGrid::cellAt(const QPointF& place) const {
    for (int i = 0; i < int(map_.cells.size()); ++i)
        if (rectOf(i).contains(place)) return i;
    return -1;
}

void MapGrid::setCurrent(int cell) {
    current_ = cell;
    setAccessibleDescription(textOf(cell));
    update();
    if (const int point = map_.cells[std::size_t(cell)].point; point >= 0) Q_EMIT chosen(point);
}

void MapGrid::mousePressEvent(QMouseEvent* event) {
    if (const int cell = cellAt(event->position()); cell >= 0) setCurrent(cell);
}

void MapGrid::keyPressEvent(QKeyEvent* event) {
    const int columns = int(map_.x.values.size()), count = int(map_.cells.size());
    int to = current_;
    if (event->key() == Qt::Key_Right)
        to = current_ < 0 ? 0 : current_ + (current_ % columns + 1 < columns);
    else if (event->key() == Qt::Key_Left)
        to = current_ - (current_ % columns > 0);
    else if (event->key() == Qt::Key_Down)
        to = current_ < 0 ? 0 : current_ + columns;
    else if (event->key() == Qt::Key_Up)
        to = current_ - columns;
    else
        return QWidget::keyPressEvent(event);
    if (count > 0 && to >= 0 && to < count) setCurrent(to);
}

void MapGrid::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}
void MapGrid::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

bool MapGrid::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || map_.cells.empty()) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const int cell = cellAt(help->pos()); cell >= 0)
        QToolTip::showText(help->globalPos(), textOf(cell), this);
    return true;
}

void MapGrid::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.fillRect(rect(), t.surface);
    if (map_.cells.empty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF all = area();
    const auto font = [](TypeStep step, int weight = 400) { return Theme::instance().font(step, weight); };
    painter.setFont(font(TypeStep::control, 600));
    painter.setPen(t.text1);
    painter.drawText(QRectF(12, 6, width() - 24, 22), Qt::AlignLeft | Qt::AlignVCenter, metric_);
    const double span = map_.high > map_.low ? map_.high - map_.low : 1;
    for (int i = 0; i < int(map_.cells.size()); ++i) {
        const StudyCell& cell = map_.cells[std::size_t(i)];
        const QRectF box = rectOf(i);
        const QColor fill = cell.mean ? cividis((*cell.mean - map_.low) / span) : t.sunken;
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(box, metrics::radiusCell, metrics::radiusCell);
        if (!cell.mean && cell.planned > 0) {
            painter.setBrush(QBrush(t.borderStrong, Qt::BDiagPattern));
            painter.drawRoundedRect(box, metrics::radiusCell, metrics::radiusCell);
        }
        if (i == current_) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(t.ink, 2.5));
            painter.drawRoundedRect(box.adjusted(-1, -1, 1, 1), metrics::radiusCell, metrics::radiusCell);
        }
        if (!cell.mean || box.width() < 34 || box.height() < 16) continue;
        painter.setPen(strongestOn(fill));
        const bool two = box.height() > 40;
        painter.setFont(font(TypeStep::table, 600));
        painter.drawText(two ? box.adjusted(0, 0, 0, -box.height() / 2 + 4) : box,
                         (two ? Qt::AlignBottom : Qt::AlignVCenter) | Qt::AlignHCenter,
                         valueTextOf(*cell.mean));
        if (!two) continue;
        painter.setFont(font(TypeStep::tick));
        QString count = QStringLiteral("n = %1").arg(cell.runs);
        if (cell.runs > 1 && box.width() > 96)
            count.prepend(QStringLiteral("± %1, ").arg(formatSignificant(cell.half_width, 2)));
        painter.drawText(box.adjusted(0, box.height() / 2 + 4, 0, 0), Qt::AlignTop | Qt::AlignHCenter, count);
    }
    painter.setFont(font(TypeStep::table));
    painter.setPen(t.text2);
    const int columns = int(map_.x.values.size());
    for (int x = 0; x < columns; ++x) {
        const QRectF box = rectOf(x);
        painter.drawText(
            QRectF(box.left(), all.bottom() + 4, box.width(), 18), Qt::AlignCenter,
            painter.fontMetrics().elidedText(QString::fromStdString(map_.x.values[std::size_t(x)]),
                                             Qt::ElideMiddle, int(box.width())));
    }
    for (int y = 0; y < int(map_.y.values.size()); ++y) {
        const QRectF box = rectOf(y * columns);
        painter.drawText(
            QRectF(8, box.top(), all.left() - 16, box.height()), Qt::AlignRight | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(QString::fromStdString(map_.y.values[std::size_t(y)]),
                                             Qt::ElideMiddle, int(all.left() - 16)));
    }
    painter.setPen(t.text1);
    painter.drawText(QRectF(all.left(), all.bottom() + 24, all.width(), 18), Qt::AlignCenter,
                     QString::fromStdString(map_.x.name));
    painter.drawText(QRectF(8, all.top() - 18, all.left() - 16, 16), Qt::AlignRight | Qt::AlignVCenter,
                     QString::fromStdString(map_.y.name));
    if (!map_.has_values()) return;
    const QRectF bar(all.right() + 16, all.top(), 12, all.height() - 2);
    for (int i = 0; i < int(bar.height()); ++i)
        painter.fillRect(QRectF(bar.left(), bar.bottom() - i - 1, bar.width(), 1.5),
                         cividis(i / bar.height()));
    painter.setFont(font(TypeStep::tick));
    painter.setPen(t.text2);
    painter.drawText(QRectF(bar.right() + 5, bar.top() - 2, 64, 15), Qt::AlignLeft | Qt::AlignVCenter,
                     valueTextOf(map_.high));
    painter.drawText(QRectF(bar.right() + 5, bar.bottom() - 13, 64, 15), Qt::AlignLeft | Qt::AlignVCenter,
                     valueTextOf(map_.low));
    if (!hasFocus()) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(t.ink, 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), metrics::radiusField,
                            metrics::radiusField);
}

MapView::MapView(QWidget* parent)
    : QWidget(parent), x_(new QComboBox), y_(new QComboBox), line_(new QHBoxLayout), grid_(new MapGrid) {
    x_->setAccessibleName(tr("Factor along x"));
    y_->setAccessibleName(tr("Factor along y"));
    line_->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap1);
    line_->setSpacing(metrics::gap2);
    line_->addWidget(new TextLabel(tr("Across"), TypeStep::table, 400, 2));
    line_->addWidget(x_);
    line_->addWidget(new TextLabel(tr("down"), TypeStep::table, 400, 2));
    line_->addWidget(y_);
    line_->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(line_);
    layout->addWidget(grid_, 1);
    for (QComboBox* box : {x_, y_}) connect(box, &QComboBox::activated, this, &MapView::refresh);
    connect(grid_, &MapGrid::chosen, this, &MapView::chosen);
}

void MapView::show(const ScalingContentPtr& content) {
    const bool other = !content || !content_ || content->study != content_->study;
    content_ = content;
    factors_.clear();
    if (content_) factors_ = study_factors(content_->spec, content_->state);
    problem_ = factors_.size() < 2
                   ? tr("A map needs two factors with several values: scales, budgets or axes.")
                   : QString();
    if (other || x_->count() != int(factors_.size())) {
        const auto first = first_factors(factors_);
        for (QComboBox* box : {x_, y_}) {
            box->clear();
            for (const StudyFactor& factor : factors_) box->addItem(QString::fromStdString(factor.name));
            box->setCurrentText(QString::fromStdString(box == x_ ? first.first : first.second));
        }
    }
    refresh();
}

void MapView::refresh() {
    if (!content_ || factors_.size() < 2) return grid_->show({}, {});
    if (x_->currentIndex() == y_->currentIndex())
        y_->setCurrentIndex((x_->currentIndex() + 1) % int(factors_.size()));
    std::vector<std::pair<std::string, std::string>> wanted;
    for (const auto& [name, box] : fixed_) wanted.emplace_back(name, box->currentText().toStdString());
    StudyMap map = study_map(content_->spec, content_->state, content_->view, x_->currentText().toStdString(),
                             y_->currentText().toStdString(), wanted);
    // A choice for each factor that stays fixed.
    const bool same = fixed_.size() == map.fixed.size() &&
                      std::equal(fixed_.begin(), fixed_.end(), map.fixed.begin(),
                                 [](const auto& a, const auto& b) { return a.first == b.first; });
    if (!same) {
        for (const auto& [name, box] : fixed_) delete box;
        fixed_.clear();
        for (const auto& [name, value] : map.fixed) {
            auto* box = new QComboBox;
            box->setAccessibleName(QString::fromStdString(name));
            box->setToolTip(QString::fromStdString(name));
            for (const StudyFactor& factor : factors_)
                if (factor.name == name)
                    for (const std::string& each : factor.values) box->addItem(QString::fromStdString(each));
            box->setCurrentText(QString::fromStdString(value));
            connect(box, &QComboBox::activated, this, &MapView::refresh);
            line_->addWidget(box);
            fixed_.emplace_back(name, box);
        }
    }
    grid_->show(std::move(map), metricText(content_->view.metric));
}

std::string MapView::wish() const {
    std::string text = content_ ? content_->view.metric : std::string();
    text.append(" by ").append(x_->currentText().toStdString());
    text.append(" and ").append(y_->currentText().toStdString());
    const char* joint = " where ";
    for (const auto& [name, box] : fixed_) {
        const std::string value = box->currentText().toStdString();
        if (value.find(',') != std::string::npos) continue;
        text.append(joint).append(name).append("=").append(value);
        joint = ", ";
    }
    return text;
}

}  // namespace braid::ui
