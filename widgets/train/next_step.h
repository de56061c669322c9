// A card that offers the next step: icon, title, key, one sentence.
#pragma once

#include <QPushButton>

namespace braid::ui {

class NextStep : public QPushButton {
    Q_OBJECT

public:
    NextStep(const QString& iconName, const QString& title, const QString& sentence, const QString& key,
             QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString icon_, sentence_, key_;
};

}  // namespace braid::ui
