#include "widgets/runs/project_delegate.h"

#include <QPainter>
#include <QTreeView>
#include <algorithm>

#include "widgets/common/icons.h"
#include "widgets/common/mixer_style.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/common/run_name.h"
#include "widgets/common/style_paint.h"
#include "widgets/common/theme.h"
#include "widgets/runs/project_model.h"

namespace braid::ui {

namespace {

constexpr int heading_height = 30, row_height = 25, margin = 6, icon_left = 19, text_left = 40,
              strip_width = 40;

QColor colourOf(const QString& status, const QColor& plain) {
    const Tokens& t = tokens();
    if (status == QLatin1String("ok")) return t.ok;
    if (status == QLatin1String("warn")) return t.warn;
    if (status == QLatin1String("error")) return t.error;
    return plain;
}

void paintHeading(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) {
    const Tokens& t = tokens();
    const auto* tree = qobject_cast<const QTreeView*>(option.widget);
    const bool open = tree && tree->isExpanded(index);
    const QRect rect = option.rect.adjusted(0, 4, 0, 0);
    style::chevron(painter, QPointF(rect.left() + 15, rect.center().y() + 1),
                   open ? Qt::DownArrow : Qt::RightArrow, t.text3, 3.5);
    painter.setFont(Theme::instance().font(TypeStep::control, 600));
    painter.setPen(t.text2);
    painter.drawText(rect.adjusted(26, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
    painter.setFont(Theme::instance().font(TypeStep::table));
    painter.setPen(t.text3);
    painter.drawText(rect.adjusted(0, 0, -14, 0), Qt::AlignRight | Qt::AlignVCenter,
                     index.data(ProjectModel::StateRole).toString());
}

}  // namespace

void ProjectDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    const Tokens& t = tokens();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const bool heading = !index.parent().isValid();
    const QRectF row = QRectF(option.rect).adjusted(margin - 1, heading ? 4 : 0, -margin + 1, 0);
    const bool selected = option.state & QStyle::State_Selected;
    if (selected || (!heading && option.state & QStyle::State_MouseOver)) {
        style::panel(*painter, row, metrics::radiusField, selected ? t.selection : t.hover, Qt::transparent);
    }
    if (heading) {
        paintHeading(*painter, option, index);
    } else {
        QRect rest = option.rect.adjusted(text_left, 0, -14, 0);
        const QString status = index.data(ProjectModel::StatusRole).toString();
        const bool faint = status == QLatin1String("faint");
        const auto section = ProjectModel::Section(index.data(ProjectModel::SectionRole).toInt());
        const int middle = option.rect.center().y();
        const auto spec =
            index.data(ProjectModel::LayersPointerRole).value<std::shared_ptr<const ArchitectureSpec>>();
        const QString state = index.data(ProjectModel::StateRole).toString();
        if (spec && state.isEmpty()) {
            paintStrip(*painter, QRectF(rest.right() - strip_width + 1, middle - 4, strip_width, 10),
                       spec->layers, 1);
            rest.setRight(rest.right() - strip_width - 8);
        } else if (!state.isEmpty()) {
            painter->setFont(Theme::instance().font(TypeStep::table));
            painter->setPen(colourOf(status, faint ? t.text3 : t.text2));
            painter->drawText(rest, Qt::AlignRight | Qt::AlignVCenter, state);
            rest.setRight(rest.right() - painter->fontMetrics().horizontalAdvance(state) - 8);
        }
        const QRect mark(option.rect.left() + icon_left, middle - 7, 16, 16);
        if (const auto run = index.data(ProjectModel::RunPointerRole).value<RunPointer>()) {
            paintStatePie(*painter, QRectF(mark.center().x() - 4, mark.center().y() - 4, 10, 10),
                          run->state(), run->progress(), run->paletteIndex);
        } else if (section == ProjectModel::studies || section == ProjectModel::figures) {
            const QString name =
                section == ProjectModel::studies ? QStringLiteral("study") : QStringLiteral("figure");
            icon(name).paint(painter, mark);
        } else {
            rest.setLeft(option.rect.left() + text_left - 6);
        }
        painter->setFont(Theme::instance().font(TypeStep::control, selected ? 500 : 400));
        painter->setPen(faint ? t.text3 : t.text1);
        painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                          elidedRunName(index.data().toString(), painter->fontMetrics(), rest.width()));
    }
    if (option.state & QStyle::State_HasFocus && option.state & QStyle::State_KeyboardFocusChange) {
        style::focusRing(*painter, row, metrics::radiusField);
    }
    painter->restore();
}

QSize ProjectDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    const int extra = std::max(0, Theme::instance().fontSize() - 13);
    return QSize(100, (index.parent().isValid() ? row_height : heading_height) + extra);
}

}  // namespace braid::ui
