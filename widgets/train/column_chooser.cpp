#include "widgets/train/column_chooser.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/train/runs_table_model.h"

namespace braid::ui {

namespace {

enum Column { Name, Pinned, ColumnCount };
constexpr int id_role = Qt::UserRole + 1;

QString kindText(const RunsColumn& column) {
    switch (column.kind) {
        case RunsColumnKind::identity:
        case RunsColumnKind::state:
            return ColumnChooser::tr("Run");
        case RunsColumnKind::metric:
            return ColumnChooser::tr("Metric");
        case RunsColumnKind::score:
            return ColumnChooser::tr("Score");
        case RunsColumnKind::setting:
            return column.differs ? ColumnChooser::tr("Setting, differs") : ColumnChooser::tr("Setting");
    }
    return {};
}

}  // namespace

ColumnChooser::ColumnChooser(RunsTableModel* model, QWidget* parent)
    : QDialog(parent),
      model_(model),
      filter_(new QLineEdit),
      tree_(new QTreeView),
      items_(new QStandardItemModel(0, ColumnCount + 1, this)) {
    setWindowTitle(tr("Columns"));
    resize(420, 520);
    filter_->setPlaceholderText(tr("Filter columns"));
    filter_->setAccessibleName(tr("Filter columns"));
    filter_->setClearButtonEnabled(true);
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(items_);
    proxy->setFilterKeyColumn(-1);
    proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    tree_->setModel(proxy);
    tree_->setRootIsDecorated(false);
    tree_->setUniformRowHeights(true);
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setAccessibleName(tr("Columns of the table"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics::gap3, metrics::gap3, metrics::gap3, metrics::gap3);
    layout->setSpacing(metrics::gap2);
    layout->addWidget(filter_);
    layout->addWidget(tree_, 1);
    auto* buttons = new QHBoxLayout;
    QPushButton* reset = makeButton(tr("Default columns"));
    QPushButton* close = makePrimaryButton(tr("Done"));
    buttons->addWidget(reset);
    buttons->addStretch();
    buttons->addWidget(close);
    layout->addLayout(buttons);
    fill();
    connect(filter_, &QLineEdit::textChanged, proxy, &QSortFilterProxyModel::setFilterFixedString);
    connect(items_, &QStandardItemModel::itemChanged, this, &ColumnChooser::apply);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    connect(reset, &QPushButton::clicked, this, [this] {
        model_->setChosen({});
        model_->setPinned({QStringLiteral("run")});
        fill();
        Q_EMIT chosen();
    });
}

void ColumnChooser::fill() {
    filling_ = true;
    items_->clear();
    items_->setHorizontalHeaderLabels({tr("Column"), tr("Pinned"), tr("What it is")});
    for (const RunsColumn& column : model_->allColumns()) {
        auto* name = new QStandardItem(column.title);
        name->setData(column.id, id_role);
        name->setToolTip(column.id);
        name->setCheckable(true);
        name->setCheckState(model_->isShown(column) ? Qt::Checked : Qt::Unchecked);
        auto* pin = new QStandardItem;
        pin->setCheckable(true);
        pin->setAccessibleText(tr("%1 stays at the left").arg(column.title));
        pin->setCheckState(model_->pinned().contains(column.id) ? Qt::Checked : Qt::Unchecked);
        auto* kind = new QStandardItem(kindText(column));
        for (QStandardItem* item : {name, pin, kind}) item->setEditable(false);
        items_->appendRow({name, pin, kind});
    }
    tree_->header()->setSectionResizeMode(Name, QHeaderView::Stretch);
    tree_->header()->setSectionResizeMode(Pinned, QHeaderView::ResizeToContents);
    tree_->header()->setSectionResizeMode(ColumnCount, QHeaderView::ResizeToContents);
    tree_->header()->setStretchLastSection(false);
    filling_ = false;
}

void ColumnChooser::setShown(const QString& id, bool shown) {
    for (int row = 0; row < items_->rowCount(); ++row)
        if (items_->item(row, Name)->data(id_role).toString() == id)
            items_->item(row, Name)->setCheckState(shown ? Qt::Checked : Qt::Unchecked);
}

void ColumnChooser::setPinned(const QString& id, bool pinned) {
    for (int row = 0; row < items_->rowCount(); ++row)
        if (items_->item(row, Name)->data(id_role).toString() == id)
            items_->item(row, Pinned)->setCheckState(pinned ? Qt::Checked : Qt::Unchecked);
}

void ColumnChooser::apply() {
    if (filling_) return;
    std::map<QString, bool> wished = model_->chosen();
    QStringList pinned = model_->pinned();
    for (int row = 0; row < items_->rowCount(); ++row) {
        const QString id = items_->item(row, Name)->data(id_role).toString();
        const bool shown = items_->item(row, Name)->checkState() == Qt::Checked;
        const RunsColumn& column = model_->allColumns()[std::size_t(row)];
        if (shown != model_->isShown(column)) wished[id] = shown;
        const bool pin = items_->item(row, Pinned)->checkState() == Qt::Checked;
        if (pin && !pinned.contains(id)) pinned << id;
        if (!pin) pinned.removeAll(id);
    }
    if (wished != model_->chosen()) model_->setChosen(std::move(wished));
    if (pinned != model_->pinned()) model_->setPinned(pinned);
    Q_EMIT chosen();
}

}  // namespace braid::ui
