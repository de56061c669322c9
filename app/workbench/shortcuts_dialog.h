// Lists every action with its keys and lets them be changed; two actions with the same keys are told.
#pragma once

#include <QDialog>

#include "widgets/common/command_registry.h"

class QKeySequenceEdit;
class QPushButton;
class QSortFilterProxyModel;
class QStandardItemModel;

namespace braid::ui {

class DataTable;
class TextLabel;

class ShortcutsDialog : public QDialog {
    Q_OBJECT

public:
    explicit ShortcutsDialog(CommandRegistry& registry, QWidget* parent = nullptr);

private:
    void fill();
    QAction* selectedAction() const;
    void showSelected();
    void assign(const QKeySequence& sequence);
    QString otherWith(const QKeySequence& sequence, const QAction* but) const;

    CommandRegistry& registry_;
    QStandardItemModel* model_;
    QSortFilterProxyModel* proxy_;
    DataTable* table_;
    QKeySequenceEdit* edit_;
    TextLabel* message_;
    QPushButton *reset_, *clear_;
};

}  // namespace braid::ui
