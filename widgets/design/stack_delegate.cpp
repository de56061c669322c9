#include "widgets/design/stack_delegate.h"

#include <QPainter>
#include <algorithm>

#include "widgets/common/icons.h"
#include "widgets/common/mixer_style.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr int badge_size = 18;
constexpr int right_padding = 9;
constexpr int bar_width = 72;
constexpr int bar_height = 2;
constexpr double heavy_share = 0.25;  // of the largest cache: told in weight 500

QRect number_rect(const QRect& cell) { return cell.adjusted(0, 0, -right_padding, 0); }

void draw_text(QPainter& painter, const QRect& rect, Qt::Alignment alignment, const QFont& font,
               const QColor& colour, const QString& text) {
    painter.setFont(font);
    painter.setPen(colour);
    const QString shown = QFontMetrics(font).elidedText(text, Qt::ElideRight, rect.width());
    painter.drawText(rect, static_cast<int>(alignment | Qt::AlignVCenter), shown);
}

void draw_mixer(QPainter& painter, QRect cell, const LayerSpec& layer, const QString& title) {
    int x = cell.left() + 2;
    const std::size_t badges = std::min<std::size_t>(layer.groups.size(), 3);
    for (std::size_t i = 0; i < badges; ++i) {
        paintBadge(painter, QRectF(x, cell.center().y() - badge_size / 2.0 + 0.5, badge_size, badge_size),
                   layer.groups[i].mixer);
        x += badge_size + 2;
    }
    cell.setLeft(x + 5);
    const Theme& theme = Theme::instance();
    draw_text(painter, cell, Qt::AlignLeft, theme.font(TypeStep::control, badges > 1 ? 600 : 500),
              tokens().text1, title);
}

void draw_problem(QPainter& painter, QRect cell, const QString& problem) {
    constexpr int icon_size = 14;
    const qreal ratio = painter.device()->devicePixelRatioF();
    const QRect icon(cell.left(), cell.center().y() - icon_size / 2 + 1, icon_size, icon_size);
    painter.drawPixmap(icon, iconPixmap(QStringLiteral("warning"), icon_size, tokens().error, ratio));
    cell.setLeft(icon.right() + 5);
    draw_text(painter, cell, Qt::AlignLeft, Theme::instance().font(TypeStep::control, 500), tokens().error,
              problem);
}

void draw_cache(QPainter& painter, const QRect& cell, const StackModel::Row& row, std::int64_t largest,
                const QString& text) {
    const double share =
        largest > 0 ? static_cast<double>(row.cost.kv_bytes) / static_cast<double>(largest) : 0;
    const bool heavy = share >= heavy_share;
    const int width = static_cast<int>(share * bar_width + 0.5);
    QRect rect = number_rect(cell);
    if (width > 1) {
        rect.adjust(0, -2, 0, -2);
        const QColor hue =
            row.layer->groups.empty() ? tokens().axis : mixerStyle(row.layer->groups.front().mixer).hue;
        painter.fillRect(QRect(rect.right() - width + 1, cell.bottom() - bar_height - 2, width, bar_height),
                         hue);
    }
    draw_text(painter, rect, Qt::AlignRight, Theme::instance().font(TypeStep::control, heavy ? 500 : 400),
              heavy ? tokens().text1 : tokens().text2, text);
}

}  // namespace

void StackDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    const auto* model = qobject_cast<const StackModel*>(index.model());
    if (!model) {
        return;
    }
    const StackModel::Row& row = model->row(index.row());
    const QString text = index.data().toString();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const Tokens& colours = tokens();
    const Theme& theme = Theme::instance();
    painter->save();
    switch (index.column()) {
        case StackModel::LayerColumn: {
            QRect rect = option.rect;
            rect.setRight(option.rect.left() + index_right);
            draw_text(*painter, rect, Qt::AlignRight, theme.font(TypeStep::control, selected ? 600 : 400),
                      selected ? colours.text1 : colours.text3, QString::number(index.row()));
            break;
        }
        case StackModel::MixerColumn:
            draw_mixer(*painter, option.rect, *row.layer, text);
            break;
        case StackModel::SettingsColumn:
            if (row.problem.isEmpty()) {
                draw_text(*painter, option.rect, Qt::AlignLeft, theme.font(TypeStep::control), colours.text2,
                          text);
            } else {
                // Figures of such a row are not known: the message may use their room.
                QRect rect = option.rect;
                if (option.widget) {
                    rect.setRight(option.widget->width() - right_padding);
                }
                draw_problem(*painter, rect, text);
            }
            break;
        case StackModel::ParametersColumn:
            draw_text(*painter, number_rect(option.rect), Qt::AlignRight, theme.font(TypeStep::control),
                      colours.text2, text);
            break;
        default:
            if (row.problem.isEmpty()) {
                draw_cache(*painter, option.rect, row, model->largestCache(), text);
            }
            break;
    }
    painter->restore();
}

QSize StackDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const int height = compact_ ? metrics::rowCompact : metrics::row + 1;
    return {QStyledItemDelegate::sizeHint(option, index).width(), height};
}

}  // namespace braid::ui
