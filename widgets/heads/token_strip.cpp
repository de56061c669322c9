#include "widgets/heads/token_strip.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/heads/map_layout.h"

namespace braid::ui {

namespace {

constexpr double padding = 4, gap = 3;
constexpr int longest = 18;            // characters of a chip
constexpr double before_share = 0.45;  // of the room, for tokens before the cursor's

}  // namespace

TokenStrip::TokenStrip(Axis axis, HeadSide side, HeadsState& state, QWidget* parent)
    : QWidget(parent), axis_(axis), side_(side), state_(state) {
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(axis == Axis::keys ? tr("Keys around the cursor") : tr("Text around the query"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    for (const auto signal : {&HeadsState::headsChanged, &HeadsState::cursorChanged})
        connect(&state_, signal, this, &TokenStrip::arrange);
    connect(&state_, &HeadsState::linesChanged, this, qOverload<>(&QWidget::update));
}

std::int64_t TokenStrip::centre() const {
    if (!state_.cursor()) return -1;
    return axis_ == Axis::keys ? state_.cursor()->key : state_.cursor()->query;
}

// The cursor's token a little left of the middle, its neighbours as far as two lines reach.
void TokenStrip::arrange() {
    chips_.clear();
    const HeadPointer& head = state_.head(side_);
    const std::int64_t middle = centre();
    if (head && middle >= 0 && middle < head->tokens()) {
        const QFontMetricsF metrics(Theme::instance().font(TypeStep::table, 500));
        const double room = width() - MapLayout::left - MapLayout::right;
        const auto text = [&](std::int64_t token) {
            QString shown = tokenText(*head->capture, token).trimmed();
            if (shown.size() > longest) shown = shown.left(longest - 1) + QChar(0x2026);
            return shown;
        };
        const auto wide = [&](const QString& shown) {
            return std::max(metrics.horizontalAdvance(shown), 4.0) + 2 * padding;
        };
        std::int64_t first = middle;
        for (double used = 0; first > 0; --first) {
            used += wide(text(first - 1)) + gap;
            if (used > room * 2 * before_share) break;
        }
        double x = MapLayout::left, y = 2;
        const double end = MapLayout::left + room;
        if (first > 0) x += metrics.horizontalAdvance(QChar(0x2026)) + 2 * gap;
        for (std::int64_t token = first; token < head->tokens(); ++token) {
            const QString shown = text(token);
            const double width = wide(shown);
            const bool last_line = y > line_height;
            if (x + width > end - (last_line ? 14 : 0)) {
                if (last_line) break;
                x = MapLayout::left;
                y += line_height;
            }
            chips_.push_back({token, QRectF(x, y, width, line_height - 4), shown});
            x += width + gap;
        }
    }
    setAccessibleDescription(text());
    update();
}

QString TokenStrip::text() const {
    QStringList shown;
    for (const Chip& chip : chips_) shown << chip.text;
    return shown.join(QLatin1Char(' '));
}

QRectF TokenStrip::chipOf(std::int64_t token) const {
    for (const Chip& chip : chips_)
        if (chip.token == token) return chip.rect;
    return {};
}

void TokenStrip::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.fillRect(rect(), t.surface);
    const HeadPointer& head = state_.head(side_);
    if (!head) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(Theme::instance().font(TypeStep::tick));
    painter.setPen(t.text2);
    painter.drawText(QRectF(0, 2, 44, line_height - 4), Qt::AlignRight | Qt::AlignVCenter,
                     axis_ == Axis::keys ? tr("keys") : tr("query"));
    // Weights belong to the axis along which the line runs.
    const std::vector<float>& line = state_.shownLine(side_);
    const bool weighted = state_.lineIsColumn() == (axis_ == Axis::queries) && !line.empty();
    const AttentionScale scale = state_.source(side_).scale;
    double by = 1;
    if (scale.form == AttentionForm::row && weighted) {
        double most = 0;
        for (const float weight : line) most = std::max(most, std::abs(double(weight)));
        by = most > 0 ? 1 / most : 0;
    }
    painter.setFont(Theme::instance().font(TypeStep::table, 500));
    const std::int64_t middle = centre();
    for (const Chip& chip : chips_) {
        QColor fill = t.sunken, ink = t.text1;
        if (weighted && std::size_t(chip.token) < line.size()) {
            fill = scale.colour(double(line[std::size_t(chip.token)]) * by);
            ink = strongestOn(fill);
        } else if (!weighted && chip.token == middle) {
            fill = t.ink;
            ink = t.onInk;
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(chip.rect, metrics::radiusCell, metrics::radiusCell);
        if (weighted && chip.token == middle) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(t.ink, 1.6));
            painter.drawRoundedRect(chip.rect.adjusted(-1, -1, 1, 1), metrics::radiusCell + 1,
                                    metrics::radiusCell + 1);
        }
        painter.setPen(ink);
        painter.drawText(chip.rect, Qt::AlignCenter, chip.text);
    }
    painter.setPen(t.text2);
    if (!chips_.empty() && chips_.front().token > 0)
        painter.drawText(QRectF(MapLayout::left, 2, 20, line_height - 4), Qt::AlignLeft | Qt::AlignVCenter,
                         QString(QChar(0x2026)));
    if (!chips_.empty() && chips_.back().token + 1 < head->tokens())
        painter.drawText(
            QRectF(chips_.back().rect.right() + 3, chips_.back().rect.top(), 20, line_height - 4),
            Qt::AlignLeft | Qt::AlignVCenter, QString(QChar(0x2026)));
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.ink, 2));
        painter.drawRoundedRect(QRectF(rect()).adjusted(MapLayout::left - 4, 1, -MapLayout::right + 4, -1),
                                metrics::radiusField, metrics::radiusField);
    }
}

void TokenStrip::resizeEvent(QResizeEvent*) { arrange(); }
void TokenStrip::focusInEvent(QFocusEvent*) { update(); }
void TokenStrip::focusOutEvent(QFocusEvent*) { update(); }

void TokenStrip::go(std::int64_t token) {
    if (!state_.cursor()) return;
    if (axis_ == Axis::keys)
        state_.moveCursor(0, token - state_.cursor()->key);
    else
        state_.moveCursor(token - state_.cursor()->query, 0);
}

void TokenStrip::mousePressEvent(QMouseEvent* event) {
    for (const Chip& chip : chips_)
        if (chip.rect.contains(event->position())) return go(chip.token);
}

void TokenStrip::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Left) return go(centre() - 1);
    if (event->key() == Qt::Key_Right) return go(centre() + 1);
    QWidget::keyPressEvent(event);
}

bool TokenStrip::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const std::vector<float>& line = state_.shownLine(side_);
        const bool weighted = state_.lineIsColumn() == (axis_ == Axis::queries);
        for (const Chip& chip : chips_) {
            if (!chip.rect.contains(help->pos())) continue;
            QString said =
                tr("token %1 “%2”")
                    .arg(formatCount(chip.token), tokenText(*state_.head(side_)->capture, chip.token));
            if (weighted && std::size_t(chip.token) < line.size())
                said += (state_.difference() ? tr(", B − A %1") : tr(", weight %1"))
                            .arg(formatSignificant(double(line[std::size_t(chip.token)]), 3));
            QToolTip::showText(help->globalPos(), said, this, chip.rect.toRect());
            return true;
        }
        QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

}  // namespace braid::ui
