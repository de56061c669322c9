#include "app/workbench/dock.h"

#include <QBoxLayout>
#include <QPainter>

#include "widgets/common/controls.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

class TitleBar : public QWidget {
public:
    using QWidget::QWidget;
    QSize sizeHint() const override { return QSize(120, metrics::dockTitle); }
    QSize minimumSizeHint() const override { return QSize(60, metrics::dockTitle); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), tokens().panel);
        painter.fillRect(QRect(0, height() - 1, width(), 1), tokens().border);
    }
};

}  // namespace

Dock::Dock(const QString& id, const QString& title, Closing closing, QWidget* parent)
    : QDockWidget(title, parent),
      titleBar_(new TitleBar),
      titleLayout_(new QHBoxLayout(titleBar_)),
      title_(new TextLabel(title, TypeStep::table, 600, 1)),
      note_(new TextLabel({}, TypeStep::table, 400, 3)),
      holder_(new QWidget) {
    setObjectName(id);
    setAccessibleName(title);
    setAllowedAreas(Qt::LeftDockWidgetArea | Qt::RightDockWidgetArea);
    titleBar_->setFixedHeight(metrics::dockTitle);
    titleLayout_->setContentsMargins(metrics::gap3, 0, metrics::gap1, 1);
    titleLayout_->setSpacing(2);
    titleLayout_->addWidget(title_);
    titleLayout_->addSpacing(4);
    note_->setElided(Qt::ElideRight);
    titleLayout_->addWidget(note_, 1);
    setTitleBarWidget(titleBar_);
    auto* layout = new QVBoxLayout(holder_);
    layout->setContentsMargins(0, 0, 0, 0);
    setWidget(holder_);
    titleButtons_ = titleLayout_->count();
    if (closing == without_button) return;
    QToolButton* close = makeIconButton(QStringLiteral("close"), tr("Close %1").arg(title));
    close->setFixedSize(24, 24);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    titleLayout_->addWidget(close);
}

void Dock::setTitle(const QString& title) {
    setWindowTitle(title);
    setAccessibleName(title);
    title_->setText(title);
}

void Dock::setNote(const QString& note) { note_->setText(note); }

void Dock::addTitleWidget(QWidget* widget) {
    widget->setFixedSize(24, 24);
    titleLayout_->insertWidget(titleButtons_++, widget);
}

void Dock::setContent(QWidget* content) {
    QLayout* layout = holder_->layout();
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (item->widget() && item->widget() != content) {
            item->widget()->hide();
            item->widget()->setParent(nullptr);
        }
        delete item;
    }
    if (!content) return;
    layout->addWidget(content);
    content->show();
}

}  // namespace braid::ui
