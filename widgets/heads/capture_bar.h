// One line under the toolbar: a capture that is being made, with Cancel; what went wrong, with what to do;
// what there is to know about the text.
#pragma once

#include <QFrame>

#include "widgets/heads/heads_state.h"

class QPushButton;
class QToolButton;

namespace braid::ui {

class HeadsChoice;
class RunProgressBar;
class TextLabel;

class CaptureBar : public QFrame {
    Q_OBJECT

public:
    explicit CaptureBar(HeadsChoice& choice, QWidget* parent = nullptr);

    QString text() const;
    QPushButton* button() const { return button_; }  // Cancel, Try again, Capture anyway, ...
    // A sentence about the engine, until the next capture.
    void say(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    enum class Tone { plain, warn, error };
    enum class Act { none, cancel, retry, allow, detail, again };
    void follow();
    void tell(Tone tone, const QString& text, Act act, const QString& buttonText, bool closable);

    HeadsChoice& choice_;
    TextLabel* text_;
    RunProgressBar* bar_;
    QPushButton* button_;
    QToolButton* close_;
    QString said_, dismissed_;
    Tone tone_ = Tone::plain;
    Act act_ = Act::none;
    HeadSide damaged_ = HeadSide::a;
};

}  // namespace braid::ui
