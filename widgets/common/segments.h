// 2 to 4 choices beside each other; one is checked. Arrow keys move the choice, Tab leaves.
#pragma once

#include <QAbstractButton>
#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace braid::ui {

class Segments : public QWidget {
    Q_OBJECT

public:
    // `name` is the accessible name of the group: "X axis".
    explicit Segments(const QString& name, const QStringList& choices = {}, QWidget* parent = nullptr);

    void setChoices(const QStringList& choices);
    int count() const;
    int current() const;         // -1: none
    void setCurrent(int index);  // without chosen()
    void setChoiceEnabled(int index, bool enabled, const QString& reason = {});
    QAbstractButton* button(int index) const;

Q_SIGNALS:
    void chosen(int index);  // by the user

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QButtonGroup* group_;
};

}  // namespace braid::ui
