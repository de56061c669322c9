#include "app/workbench/rail.h"

#include <QPainter>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/icons.h"
#include "widgets/common/style_paint.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {
constexpr int button_height = 52, icon_size = 20, margin = 6;
}

RailButton::RailButton(const QString& text, const QString& iconName, QWidget* parent)
    : QAbstractButton(parent), iconName_(iconName) {
    setText(text);
    setAccessibleName(text);
    setCheckable(true);
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);
}

void RailButton::setAttention(bool wanted) {
    if (attention_ == wanted) return;
    attention_ = wanted;
    setAccessibleDescription(wanted ? tr("active") : QString());
    update();
}

QSize RailButton::sizeHint() const { return QSize(metrics::rail, button_height); }

void RailButton::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF body = QRectF(rect()).adjusted(margin, 0, -margin, 0);
    if (isChecked() || underMouse()) {
        style::panel(painter, body, metrics::radiusCard, isChecked() ? t.checked : t.hover, Qt::transparent);
    }
    if (isChecked()) {
        style::panel(painter, QRectF(-2, height() / 2.0 - 15, 4, 30), 2, t.ink, Qt::transparent);
    }
    if (style::hasVisibleFocus(*this)) style::focusRing(painter, body, metrics::radiusCard);
    const QColor colour = isChecked() ? t.text1 : t.text2;
    const QPointF corner(width() / 2.0 - icon_size / 2.0, 8);
    painter.drawPixmap(corner, iconPixmap(iconName_, icon_size, colour, devicePixelRatioF()));
    painter.setFont(Theme::instance().font(TypeStep::tick, isChecked() ? 600 : 400));
    painter.setPen(colour);
    painter.drawText(QRect(0, 29, width(), 20), Qt::AlignCenter, text());
    if (attention_) {
        painter.setPen(QPen(isChecked() ? t.checked : t.window, 1.5));
        painter.setBrush(t.ok);
        painter.drawEllipse(corner + QPointF(icon_size + 1, 3), 4, 4);
    }
}

Rail::Rail(QWidget* parent) : QWidget(parent), layout_(new QVBoxLayout(this)) {
    setObjectName(QStringLiteral("rail"));
    setAccessibleName(tr("Workspaces"));
    setFixedWidth(metrics::rail);
    layout_->setContentsMargins(0, metrics::gap2, 0, metrics::gap2);
    layout_->setSpacing(metrics::gap1);
    layout_->addStretch();
    QToolButton* settings = makeIconButton(QStringLiteral("settings"), tr("Settings"));
    settings->setIconSize(QSize(20, 20));
    settings->setFixedSize(36, 36);
    connect(settings, &QToolButton::clicked, this, &Rail::settingsWanted);
    layout_->addWidget(settings, 0, Qt::AlignHCenter);
}

RailButton* Rail::addWorkspace(const QString& id, const QString& title, const QString& iconName,
                               const QString& shortcut) {
    auto* button = new RailButton(title, iconName);
    button->setToolTip(QStringLiteral("%1  %2").arg(title, shortcut));
    connect(button, &QAbstractButton::clicked, this, [this, id] { Q_EMIT workspaceChosen(id); });
    layout_->insertWidget(int(entries_.size()), button);
    entries_.push_back({id, button});
    return button;
}

void Rail::setCurrent(const QString& id) {
    for (const Entry& entry : entries_) entry.button->setChecked(entry.id == id);
}

void Rail::setAttention(const QString& id, bool wanted) {
    for (const Entry& entry : entries_) {
        if (entry.id == id) entry.button->setAttention(wanted);
    }
}

void Rail::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.fillRect(rect(), t.window);
    painter.fillRect(QRect(width() - 1, 0, 1, height()), t.border);
}

}  // namespace braid::ui
