// The foot of a dialog that composes a command: what it comes to, the command itself, what keeps it from
// being started, Cancel and the primary button.
#pragma once

#include <QStringList>
#include <QWidget>

class QPushButton;
class QToolButton;

namespace braid::ui {

class TextLabel;

class CommandFoot : public QWidget {
    Q_OBJECT

public:
    explicit CommandFoot(const QString& start, QWidget* parent = nullptr);

    void setSummary(const QString& text);  // a sentence above the command; empty: none
    void setCommand(const QString& command);
    // All of them keep the start button disabled, as its reason; the first lines of them are shown.
    void setProblems(const QStringList& problems);

    QPushButton* startButton() const { return start_; }
    QPushButton* cancelButton() const { return cancel_; }
    QToolButton* copyButton() const { return copy_; }
    QString summary() const;
    QString command() const;
    QString problemText() const { return problems_.join(QLatin1Char('\n')); }  // all of them

Q_SIGNALS:
    void started();
    void cancelled();

private:
    TextLabel *summary_, *command_, *problem_;
    QToolButton* copy_;
    QPushButton *cancel_, *start_;
    QStringList problems_;
};

}  // namespace braid::ui
