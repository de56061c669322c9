#include "widgets/design/stack_view.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QMenu>
#include <algorithm>

#include "widgets/common/theme.h"
#include "widgets/design/layer_text.h"
#include "widgets/design/stack_delegate.h"

namespace braid::ui {

namespace {}  // namespace

StackView::StackView(QWidget* parent) : QTreeView(parent), delegate_(new StackDelegate(this)) {
    setObjectName(QStringLiteral("design.stack"));
    setAccessibleName(tr("Layers"));
    setItemDelegate(delegate_);
    setRootIsDecorated(false);
    setItemsExpandable(false);
    setIndentation(0);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setFrameShape(QFrame::NoFrame);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setDragEnabled(true);
    setAcceptDrops(true);
    setDragDropMode(QAbstractItemView::DragDrop);
    setDefaultDropAction(Qt::MoveAction);
    setDropIndicatorShown(false);  // drawn between whole rows here
    setMouseTracking(true);
    header()->setFixedHeight(metrics::control);
    header()->setSectionsClickable(false);
    header()->setHighlightSections(false);
    header()->setStretchLastSection(false);
    header()->setMinimumSectionSize(40);
    header()->setFocusPolicy(Qt::NoFocus);
    makeActions();
}

void StackView::makeActions() {
    const auto make = [this](const char* name, const QString& text, const QKeySequence& keys) {
        auto* action = new QAction(text, this);
        action->setObjectName(QStringLiteral("design.") + QLatin1String(name));
        action->setProperty("menu", QStringLiteral("edit"));
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetShortcut);
        addAction(action);
        return action;
    };
    duplicate_ = make("duplicate", tr("Duplicate Layers"), QKeySequence(Qt::CTRL | Qt::Key_D));
    remove_ = make("remove", tr("Remove Layers"), QKeySequence(Qt::Key_Delete));
    move_up_ = make("move-up", tr("Move Layers Up"), QKeySequence(Qt::ALT | Qt::Key_Up));
    move_down_ = make("move-down", tr("Move Layers Down"), QKeySequence(Qt::ALT | Qt::Key_Down));
    connect(duplicate_, &QAction::triggered, this, [this] {
        if (SpecDocument* spec = document()) {
            spec->duplicateLayers(selectedLayers());
        }
    });
    connect(remove_, &QAction::triggered, this, &StackView::remove);
    connect(move_up_, &QAction::triggered, this, [this] { move(-1); });
    connect(move_down_, &QAction::triggered, this, [this] { move(1); });
}

SpecDocument* StackView::document() const { return stack_ ? &stack_->document() : nullptr; }

void StackView::setStack(StackModel* model) {
    if (stack_) {
        disconnect(&stack_->document(), nullptr, this, nullptr);
        disconnect(stack_, nullptr, this, nullptr);
    }
    stack_ = model;
    QItemSelectionModel* old = selectionModel();
    setModel(model);
    delete old;
    if (stack_) {
        connect(&stack_->document(), &SpecDocument::layersTouched, this,
                [this](const std::vector<LayerId>& layers) { selectLayers(layers); });
        connect(stack_, &QAbstractItemModel::rowsRemoved, this, [this] { updateActions(); });
        arrangeColumns();
    }
    updateActions();
}

std::vector<int> StackView::selectedRows() const {
    std::vector<int> rows;
    if (selectionModel()) {
        for (const QItemSelectionRange& range : selectionModel()->selection()) {
            for (int row = range.top(); row <= range.bottom(); ++row) {
                rows.push_back(row);
            }
        }
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

std::vector<LayerId> StackView::selectedLayers() const {
    std::vector<LayerId> layers;
    for (const int row : selectedRows()) {
        layers.push_back(stack_->row(row).id);
    }
    return layers;
}

void StackView::selectLayers(const std::vector<LayerId>& layers, bool scroll) {
    if (!stack_ || !selectionModel()) {
        return;
    }
    QItemSelection selection;
    int first = -1;
    std::vector<LayerId> wanted = layers;
    std::sort(wanted.begin(), wanted.end());
    for (int row = 0; row < stack_->rowCount(); ++row) {
        if (std::binary_search(wanted.begin(), wanted.end(), stack_->row(row).id)) {
            selection.select(stack_->index(row, 0), stack_->index(row, StackModel::ColumnCount - 1));
            first = first < 0 ? row : first;
        }
    }
    if (first < 0) {
        return;
    }
    const QModelIndex current = stack_->index(first, 0);
    selecting_ = true;
    if (!selection.contains(currentIndex())) {
        selectionModel()->setCurrentIndex(current, QItemSelectionModel::NoUpdate);
    }
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    selecting_ = false;
    if (scroll) {
        scrollTo(currentIndex());
    }
    updateActions();
    Q_EMIT layersSelected();
}

void StackView::selectRow(int row) {
    if (stack_ && stack_->rowCount() > 0) {
        row = std::clamp(row, 0, stack_->rowCount() - 1);
        setCurrentIndex(stack_->index(row, 0));
        scrollTo(currentIndex());
    }
}

void StackView::selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) {
    QTreeView::selectionChanged(selected, deselected);
    viewport()->update();
    if (!selecting_) {
        updateActions();
        Q_EMIT layersSelected();
    }
}

void StackView::updateActions() {
    const bool any = selectionModel() && selectionModel()->hasSelection();
    for (QAction* action : {duplicate_, remove_, move_up_, move_down_}) {
        action->setEnabled(any);
    }
}

void StackView::insertMixer(const std::string& mixer) {
    if (SpecDocument* spec = document()) {
        const std::vector<int> rows = selectedRows();
        const int at = rows.empty() ? stack_->rowCount() : rows.back() + 1;
        spec->insertLayer(static_cast<std::size_t>(at), mixer);
    }
}

void StackView::move(int step) {
    const std::vector<int> rows = selectedRows();
    if (rows.empty()) {
        return;
    }
    const int at = step < 0 ? rows.front() - 1 : rows.back() + 2;
    if (at >= 0 && at <= stack_->rowCount()) {
        document()->moveLayers(selectedLayers(), static_cast<std::size_t>(at));
    }
}

void StackView::remove() {
    const std::vector<int> rows = selectedRows();
    if (rows.empty()) {
        return;
    }
    document()->removeLayers(selectedLayers());
    selectRow(rows.front());
}

void StackView::setCompact(bool compact) {
    delegate_->setCompact(compact);
    scheduleDelayedItemsLayout();
}

void StackView::keyPressEvent(QKeyEvent* event) {
    show_focus_ = true;
    const QString text = event->text();
    const bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    if (plain && text.size() == 1 && document()) {
        const char letter = text[0].toUpper().toLatin1();
        if (const MixerKind* kind = document()->catalog().find_letter(letter)) {
            insertMixer(kind->description().id);
            event->accept();
            return;
        }
    }
    viewport()->update();
    QTreeView::keyPressEvent(event);
}

void StackView::mousePressEvent(QMouseEvent* event) {
    show_focus_ = false;
    QTreeView::mousePressEvent(event);
}

void StackView::focusInEvent(QFocusEvent* event) {
    show_focus_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    QTreeView::focusInEvent(event);
    if (stack_ && stack_->rowCount() > 0 && !currentIndex().isValid()) {
        selectRow(0);
    }
}

void StackView::fillMenu(QMenu& menu) {
    SpecDocument* spec = document();
    if (!spec) {
        return;
    }
    const std::vector<LayerId> layers = selectedLayers();
    QMenu* insert = menu.addMenu(tr("Insert After"));
    QMenu* change = menu.addMenu(tr("Change Mixer To"));
    QMenu* split = menu.addMenu(tr("Split Heads With"));
    change->setEnabled(!layers.empty());
    const auto splittable = [&](LayerId id) {
        const int row = stack_->rowOf(id);
        return row >= 0 && stack_->row(row).layer->groups.size() == 1;
    };
    split->setEnabled(spec->spec().kv_heads > 1 && std::any_of(layers.begin(), layers.end(), splittable));
    for (const auto& kind : spec->catalog().all()) {
        const std::string id = kind->description().id;
        const QString title = QString::fromStdString(kind->description().title);
        QAction* action = insert->addAction(
            QStringLiteral("%1\t%2").arg(title, QChar(QLatin1Char(kind->description().letter))));
        connect(action, &QAction::triggered, this, [this, id] { insertMixer(id); });
        connect(change->addAction(title), &QAction::triggered, this,
                [spec, layers, id] { spec->setMixer(layers, id); });
        connect(split->addAction(title), &QAction::triggered, this,
                [spec, layers, id] { spec->splitHeads(layers, id); });
    }
    menu.addSeparator();
    menu.addActions({duplicate_, move_up_, move_down_});
    menu.addSeparator();
    if (currentIndex().isValid()) {
        const LayerSpec& like = *stack_->row(currentIndex().row()).layer;
        QAction* same =
            menu.addAction(tr("Select All Like This (%1)").arg(layerTitle(like, spec->catalog())));
        const auto mixers = [](const LayerSpec& layer) {
            std::vector<std::string> ids;
            for (const HeadGroup& group : layer.groups) {
                ids.push_back(group.mixer);
            }
            return ids;
        };
        connect(same, &QAction::triggered, this, [this, wanted = mixers(like), mixers] {
            std::vector<LayerId> found;
            for (int row = 0; row < stack_->rowCount(); ++row) {
                if (mixers(*stack_->row(row).layer) == wanted) {
                    found.push_back(stack_->row(row).id);
                }
            }
            selectLayers(found, false);
        });
    }
    connect(menu.addAction(tr("Select All")), &QAction::triggered, this, &QTreeView::selectAll);
    menu.addSeparator();
    menu.addAction(remove_);
}

void StackView::contextMenuEvent(QContextMenuEvent* event) {
    QPoint place = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard && currentIndex().isValid()) {
        place = viewport()->mapToGlobal(visualRect(currentIndex()).center());
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMenu(*menu);
    menu->popup(place);
}

void StackView::scrollContentsBy(int dx, int dy) {
    QTreeView::scrollContentsBy(dx, dy);
    viewport()->update();  // textures are in phase with the screen, not with the rows
}

void StackView::resizeEvent(QResizeEvent* event) {
    QTreeView::resizeEvent(event);
    arrangeColumns();
}

void StackView::changeEvent(QEvent* event) {
    QTreeView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        scheduleDelayedItemsLayout();
    }
}

void StackView::arrangeColumns() {
    if (!model()) {
        return;
    }
    constexpr int least_settings = 96;
    constexpr int least_mixer = 100;
    constexpr int wide = 540;
    const int parameters = viewport()->width() < wide ? 70 : 74;
    const int cache = viewport()->width() < wide ? 82 : 92;
    const int room = viewport()->width() - StackDelegate::layer_column - parameters - cache;
    const int mixer = std::clamp(room - least_settings, least_mixer, 150);
    header()->resizeSection(StackModel::LayerColumn, StackDelegate::layer_column);
    header()->resizeSection(StackModel::MixerColumn, mixer);
    header()->resizeSection(StackModel::SettingsColumn, std::max(least_settings, room - mixer));
    header()->resizeSection(StackModel::ParametersColumn, parameters);
    header()->resizeSection(StackModel::CacheColumn, cache);
}

}  // namespace braid::ui
