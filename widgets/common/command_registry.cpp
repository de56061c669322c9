#include "widgets/common/command_registry.h"

#include <QAction>
#include <QSettings>
#include <algorithm>

namespace braid::ui {

namespace {

QString settingsKey(const QAction* action) { return QStringLiteral("shortcuts/") + action->objectName(); }

QString plainText(const QAction* action) {
    QString text = action->text();
    text.remove(QLatin1Char('&'));
    if (text.endsWith(QStringLiteral("…"))) text.chop(1);
    return text;
}

bool isWordStart(const QString& text, int index) {
    if (index == 0) return true;
    const QChar before = text[index - 1];
    return !before.isLetterOrNumber() || (before.isLower() && text[index].isUpper());
}

}  // namespace

void CommandRegistry::addAction(QAction* action, const QString& group) {
    const bool known = std::any_of(actions_.begin(), actions_.end(),
                                   [action](const ActionEntry& entry) { return entry.action == action; });
    if (known) return;
    actions_.push_back({action, group, action->shortcuts()});
    const QSettings settings;
    if (!action->objectName().isEmpty() && settings.contains(settingsKey(action))) {
        action->setShortcut(
            QKeySequence(settings.value(settingsKey(action)).toString(), QKeySequence::PortableText));
    }
    connect(action, &QObject::destroyed, this,
            [this] { actions_.removeIf([](const ActionEntry& entry) { return entry.action.isNull(); }); });
    Q_EMIT actionsChanged();
}

void CommandRegistry::addSource(QObject* owner, std::function<QList<CommandItem>()> source) {
    sources_.push_back({owner, std::move(source)});
}

QList<CommandItem> CommandRegistry::items() const {
    QList<CommandItem> result;
    for (const ActionEntry& entry : actions_) {
        if (!entry.action || !entry.action->isVisible() || entry.action->text().isEmpty()) continue;
        QAction* action = entry.action;
        result.push_back({.text = plainText(action),
                          .group = entry.group,
                          .iconName = {},
                          .shortcut = action->shortcut(),
                          .enabled = action->isEnabled(),
                          .run = [guard = QPointer<QAction>(action)] {
                              if (guard) guard->trigger();
                          }});
    }
    for (const Source& source : sources_) {
        if (source.owner) result += source.make();
    }
    return result;
}

QList<CommandRegistry::ActionEntry> CommandRegistry::actions() const { return actions_; }

void CommandRegistry::setShortcut(QAction* action, const QKeySequence& sequence) {
    action->setShortcut(sequence);
    QSettings().setValue(settingsKey(action), sequence.toString(QKeySequence::PortableText));
    Q_EMIT actionsChanged();
}

void CommandRegistry::resetShortcut(QAction* action) {
    QSettings().remove(settingsKey(action));
    for (const ActionEntry& entry : actions_) {
        if (entry.action == action) action->setShortcuts(entry.defaultShortcuts);
    }
    Q_EMIT actionsChanged();
}

QKeySequence CommandRegistry::defaultShortcut(const QAction* action) const {
    for (const ActionEntry& entry : actions_) {
        if (entry.action == action) return entry.defaultShortcuts.value(0);
    }
    return {};
}

int fuzzyScore(const QString& query, const QString& text, QList<int>* positions) {
    if (positions) positions->clear();
    int score = 0, at = 0, previous = -2;
    for (const QChar wanted : query) {
        if (wanted.isSpace()) {
            previous = -2;  // the next word may match anywhere behind
            continue;
        }
        // The start of a word first, then right behind the last hit, then anywhere.
        int found = -1;
        for (int i = at; i < text.size(); ++i) {
            if (text[i].toCaseFolded() != wanted.toCaseFolded()) continue;
            if (i == previous + 1 || isWordStart(text, i)) {
                found = i;
                break;
            }
            if (found < 0) found = i;
        }
        if (found < 0) return -1;
        score += found == previous + 1 ? 6 : isWordStart(text, found) ? 8 : 1;
        if (found == 0) score += 4;
        if (positions) positions->push_back(found);
        previous = found;
        at = found + 1;
    }
    return score * 100 - int(std::min<qsizetype>(text.size(), 99));
}

}  // namespace braid::ui
