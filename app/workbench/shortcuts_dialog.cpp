#include "app/workbench/shortcuts_dialog.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"

namespace braid::ui {

namespace {
constexpr int action_role = Qt::UserRole + 1;
}

ShortcutsDialog::ShortcutsDialog(CommandRegistry& registry, QWidget* parent)
    : QDialog(parent),
      registry_(registry),
      model_(new QStandardItemModel(this)),
      proxy_(new QSortFilterProxyModel(this)),
      table_(new DataTable(tr("Actions and their keys"))),
      edit_(new QKeySequenceEdit),
      message_(new TextLabel({}, TypeStep::table, 400, 2)),
      reset_(makeButton(tr("Reset"))),
      clear_(makeButton(tr("Clear"))) {
    setWindowTitle(tr("Keyboard shortcuts"));
    resize(560, 560);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics::gap4, metrics::gap4, metrics::gap4, metrics::gap4);
    layout->setSpacing(metrics::gap3);
    auto* filter = new QLineEdit;
    filter->setPlaceholderText(tr("Filter by action or keys"));
    filter->setAccessibleName(tr("Filter"));
    filter->setClearButtonEnabled(true);
    layout->addWidget(filter);
    proxy_->setSourceModel(model_);
    proxy_->setFilterKeyColumn(-1);
    proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    connect(filter, &QLineEdit::textChanged, proxy_, &QSortFilterProxyModel::setFilterFixedString);
    table_->setModel(proxy_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    layout->addWidget(table_, 1);
    auto* row = new QHBoxLayout;
    row->setSpacing(metrics::gap2);
    row->addWidget(new TextLabel(tr("Keys"), TypeStep::control, 400, 1));
    edit_->setAccessibleName(tr("Keys of the selected action"));
    row->addWidget(edit_, 1);
    row->addWidget(clear_);
    row->addWidget(reset_);
    layout->addLayout(row);
    message_->setWordWrap(true);
    layout->addWidget(message_);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    auto* close = makeButton(tr("Close"));
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    buttons->addWidget(close);
    layout->addLayout(buttons);
    fill();
    table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table_->sortByColumn(0, Qt::AscendingOrder);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &ShortcutsDialog::showSelected);
    connect(edit_, &QKeySequenceEdit::editingFinished, this, [this] { assign(edit_->keySequence()); });
    connect(clear_, &QPushButton::clicked, this, [this] { assign({}); });
    connect(reset_, &QPushButton::clicked, this, [this] {
        if (QAction* action = selectedAction()) registry_.resetShortcut(action);
        fill();
        showSelected();
    });
    table_->selectRow(0);
}

void ShortcutsDialog::fill() {
    const QList<CommandRegistry::ActionEntry> actions = registry_.actions();
    if (model_->rowCount() == 0) {
        model_->setHorizontalHeaderLabels({tr("Action"), tr("Group"), tr("Keys")});
        for (const CommandRegistry::ActionEntry& entry : actions) {
            if (!entry.action || entry.action->objectName().isEmpty()) continue;
            QString text = entry.action->text();
            auto* name = new QStandardItem(text.remove(QLatin1Char('&')));
            name->setData(QVariant::fromValue(entry.action.data()), action_role);
            model_->appendRow({name, new QStandardItem(entry.group), new QStandardItem});
        }
    }
    for (int row = 0; row < model_->rowCount(); ++row) {
        const auto* action = model_->item(row)->data(action_role).value<QAction*>();
        model_->item(row, 2)->setText(action->shortcut().toString(QKeySequence::NativeText));
        // Changed from what it was shipped with.
        model_->item(row, 2)->setData(action->shortcut() != registry_.defaultShortcut(action), BestRole);
    }
}

QAction* ShortcutsDialog::selectedAction() const {
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    return rows.isEmpty() ? nullptr : rows.front().data(action_role).value<QAction*>();
}

void ShortcutsDialog::showSelected() {
    const QAction* action = selectedAction();
    edit_->setEnabled(action);
    clear_->setEnabled(action && !action->shortcut().isEmpty());
    reset_->setEnabled(action && action->shortcut() != registry_.defaultShortcut(action));
    if (action) edit_->setKeySequence(action->shortcut());
    message_->setText(action ? QString() : tr("Select an action, click into the field, press the keys."));
    message_->setStatus({});
}

QString ShortcutsDialog::otherWith(const QKeySequence& sequence, const QAction* but) const {
    if (sequence.isEmpty()) return {};
    for (const CommandRegistry::ActionEntry& entry : registry_.actions()) {
        if (entry.action && entry.action != but && entry.action->shortcut() == sequence)
            return entry.action->text();
    }
    return {};
}

void ShortcutsDialog::assign(const QKeySequence& sequence) {
    QAction* action = selectedAction();
    if (!action || action->shortcut() == sequence) return;
    QString other = otherWith(sequence, action);
    if (!other.isEmpty()) {
        message_->setText(
            tr("%1 belongs to “%2”. Clear it there first.")
                .arg(sequence.toString(QKeySequence::NativeText), other.remove(QLatin1Char('&'))));
        message_->setStatus(QStringLiteral("error"));
        edit_->setKeySequence(action->shortcut());
        return;
    }
    registry_.setShortcut(action, sequence);
    fill();
    showSelected();
}

}  // namespace braid::ui
