// Buttons, labels and small containers of look.md.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "widgets/common/theme.h"

class QBoxLayout;
class QHBoxLayout;

namespace braid::ui {

// Ordinary button: strong border. `iconName` of icons.h or empty.
QPushButton* makeButton(const QString& text, const QString& iconName = {}, QWidget* parent = nullptr);
// The one primary button of a view (ink), last in its toolbar.
QPushButton* makePrimaryButton(const QString& text, const QString& iconName = {}, QWidget* parent = nullptr);
// Red text: stop, delete.
QPushButton* makeDangerButton(const QString& text, const QString& iconName = {}, QWidget* parent = nullptr);
// Disabled with a reason (tool tip and accessible description), or enabled again with an empty one.
void setDisabledReason(QWidget* button, const QString& reason);
// Icon only, flat; `name` becomes tool tip and accessible name.
QToolButton* makeIconButton(const QString& iconName, const QString& name, QWidget* parent = nullptr);

// A label in a step of the type scale and a text level (1, 2, 3), that follows the theme.
class TextLabel : public QLabel {
    Q_OBJECT

public:
    explicit TextLabel(const QString& text = {}, TypeStep step = TypeStep::control, int weight = 400,
                       int level = 1, QWidget* parent = nullptr);
    void setStatus(
        const QString& status);  // "", "ok", "warn", "error", "info": that colour instead of the level
    // Long text is cut in the middle or at the end with "..." and told in full by the tool tip.
    void setElided(Qt::TextElideMode mode);
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void restyle();
    TypeStep step_;
    int weight_, level_;
    QString status_;
    Qt::TextElideMode elide_ = Qt::ElideNone;
};

// "Loss  nats per token": title 600, note in text 3, then what is added at the right.
class SectionTitle : public QWidget {
    Q_OBJECT

public:
    explicit SectionTitle(const QString& title, const QString& note = {}, QWidget* parent = nullptr);
    void setTitle(const QString& title);
    void setNote(const QString& note);
    void addWidget(QWidget* widget);  // right side

private:
    TextLabel *title_, *note_;
    QHBoxLayout* layout_;
};

// The 44 px bar at the top of a page: title (15 px, 600), note, stretch, buttons; overflows into "..." when
// narrow.
class PageToolbar : public QFrame {
    Q_OBJECT

public:
    explicit PageToolbar(const QString& title = {}, QWidget* parent = nullptr);
    void setTitle(const QString& title);
    void setNote(const QString& note);
    void addWidget(QWidget* widget);  // right side, in order
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void arrange();
    void showMore();
    TextLabel *title_, *note_;
    QHBoxLayout* layout_;
    QBoxLayout* heading_;  // the note beside the title, or beneath it where that is longer
    QToolButton* more_;
    QString noteText_;
    QList<QWidget*> widgets_, folded_;
    bool arranging_ = false;
};

// 1 px line in the border colour.
QFrame* makeSeparator(Qt::Orientation orientation = Qt::Horizontal, QWidget* parent = nullptr);
// Surface with border and card radius.
QFrame* makeCard(QWidget* parent = nullptr);

// A key as printed where it acts: "Ctrl K". Not focusable; screen readers get the shortcut from the action.
class KeyHint : public QLabel {
    Q_OBJECT

public:
    explicit KeyHint(const QString& keys, QWidget* parent = nullptr);
    using QLabel::text;
    static QString text(const QKeySequence& sequence);  // "Ctrl K", "Alt ↑"
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

// Nothing to see yet: one sentence, one button.
class EmptyState : public QWidget {
    Q_OBJECT

public:
    EmptyState(const QString& sentence, const QString& buttonText = {}, QWidget* parent = nullptr);
    void setSentence(const QString& sentence);
    QPushButton* button() const { return button_; }  // null without a text

Q_SIGNALS:
    void clicked();

private:
    TextLabel* sentence_;
    QPushButton* button_ = nullptr;
};

}  // namespace braid::ui
