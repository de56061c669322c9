// Ctrl+K: finds commands, runs, studies and layers by a few letters. Drops down from the top of the window.
#pragma once

#include <QFrame>
#include <QList>
#include <QPointer>

#include "widgets/common/command_registry.h"

class QLabel;
class QLineEdit;
class QListView;

namespace braid::ui {

class CommandListModel;

class CommandPalette : public QFrame {
    Q_OBJECT

public:
    // A child of `window`; hidden until open().
    CommandPalette(CommandRegistry& registry, QWidget* window);

    // `top`: where its upper edge is, in the window. `text` is what was typed already.
    void open(int top, const QString& text = {});
    QStringList shownTexts() const;  // best first

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void filter(const QString& query);
    void runCurrent();
    void place();
    void closePalette();

    CommandRegistry& registry_;
    QLineEdit* edit_;
    QListView* list_;
    QLabel* none_;  // in place of the list, where nothing matches
    CommandListModel* model_;
    QPointer<QWidget> focusBefore_;
    int top_ = 0;
};

}  // namespace braid::ui
