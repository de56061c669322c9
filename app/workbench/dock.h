// A dock with Braid's title: 30 px, name in 600, a note in text 3, buttons at the right.
#pragma once

#include <QDockWidget>

class QHBoxLayout;

namespace braid::ui {

class TextLabel;

class Dock : public QDockWidget {
    Q_OBJECT

public:
    enum Closing { with_button, without_button };  // without: by its menu entry and key alone
    // `id` is the object name: the key in a saved layout.
    Dock(const QString& id, const QString& title, Closing closing, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setNote(const QString& note);
    void addTitleWidget(QWidget* widget);  // right, before the close button
    void setContent(QWidget* content);     // an earlier one is unparented, not deleted

private:
    QWidget* titleBar_;
    QHBoxLayout* titleLayout_;
    TextLabel *title_, *note_;
    QWidget* holder_;
    int titleButtons_ = 0;  // place in the title of the next one
};

}  // namespace braid::ui
