#include "widgets/design/banner.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>

#include "widgets/common/controls.h"
#include "widgets/common/theme.h"

namespace braid::ui {

Banner::Banner(QWidget* parent) : QWidget(parent), sentence_(new TextLabel), buttons_(new QHBoxLayout) {
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap3, metrics::gap1);
    line->setSpacing(metrics::gap2);
    sentence_->setElided(Qt::ElideRight);
    line->addWidget(sentence_, 1);
    buttons_->setSpacing(metrics::gap2);
    line->addLayout(buttons_);
    setVisible(false);
}

void Banner::say(const QString& sentence, std::vector<Choice> choices) {
    while (QLayoutItem* item = buttons_->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    sentence_->setText(sentence);
    setAccessibleName(sentence);
    for (Choice& choice : choices) {
        QPushButton* button = makeButton(choice.text);
        connect(button, &QPushButton::clicked, this, [this, act = std::move(choice.act)] {
            hide();
            if (act) {
                act();
            }
        });
        buttons_->addWidget(button);
    }
    setVisible(true);
}

QString Banner::sentence() const { return isHidden() ? QString() : sentence_->text(); }

bool Banner::choose(const QString& text) {
    for (int i = 0; i < buttons_->count(); ++i) {
        auto* button = qobject_cast<QPushButton*>(buttons_->itemAt(i)->widget());
        if (button && button->text() == text) {
            button->click();
            return true;
        }
    }
    return false;
}

void Banner::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), tokens().warnTint);
    painter.fillRect(QRect(0, height() - 1, width(), 1), tokens().border);
}

}  // namespace braid::ui
