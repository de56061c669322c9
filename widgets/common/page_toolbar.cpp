#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QWidgetAction>
#include <algorithm>

#include "widgets/common/controls.h"
#include "widgets/common/icons.h"

namespace braid::ui {

namespace {

constexpr int least_note = 96;

}  // namespace

PageToolbar::PageToolbar(const QString& title, QWidget* parent)
    : QFrame(parent),
      title_(new TextLabel(title, TypeStep::title, 600, 1)),
      note_(new TextLabel({}, TypeStep::table, 400, 3)),
      layout_(new QHBoxLayout(this)),
      heading_(new QBoxLayout(QBoxLayout::LeftToRight)),
      more_(makeIconButton(QStringLiteral("more"), tr("More"))) {
    setFixedHeight(metrics::toolbar);
    layout_->setContentsMargins(metrics::gap3, 0, metrics::gap3, 0);
    layout_->setSpacing(metrics::gap2);
    layout_->setSizeConstraint(QLayout::SetNoConstraint);  // narrower than its widgets: they fold
    title_->setElided(Qt::ElideRight);
    title_->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    note_->setElided(Qt::ElideRight);
    heading_->setSpacing(metrics::gap2);
    heading_->addWidget(title_);
    heading_->addWidget(note_, 1);
    layout_->addLayout(heading_, 1);
    more_->setPopupMode(QToolButton::InstantPopup);
    more_->hide();
    layout_->addWidget(more_);
    connect(more_, &QToolButton::clicked, this, &PageToolbar::showMore);
}

void PageToolbar::setTitle(const QString& title) {
    title_->setText(title);
    arrange();
}
void PageToolbar::setNote(const QString& note) {
    noteText_ = note;
    arrange();
}

void PageToolbar::addWidget(QWidget* widget) {
    layout_->insertWidget(layout_->count() - 1, widget);
    widgets_.push_back(widget);
    widget->installEventFilter(this);
    arrange();
}

QSize PageToolbar::minimumSizeHint() const { return QSize(160, metrics::toolbar); }

void PageToolbar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    arrange();
}

bool PageToolbar::eventFilter(QObject* watched, QEvent* event) {
    // The owner shows and hides its own widgets; what the toolbar folds away does not count as that.
    if (!arranging_ && (event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent)) {
        auto* widget = qobject_cast<QWidget*>(watched);
        if (event->type() == QEvent::HideToParent) folded_.removeAll(widget);
        arrange();
    }
    return QFrame::eventFilter(watched, event);
}

// Folds from the right, but keeps the last widget (the primary button) as long as possible.
void PageToolbar::arrange() {
    if (arranging_) return;
    arranging_ = true;
    QList<QWidget*> wanted;
    for (QWidget* widget : widgets_) {
        if (!widget->isHidden() || folded_.contains(widget)) wanted.push_back(widget);
    }
    // A title of ordinary length is told in full; the note takes what is left.
    const int titleWidth = std::min(title_->fontMetrics().horizontalAdvance(title_->text()) + 2, 160);
    title_->setMinimumWidth(titleWidth);
    const int titleRoom = titleWidth + 2 * metrics::gap3;
    const auto room = [&](const QList<QWidget*>& shown) {
        int width = titleRoom;
        for (const QWidget* widget : shown) width += widget->sizeHint().width() + metrics::gap2;
        return width;
    };
    QList<QWidget*> shown = wanted;
    QList<QWidget*> folded;
    while (shown.size() > 1 && room(shown) + (folded.isEmpty() ? 0 : 36) > width()) {
        folded.prepend(shown.takeAt(shown.size() - 2));
    }
    folded_ = folded;
    for (QWidget* widget : wanted) widget->setVisible(!folded.contains(widget));
    more_->setVisible(!folded.isEmpty());
    // A word or two of a note say nothing.
    const int left = width() - room(shown) - (folded.isEmpty() ? 0 : 36);
    const int needed = note_->fontMetrics().horizontalAdvance(noteText_) + 2;
    const int least = std::min(needed, least_note);
    // Beneath the title there is its room, too; where that is too little the title stands in the middle.
    const bool beneath = !noteText_.isEmpty() && left < needed && titleWidth + left >= least;
    heading_->setDirection(beneath ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    heading_->setSpacing(beneath ? 0 : metrics::gap2);
    heading_->setContentsMargins(0, beneath ? metrics::gap1 : 0, 0, beneath ? metrics::gap1 : 0);
    title_->setAlignment(Qt::AlignLeft | (beneath ? Qt::AlignBottom : Qt::AlignVCenter));
    note_->setAlignment(Qt::AlignLeft | (beneath ? Qt::AlignTop : Qt::AlignVCenter));
    const int note_room = beneath ? titleWidth + left : left;
    note_->setText(note_room >= least ? noteText_ : QString());
    arranging_ = false;
}

void PageToolbar::showMore() {
    QMenu menu(this);
    for (QWidget* widget : folded_) {
        if (auto* button = qobject_cast<QAbstractButton*>(widget)) {
            QAction* action =
                menu.addAction(button->icon(), button->text().isEmpty() ? button->toolTip() : button->text());
            action->setEnabled(button->isEnabled());
            action->setCheckable(button->isCheckable());
            action->setChecked(button->isChecked());
            connect(action, &QAction::triggered, button, &QAbstractButton::click);
        } else if (auto* combo = qobject_cast<QComboBox*>(widget)) {
            QMenu* choices = menu.addMenu(combo->accessibleName());
            for (int i = 0; i < combo->count(); ++i) {
                QAction* action = choices->addAction(combo->itemText(i));
                connect(action, &QAction::triggered, combo, [combo, i] {
                    combo->setCurrentIndex(i);
                    Q_EMIT combo->activated(i);
                });
            }
        } else {
            // Anything else (segments, sliders) is shown in the menu itself and goes back when it closes.
            auto* action = new QWidgetAction(&menu);
            auto* holder = new QWidget;
            auto* layout = new QHBoxLayout(holder);
            layout->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap3, metrics::gap1);
            layout->addWidget(widget);
            widget->show();
            action->setDefaultWidget(holder);
            menu.addAction(action);
        }
    }
    arranging_ = true;
    menu.exec(more_->mapToGlobal(QPoint(0, more_->height())));
    for (int i = 0; i < widgets_.size(); ++i) {
        if (folded_.contains(widgets_[i]) && widgets_[i]->parentWidget() != this) {
            widgets_[i]->setParent(this);
            layout_->insertWidget(2 + i, widgets_[i]);
            widgets_[i]->hide();
        }
    }
    arranging_ = false;
}

void PageToolbar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), tokens().surface);
    painter.fillRect(QRect(0, height() - 1, width(), 1), tokens().border);
}

}  // namespace braid::ui
