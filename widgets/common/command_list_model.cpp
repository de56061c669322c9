#include "widgets/common/command_list_model.h"

#include <algorithm>

#include "widgets/common/controls.h"
#include "widgets/common/icons.h"

namespace braid::ui {

void CommandListModel::setItems(QList<CommandItem> items) {
    beginResetModel();
    items_ = std::move(items);
    shown_.clear();
    endResetModel();
    setQuery({});
}

void CommandListModel::setQuery(const QString& query) {
    beginResetModel();
    shown_.clear();
    for (int i = 0; i < items_.size(); ++i) {
        const CommandItem& item = items_[i];
        Shown shown{.index = i, .score = 0, .positions = {}};
        if (!query.isEmpty()) {
            shown.score = fuzzyScore(query, item.text, &shown.positions);
            // "run pause" finds "Pause" in the group "Run".
            const int withGroup = fuzzyScore(query, item.group + QLatin1Char(' ') + item.text) - 300;
            if (shown.score < 0) shown.positions.clear();
            shown.score = std::max(shown.score, withGroup);
            if (shown.score < 0) continue;
        }
        if (!item.enabled) shown.score -= 400;
        shown_.push_back(shown);
    }
    std::stable_sort(shown_.begin(), shown_.end(),
                     [](const Shown& a, const Shown& b) { return a.score > b.score; });
    if (shown_.size() > most_shown) shown_.resize(most_shown);
    endResetModel();
}

int CommandListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(shown_.size());
}

QVariant CommandListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const Shown& shown = shown_[index.row()];
    const CommandItem& item = items_[shown.index];
    switch (role) {
        case Qt::DisplayRole:
            return item.text;
        case Qt::AccessibleTextRole:
            return item.group + QStringLiteral(": ") + item.text;
        case Qt::DecorationRole:
            return item.iconName.isEmpty() ? QVariant() : QVariant(icon(item.iconName));
        case GroupRole:
            return item.group;
        case ShortcutRole:
            return KeyHint::text(item.shortcut);
        case PositionsRole:
            return QVariant::fromValue(shown.positions);
        default:
            return {};
    }
}

Qt::ItemFlags CommandListModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    return items_[shown_[index.row()].index].enabled ? Qt::ItemIsEnabled | Qt::ItemIsSelectable
                                                     : Qt::ItemIsSelectable;
}

}  // namespace braid::ui
