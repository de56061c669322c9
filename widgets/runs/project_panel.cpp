#include "widgets/runs/project_panel.h"

#include <QAbstractButton>
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>

#include "core/spec/study.h"
#include "widgets/common/controls.h"
#include "widgets/common/icons.h"
#include "widgets/common/mixer_style.h"
#include "widgets/common/run_commands.h"
#include "widgets/common/run_list_model.h"
#include "widgets/runs/project_delegate.h"

namespace braid::ui {

namespace {

// Orders the headings, and filters by name what is below them.
class ProjectProxy : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setArchitecturesFirst(bool first) {
        if (first == first_) return;
        first_ = first;
        invalidate();
    }

protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override {
        if (left.parent().isValid()) return left.row() < right.row();
        return rank(left.row()) < rank(right.row());
    }
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        if (!parent.isValid()) return sourceModel()->rowCount(sourceModel()->index(row, 0)) > 0;
        return QSortFilterProxyModel::filterAcceptsRow(row, parent);
    }

private:
    int rank(int section) const {
        static constexpr int design[] = {0, 1, 2, 3}, others[] = {2, 0, 1, 3};
        return (first_ ? design : others)[section];
    }
    bool first_ = true;
};

QIcon swatch(int index) {
    QPixmap pixmap(32, 32);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setPen(runPen(index, tokens(), 6));
    painter.drawLine(2, 16, 30, 16);
    return QIcon(pixmap);
}

}  // namespace

ProjectPanel::ProjectPanel(ProjectSession& session, RunCommands& commands, Shell& shell, QWidget* parent)
    : QWidget(parent),
      session_(session),
      commands_(commands),
      shell_(shell),
      model_(new ProjectModel(session, this)),
      proxy_(new ProjectProxy(this)),
      tree_(new QTreeView),
      filter_(new QLineEdit) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    filter_->setPlaceholderText(tr("Filter by name"));
    filter_->setAccessibleName(tr("Filter the project by name"));
    filter_->setClearButtonEnabled(true);
    filter_->installEventFilter(this);
    auto* holder = new QWidget;
    auto* holderLayout = new QVBoxLayout(holder);
    holderLayout->setContentsMargins(metrics::gap2, metrics::gap2, metrics::gap2, 0);
    holderLayout->addWidget(filter_);
    holder->hide();
    layout->addWidget(holder);
    proxy_->setSourceModel(model_);
    proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    proxy_->setRecursiveFilteringEnabled(false);
    proxy_->setDynamicSortFilter(true);
    proxy_->sort(0);
    tree_->setModel(proxy_);
    tree_->setObjectName(QStringLiteral("projectTree"));
    tree_->setAccessibleName(tr("Project"));
    tree_->setItemDelegate(new ProjectDelegate(tree_));
    tree_->setHeaderHidden(true);
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setRootIsDecorated(false);
    tree_->setIndentation(0);
    tree_->setMouseTracking(true);
    tree_->setExpandsOnDoubleClick(false);
    tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    tree_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    tree_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    tree_->setContextMenuPolicy(Qt::CustomContextMenu);
    tree_->viewport()->setAutoFillBackground(false);
    tree_->installEventFilter(this);
    layout->addWidget(tree_, 1);
    tree_->expandAll();

    QToolButton* filterButton = makeIconButton(QStringLiteral("filter"), tr("Filter"));
    filterButton->setCheckable(true);
    connect(filterButton, &QToolButton::toggled, this, &ProjectPanel::setFilterVisible);
    QToolButton* newButton = makeIconButton(QStringLiteral("plus"), tr("New architecture"));
    connect(newButton, &QToolButton::clicked, this, &ProjectPanel::newArchitectureWanted);
    titleButtons_ = {filterButton, newButton};

    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        proxy_->setFilterFixedString(text);
        tree_->expandAll();
    });
    const auto expand = [this] { tree_->expandAll(); };
    connect(model_, &QAbstractItemModel::modelReset, this, expand);
    // A heading that gets its first entry appears, opened.
    connect(proxy_, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex& place, int first, int last) {
                if (place.isValid()) return;
                for (int row = first; row <= last; ++row) tree_->expand(proxy_->index(row, 0));
            });
    connect(model_, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex& place, int, int) {
        if (place.isValid() && model_->rowCount(place) == 1) proxy_->invalidate();
    });
    connect(tree_, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        if (QApplication::keyboardModifiers() & (Qt::ControlModifier | Qt::ShiftModifier)) return;
        openIndex(index);
    });
    connect(tree_, &QWidget::customContextMenuRequested, this, &ProjectPanel::showMenu);
    connect(tree_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &ProjectPanel::takeSelection);
    connect(&session_, &ProjectSession::opened, this, &ProjectPanel::showSelection);
    connect(&session_, &ProjectSession::selectedRunsChanged, this, &ProjectPanel::showSelection);
    connect(&session_, &ProjectSession::currentArchitectureChanged, this, &ProjectPanel::showSelection);
    connect(&session_, &ProjectSession::currentStudyChanged, this, &ProjectPanel::showSelection);
}

void ProjectPanel::setOrder(bool architecturesFirst) {
    static_cast<ProjectProxy*>(proxy_)->setArchitecturesFirst(architecturesFirst);
}

void ProjectPanel::setFilterVisible(bool visible) {
    filter_->parentWidget()->setVisible(visible);
    qobject_cast<QAbstractButton*>(titleButtons_.front())->setChecked(visible);
    if (visible) {
        filter_->setFocus(Qt::ShortcutFocusReason);
    } else {
        filter_->clear();
        tree_->setFocus(Qt::OtherFocusReason);
    }
}

void ProjectPanel::openIndex(const QModelIndex& index) {
    if (!index.isValid()) return;
    if (!index.parent().isValid()) {
        tree_->setExpanded(index, !tree_->isExpanded(index));
        return;
    }
    const QString key = index.data(ProjectModel::KeyRole).toString();
    switch (index.data(ProjectModel::SectionRole).toInt()) {
        case ProjectModel::architectures:
            Q_EMIT architectureOpened(key);
            break;
        case ProjectModel::studies:
            Q_EMIT studyOpened(key);
            break;
        case ProjectModel::runs:
            Q_EMIT runOpened(RunId(key.toStdString()));
            break;
        default:
            Q_EMIT figureOpened(key);
            break;
    }
}

// What is marked in the tree is what the session has selected, and the other way round.
void ProjectPanel::takeSelection() {
    if (settingSelection_) return;
    std::vector<RunId> runs;
    const QModelIndex current = tree_->currentIndex();
    for (const QModelIndex& index : tree_->selectionModel()->selectedIndexes()) {
        if (index.data(ProjectModel::SectionRole).toInt() != ProjectModel::runs) continue;
        const RunId id(index.data(ProjectModel::KeyRole).toString().toStdString());
        if (index == current) {
            runs.insert(runs.begin(), id);
        } else {
            runs.push_back(id);
        }
    }
    settingSelection_ = true;  // what we tell the session need not come back
    if (!runs.empty()) session_.setSelectedRuns(runs);
    settingSelection_ = false;
}

void ProjectPanel::showSelection() {
    if (settingSelection_) return;
    settingSelection_ = true;
    QItemSelection selection;
    for (const RunId& id : session_.selectedRuns()) {
        const QModelIndex index =
            proxy_->mapFromSource(model_->find(ProjectModel::runs, QString::fromStdString(id.str())));
        if (index.isValid()) selection.select(index, index);
    }
    if (selection.isEmpty()) {
        const QModelIndex index =
            proxy_->mapFromSource(model_->find(ProjectModel::architectures, session_.currentArchitecture()));
        if (index.isValid()) selection.select(index, index);
    }
    tree_->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    settingSelection_ = false;
}

bool ProjectPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (watched == filter_) {
        if (key->key() == Qt::Key_Escape) {
            setFilterVisible(false);
            return true;
        }
        if (key->key() == Qt::Key_Down) {
            tree_->setFocus(Qt::TabFocusReason);
            return true;
        }
        return false;
    }
    switch (key->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            openIndex(tree_->currentIndex());
            return true;
        case Qt::Key_Delete:
            removeCurrent();
            return true;
        case Qt::Key_F2: {
            const QModelIndex index = tree_->currentIndex();
            if (index.data(ProjectModel::SectionRole).toInt() != ProjectModel::architectures) return false;
            renameArchitecture(index.data(ProjectModel::KeyRole).toString());
            return true;
        }
        default:
            return false;
    }
}

void ProjectPanel::showMenu(const QPoint& position) {
    const QModelIndex index = tree_->indexAt(position);
    if (!index.isValid() || !index.parent().isValid()) return;
    QMenu menu(this);
    const QString key = index.data(ProjectModel::KeyRole).toString();
    switch (index.data(ProjectModel::SectionRole).toInt()) {
        case ProjectModel::architectures:
            fillArchitectureMenu(menu, key);
            break;
        case ProjectModel::studies:
            fillStudyMenu(menu, key);
            break;
        case ProjectModel::runs:
            if (const RunPointer run = session_.run(RunId(key.toStdString()))) fillRunMenu(menu, run);
            break;
        default:
            menu.addAction(tr("Open"), this, [this, key] { Q_EMIT figureOpened(key); });
            break;
    }
    if (!menu.isEmpty()) menu.exec(tree_->viewport()->mapToGlobal(position));
}

void ProjectPanel::fillArchitectureMenu(QMenu& menu, const QString& name) {
    const ArchitectureEntry* entry = session_.architecture(name);
    if (!entry) return;
    menu.addAction(tr("Open"), this, [this, name] { Q_EMIT architectureOpened(name); });
    QAction* duplicate =
        menu.addAction(icon(QStringLiteral("duplicate")), tr("Duplicate"), this, [this, entry] {
            ArchitectureSpec copy = *entry->spec;
            const QString free = session_.freeArchitectureName(entry->name);
            copy.name = free.toStdString();
            session_.saveArchitecture(free, copy);
        });
    duplicate->setEnabled(entry->spec != nullptr && !session_.isReadOnly());
    QAction* rename = menu.addAction(tr("Rename…"), this, [this, name] { renameArchitecture(name); });
    rename->setEnabled(!session_.isReadOnly());
    menu.addSeparator();
    QAction* remove = menu.addAction(icon(QStringLiteral("delete")), tr("Delete"), this,
                                     [this, name] { removeArchitecture(name); });
    remove->setEnabled(!session_.isReadOnly());
}

void ProjectPanel::fillStudyMenu(QMenu& menu, const QString& name) {
    menu.addAction(tr("Open"), this, [this, name] { Q_EMIT studyOpened(name); });
    const QString reason = commands_.unavailableReason();
    if (commands_.isStudyRunning(name)) {
        menu.addAction(icon(QStringLiteral("stop")), tr("Stop study"), this,
                       [this, name] { commands_.stopStudy(name); });
    } else {
        QAction* start = menu.addAction(icon(QStringLiteral("play")), tr("Run study"), this,
                                        [this, name] { commands_.startStudy(name); });
        start->setEnabled(reason.isEmpty());
    }
    menu.addSeparator();
    menu.addAction(icon(QStringLiteral("copy")), tr("Copy as command"), this,
                   [this, name] { QApplication::clipboard()->setText(commands_.commandForStudy(name)); });
}

void ProjectPanel::fillRunMenu(QMenu& menu, const RunPointer& run) {
    const RunId id = run->id;
    menu.addAction(tr("Open"), this, [this, id] { Q_EMIT runOpened(id); });
    menu.addSeparator();
    if (run->state() == RunState::planned) {
        menu.addAction(icon(QStringLiteral("play")), tr("Start"), this,
                       [this, id] { commands_.resumeLost(id); });
    }
    if (run->state() == RunState::running) {
        menu.addAction(icon(QStringLiteral("pause")), tr("Pause"), this, [this, id] { commands_.pause(id); });
    }
    if (run->state() == RunState::paused) {
        menu.addAction(icon(QStringLiteral("resume")), tr("Resume"), this,
                       [this, id] { commands_.resume(id); });
    }
    if (run->active()) {
        menu.addAction(icon(QStringLiteral("checkpoint")), tr("Write checkpoint"), this,
                       [this, id] { commands_.checkpoint(id); });
        menu.addAction(icon(QStringLiteral("stop")), tr("Stop"), this, [this, id] { commands_.stop(id); });
    }
    if (run->resumable()) {
        menu.addAction(icon(QStringLiteral("resume")), tr("Resume from last checkpoint"), this,
                       [this, id] { commands_.resumeLost(id); });
    }
    QMenu* colours = menu.addMenu(tr("Colour"));
    auto* group = new QActionGroup(colours);
    for (int i = 0; i < 2 * run_colour_count; ++i) {
        const QString name = i < run_colour_count ? tr("Colour %1").arg(i + 1)
                                                  : tr("Colour %1, dashed").arg(i - run_colour_count + 1);
        QAction* action =
            colours->addAction(swatch(i), name, this, [this, id, i] { session_.setRunPaletteIndex(id, i); });
        action->setCheckable(true);
        action->setChecked(i == run->paletteIndex);
        group->addAction(action);
    }
    menu.addAction(icon(QStringLiteral("copy")), tr("Copy id"), this,
                   [id] { QApplication::clipboard()->setText(QString::fromStdString(id.str())); });
    menu.addAction(icon(QStringLiteral("copy")), tr("Copy folder"), this,
                   [run] { QApplication::clipboard()->setText(QString::fromStdString(run->folder.path())); });
    menu.addSeparator();
    QAction* remove =
        menu.addAction(icon(QStringLiteral("delete")), tr("Delete"), this, [this, run] { removeRun(run); });
    remove->setEnabled(!run->active() && !session_.isReadOnly());
}

void ProjectPanel::removeCurrent() {
    const QModelIndex index = tree_->currentIndex();
    if (session_.isReadOnly()) return;
    const QString key = index.data(ProjectModel::KeyRole).toString();
    switch (index.data(ProjectModel::SectionRole).toInt()) {
        case ProjectModel::architectures:
            removeArchitecture(key);
            break;
        case ProjectModel::runs:
            if (const RunPointer run = session_.run(RunId(key.toStdString()))) removeRun(run);
            break;
        default:
            break;
    }
}

void ProjectPanel::removeRun(const RunPointer& run) {
    if (run->active()) {
        shell_.showStatus(tr("%1 works. Stop it before deleting it.").arg(run->name));
        return;
    }
    session_.removeRun(run->id);
    shell_.notify({}, tr("%1 was moved to the trash of the project.").arg(run->name), tr("Undo"),
                  [this, id = run->id] { session_.restoreRun(id); });
}

void ProjectPanel::removeArchitecture(const QString& name) {
    if (name.isEmpty()) return;
    session_.removeArchitecture(name);
    shell_.notify({}, tr("%1 was moved to the trash of the project.").arg(name), tr("Undo"),
                  [this, name] { session_.restoreArchitecture(name); });
}

void ProjectPanel::renameArchitecture(const QString& name) {
    bool accepted = false;
    const QString wish =
        QInputDialog::getText(this, tr("Rename architecture"), tr("Name"), QLineEdit::Normal, name, &accepted)
            .trimmed();
    if (!accepted || wish.isEmpty() || wish == name) return;
    const QString clean = QString::fromStdString(slug(wish.toStdString()));
    if (clean.isEmpty() || session_.architecture(clean)) {
        shell_.showStatus(tr("There is an architecture named %1 already.").arg(clean));
        return;
    }
    session_.renameArchitecture(name, clean);
}

}  // namespace braid::ui
