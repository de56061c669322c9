// What the command palette shows for a query, best match first.
#pragma once

#include <QAbstractListModel>

#include "widgets/common/command_registry.h"

namespace braid::ui {

class CommandListModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { GroupRole = Qt::UserRole, ShortcutRole, PositionsRole };
    static constexpr int most_shown = 200;

    using QAbstractListModel::QAbstractListModel;
    void setItems(QList<CommandItem> items);
    void setQuery(const QString& query);
    const CommandItem& at(int row) const { return items_[shown_[row].index]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    struct Shown {
        int index = 0;
        int score = 0;
        QList<int> positions;  // of matched letters, for bold
    };
    QList<CommandItem> items_;
    QList<Shown> shown_;
};

}  // namespace braid::ui
