#include "widgets/probe/layer_map_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/probe/map_metrics.h"

namespace braid::ui {

using namespace map_metrics;

LayerMapView::LayerMapView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Maps over layers"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void LayerMapView::show(std::vector<Section> sections, const std::string& current) {
    std::erase_if(sections, [](const Section& section) { return section.map.isEmpty(); });
    const std::vector<Section> before = std::exchange(sections_, std::move(sections));
    current_ = current;
    layers_ = 0;
    for (const Section& section : sections_) layers_ = std::max(layers_, section.map.layers());
    arrange();
    updateGeometry();
    hovered_ = again(before, hovered_);
    const std::optional<Place> held = again(before, held_);
    if (held != held_) {
        held_ = held;
        Q_EMIT heldChanged();
    }
    tell();
}

// The same cell among the present maps.
std::optional<LayerMapView::Place> LayerMapView::again(const std::vector<Section>& before,
                                                       const std::optional<Place>& place) const {
    if (!place) return std::nullopt;
    const LayerMap& old = before[place->section].map;
    const LayerRow& row = old.rows[place->row];
    for (std::size_t s = 0; s < shown_; ++s) {
        const LayerMap& map = sections_[s].map;
        if (map.kind != old.kind || map.array != old.array) continue;
        for (std::size_t r = 0; r < map.rows.size(); ++r)
            if (map.rows[r].label == row.label && map.rows[r].mixer == row.mixer &&
                map.runs[map.rows[r].source].run == old.runs[row.source].run && exists({s, r, place->layer}))
                return Place{s, r, place->layer};
    }
    return std::nullopt;
}

double LayerMapView::heightWith(double runRow, double headRow, std::size_t sections) const {
    double height = 0;
    for (std::size_t s = 0; s < sections; ++s) {
        const double pitch = byHead(sections_[s]) ? headRow : runRow + strip + row_gap;
        height += title_height + pitch * double(sections_[s].map.rows.size()) + section_gap;
    }
    return height + axis_height;
}

std::size_t LayerMapView::required() const {
    return std::size_t(std::count_if(sections_.begin(), sections_.end(),
                                     [](const Section& section) { return !section.isOptional; }));
}

// What is not asked for comes where there is room; then rows grow, within reason: those of heads first.
void LayerMapView::arrange() {
    shown_ = required();
    while (shown_ < sections_.size() && heightWith(run_row, usual_head_row, shown_ + 1) <= height()) ++shown_;
    std::size_t heads = 0, runs = 0;
    for (std::size_t s = 0; s < shown_; ++s)
        (byHead(sections_[s]) ? heads : runs) += sections_[s].map.rows.size();
    const auto part = [](double room, std::size_t rows, double least, double most) {
        return rows == 0 ? least : std::clamp(room / double(rows), least, most);
    };
    const double headRow =
        part(height() - heightWith(run_row, 0, shown_), heads, least_head_row, most_head_row);
    const double runRow =
        run_row + part(height() - heightWith(run_row, headRow, shown_), runs, 0, most_run_row - run_row);
    layouts_.clear();
    double y = 0;
    for (std::size_t s = 0; s < shown_; ++s) {
        Layout layout{.top = y, .rows = y + title_height};
        layout.pitch = byHead(sections_[s]) ? headRow : runRow + strip + row_gap;
        layout.row = byHead(sections_[s]) ? headRow - 1 : runRow;
        y = layout.rows + layout.pitch * double(sections_[s].map.rows.size()) + section_gap;
        layouts_.push_back(layout);
    }
    axis_ = y - section_gap + 3;
    if (hovered_ && !exists(*hovered_)) hovered_.reset();
}

QSize LayerMapView::sizeHint() const {
    return {560, int(heightWith(run_row, usual_head_row, required())) + 1};
}
QSize LayerMapView::minimumSizeHint() const {
    return {300, int(heightWith(run_row, least_head_row, required())) + 1};
}
void LayerMapView::resizeEvent(QResizeEvent*) {
    arrange();
    if (held_ && !exists(*held_)) hold(std::nullopt);
}

// Numbers of heads need less than names of runs.
double LayerMapView::columnLeft() const {
    const bool heads = std::all_of(sections_.begin(), sections_.end(), byHead);
    return heads ? left_room_heads : left_room;
}
double LayerMapView::columnWidth() const {
    return (width() - columnLeft() - right_room) / double(std::max<std::size_t>(1, layers_));
}

bool LayerMapView::exists(Place place) const {
    return place.section < shown_ && place.row < sections_[place.section].map.rows.size() &&
           place.layer < sections_[place.section].map.rows[place.row].cells.size();
}

QRectF LayerMapView::cellRect(Place place) const {
    const Layout& layout = layouts_.at(place.section);
    return {columnLeft() + columnWidth() * double(place.layer),
            layout.rows + layout.pitch * double(place.row), columnWidth() - 1, layout.row};
}

QRectF LayerMapView::labelRect(std::size_t section, std::size_t row) const {
    const QRectF cell = cellRect({section, row, 0});
    return {0, cell.top(), columnLeft() - 8, cell.height()};
}

std::optional<LayerMapView::Place> LayerMapView::placeAt(const QPointF& point) const {
    for (std::size_t s = 0; s < shown_; ++s) {
        const Layout& layout = layouts_[s];
        const double row = std::floor((point.y() - layout.rows) / layout.pitch);
        const double layer = std::floor((point.x() - columnLeft()) / columnWidth());
        if (row < 0 || layer < 0) continue;
        const Place place{s, std::size_t(row), std::size_t(layer)};
        if (exists(place) && !cell(place).isOutside) return place;
    }
    return std::nullopt;
}

const MeasuredCell& LayerMapView::cell(Place place) const {
    return sections_.at(place.section).map.rows.at(place.row).cells.at(place.layer);
}

const MeasuredRun& LayerMapView::run(Place place) const {
    const LayerMap& map = sections_.at(place.section).map;
    return map.runs.at(map.rows.at(place.row).source);
}

QString LayerMapView::text(Place place) const {
    const LayerMap& map = sections_.at(place.section).map;
    const MeasuredRun& of = run(place);
    QString where = of.name + tr(", layer %1").arg(place.layer);
    if (place.layer < of.layers.size()) {
        QStringList mixers;
        for (const HeadGroup& group : of.layers[place.layer].groups)
            mixers << QString::fromStdString(group.mixer);
        where += QStringLiteral(" (%1)").arg(mixers.join(QLatin1Char('+')));
    }
    const QString& label = map.rows[place.row].label;
    if (byHead(sections_[place.section]))
        where += QStringLiteral(", %1 %2").arg(map.rowName, label);
    else if (label != of.name)
        where += QStringLiteral(", ") + label;
    return tr("%1: %2 %3")
        .arg(where, arrayTitle(map.kind, map.array),
             cellText(cell(place), map.unit, map.isSigned, map.missing));
}

const MeasuredRun* LayerMapView::axisRun() const {
    const MeasuredRun* first = nullptr;
    for (const Section& section : sections_)
        for (const MeasuredRun& run : section.map.runs) {
            if (run.run == current_) return &run;
            if (!first) first = &run;
        }
    return first;
}

void LayerMapView::tell() {
    if (const auto now = read()) setAccessibleDescription(text(*now));
    update();
    Q_EMIT readChanged();
}

void LayerMapView::hover(std::optional<Place> place) {
    if (place == hovered_) return;
    hovered_ = place;
    tell();
}

void LayerMapView::hold(std::optional<Place> place) {
    if (place && !exists(*place)) place.reset();
    if (place == held_) return;
    held_ = place;
    Q_EMIT heldChanged();
    tell();
}

void LayerMapView::mouseMoveEvent(QMouseEvent* event) { hover(placeAt(event->position())); }

void LayerMapView::mousePressEvent(QMouseEvent* event) {
    for (std::size_t s = 0; s < shown_; ++s) {
        if (byHead(sections_[s])) continue;
        for (std::size_t r = 0; r < sections_[s].map.rows.size(); ++r)
            if (labelRect(s, r).contains(event->position())) {
                Q_EMIT runChosen(QString::fromStdString(run({s, r, 0}).run));
                return;
            }
    }
    const auto place = placeAt(event->position());
    holdRead(place == held_ ? std::nullopt : place);
}

void LayerMapView::mouseDoubleClickEvent(QMouseEvent* event) {
    const auto place = placeAt(event->position());
    if (!place) return;
    holdRead(place);
    Q_EMIT opened();
}

// The run of what is held becomes the current one.
void LayerMapView::holdRead(std::optional<Place> place) {
    hold(place);
    if (held_ && run(*held_).run != current_) Q_EMIT runChosen(QString::fromStdString(run(*held_).run));
}

void LayerMapView::leaveEvent(QEvent*) {
    if (!hasFocus()) hover(std::nullopt);
}

void LayerMapView::focusInEvent(QFocusEvent* event) {
    if (!hovered_ && !sections_.empty() && event->reason() != Qt::MouseFocusReason) hover(Place{});
    QWidget::focusInEvent(event);
}

void LayerMapView::keyPressEvent(QKeyEvent* event) {
    if (sections_.empty()) return QWidget::keyPressEvent(event);
    Place place = read().value_or(Place{});
    const auto rows = [this](std::size_t section) { return sections_[section].map.rows.size(); };
    switch (event->key()) {
        case Qt::Key_Left:
            if (place.layer > 0) --place.layer;
            break;
        case Qt::Key_Right:
            ++place.layer;
            break;
        case Qt::Key_Up:
            if (place.row > 0) {
                --place.row;
            } else if (place.section > 0) {
                --place.section;
                place.row = rows(place.section) - 1;
            }
            break;
        case Qt::Key_Down:
            if (place.row + 1 < rows(place.section)) {
                ++place.row;
            } else if (place.section + 1 < shown_) {
                ++place.section;
                place.row = 0;
            }
            break;
        case Qt::Key_Home:
            place.layer = 0;
            break;
        case Qt::Key_End:
            place.layer = layers_;
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            if (event->modifiers() & Qt::ControlModifier) {
                holdRead(place);
                Q_EMIT opened();
            } else {
                holdRead(held_ ? std::nullopt : std::optional(place));
            }
            return;
        case Qt::Key_Escape:
            if (held_) return hold(std::nullopt);
            return QWidget::keyPressEvent(event);
        default:
            return QWidget::keyPressEvent(event);
    }
    const std::vector<MeasuredCell>& cells = sections_[place.section].map.rows[place.row].cells;
    if (cells.empty()) return;
    place.layer = std::min(place.layer, cells.size() - 1);
    // Over layers of other kinds to the next one of this row.
    const auto inside = [&](int step) {
        for (auto l = std::ptrdiff_t(place.layer); l >= 0 && l < std::ptrdiff_t(cells.size()); l += step)
            if (!cells[std::size_t(l)].isOutside) return std::optional(std::size_t(l));
        return std::optional<std::size_t>();
    };
    const int step = event->key() == Qt::Key_Left || event->key() == Qt::Key_End ? -1 : 1;
    place.layer = inside(step).value_or(inside(-step).value_or(place.layer));
    hovered_ = place;
    if (held_)
        hold(place);
    else
        tell();
}

bool LayerMapView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const auto place = placeAt(help->pos()))
        QToolTip::showText(help->globalPos(), text(*place), this, cellRect(*place).toAlignedRect());
    else
        QToolTip::hideText();
    return true;
}

}  // namespace braid::ui
