// One sentence across the page with what can be done about it: unsaved work found, an architecture deleted.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

class QHBoxLayout;

namespace braid::ui {

class TextLabel;

class Banner : public QWidget {
    Q_OBJECT

public:
    struct Choice {
        QString text;
        std::function<void()> act;  // the banner is gone when it runs
    };

    explicit Banner(QWidget* parent = nullptr);
    void say(const QString& sentence, std::vector<Choice> choices);  // in place of what it said before
    QString sentence() const;
    // Presses the button of that text; false: there is none. For tests.
    bool choose(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    TextLabel* sentence_;
    QHBoxLayout* buttons_;
};

}  // namespace braid::ui
