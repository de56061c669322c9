// An input with its unit outside and its error beneath.
#pragma once

#include <QLineEdit>
#include <QWidget>

namespace braid::ui {

class TextLabel;

class Field : public QWidget {
    Q_OBJECT

public:
    // `name` is the accessible name ("Window"), `unit` is shown right of the field ("tokens", "of 16").
    explicit Field(const QString& name, const QString& unit = {}, QWidget* parent = nullptr);

    QString text() const;
    void setText(const QString& text);  // without committed()
    void setUnit(const QString& unit);
    void setPlaceholder(const QString& text);
    void setMonospaced(bool mono);
    void setFieldWidth(int pixels);  // of the input alone; 0: as wide as there is room
    // Red border and the sentence beneath; empty: all is well.
    void setError(const QString& error);
    QLineEdit* lineEdit() const { return edit_; }

Q_SIGNALS:
    void edited(const QString& text);     // each keystroke
    void committed(const QString& text);  // Return, or focus left after a change

private:
    QLineEdit* edit_;
    TextLabel *unit_, *error_;
    QString committedText_;
};

}  // namespace braid::ui
