// Everything that the command palette can find: actions of menus and workspaces, and entries made on demand
// (runs, layers, studies).
#pragma once

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QString>
#include <functional>

class QAction;

namespace braid::ui {

struct CommandItem {
    QString text;      // "Duplicate layer"
    QString group;     // "Edit", "Run", "Layer"
    QString iconName;  // may be empty
    QKeySequence shortcut = {};
    bool enabled = true;
    std::function<void()> run;
};

class CommandRegistry : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // The action must have a text; its objectName is its id in the shortcuts dialog. Added twice: once.
    void addAction(QAction* action, const QString& group);
    // Asked each time the palette opens; removed with `owner`.
    void addSource(QObject* owner, std::function<QList<CommandItem>()> source);

    QList<CommandItem> items() const;
    struct ActionEntry {
        QPointer<QAction> action;
        QString group;
        QList<QKeySequence> defaultShortcuts;
    };
    QList<ActionEntry> actions() const;

    // Shortcuts that the user chose, in QSettings ("shortcuts/<objectName>").
    void setShortcut(QAction* action, const QKeySequence& sequence);
    void resetShortcut(QAction* action);
    QKeySequence defaultShortcut(const QAction* action) const;

Q_SIGNALS:
    void actionsChanged();

private:
    QList<ActionEntry> actions_;
    struct Source {
        QPointer<QObject> owner;
        std::function<QList<CommandItem>()> make;
    };
    QList<Source> sources_;
};

// Score of a fuzzy match of `query` in `text`, -1: no match. Letters in order; starts of words and runs of
// letters score higher. `positions`: indices in `text` that matched, if not null.
int fuzzyScore(const QString& query, const QString& text, QList<int>* positions = nullptr);

}  // namespace braid::ui
