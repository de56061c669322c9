#include "widgets/design/design_workspace.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QKeyEvent>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QUndoGroup>

#include "core/mixers/builtin.h"
#include "core/spec/validate.h"
#include "widgets/common/command_registry.h"
#include "widgets/common/controls.h"
#include "widgets/common/icons.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"
#include "widgets/design/arch_command.h"
#include "widgets/design/banner.h"
#include "widgets/design/cost_curves.h"
#include "widgets/design/design_inspector.h"
#include "widgets/design/design_page.h"
#include "widgets/design/difference_panel.h"
#include "widgets/design/layer_text.h"
#include "widgets/design/stack_view.h"

namespace braid::ui {

DesignWorkspace::DesignWorkspace(const WorkspaceContext& context, QObject* parent)
    : Workspace(parent),
      context_(context),
      documents_(std::make_unique<DesignDocuments>(context.session, builtin_mixers())),
      page_(new DesignPage(builtin_mixers())),
      inspector_(new DesignInspector) {
    makeActions();
    makeToolbar();
    connectParts();
    showCurrent();
}

DesignWorkspace::~DesignWorkspace() {
    qApp->removeEventFilter(this);
    showDesign(nullptr);
    // The shell owns them once they are in its window; it may be gone already.
    if (page_ && !page_->parent()) {
        delete page_;
    }
    if (inspector_ && !inspector_->parent()) {
        delete inspector_;
    }
}

QWidget* DesignWorkspace::page() { return page_; }
QWidget* DesignWorkspace::inspector() { return inspector_; }
DesignPage* DesignWorkspace::designPage() const { return page_; }
DesignInspector* DesignWorkspace::designInspector() const { return inspector_; }

void DesignWorkspace::makeActions() {
    QUndoGroup* group = documents_->undoGroup();
    undo_ = group->createUndoAction(this, tr("Undo"));
    undo_->setShortcuts(QKeySequence::Undo);
    undo_->setIcon(icon(QStringLiteral("undo")));
    redo_ = group->createRedoAction(this, tr("Redo"));
    redo_->setShortcuts(QKeySequence::Redo);
    redo_->setIcon(icon(QStringLiteral("redo")));
    const auto make = [this](const char* name, const QString& text, const QKeySequence& keys,
                             const char* menu, void (DesignWorkspace::*act)()) {
        auto* action = new QAction(text, this);
        action->setObjectName(QStringLiteral("design.") + QLatin1String(name));
        action->setProperty("menu", QLatin1String(menu));
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, act);
        return action;
    };
    new_ =
        make("new", tr("New Architecture..."), QKeySequence::New, "file", &DesignWorkspace::newArchitecture);
    save_ = new QAction(tr("Save Architecture"), this);
    save_->setObjectName(QStringLiteral("design.save"));
    save_->setProperty("menu", QStringLiteral("file"));
    save_->setShortcuts(QKeySequence::Save);
    connect(save_, &QAction::triggered, this, [this] {
        if (current_) {
            documents_->save(current_->name);
        }
    });
    duplicate_ = make("duplicate-architecture", tr("Duplicate Architecture..."), {}, "file",
                      &DesignWorkspace::duplicateArchitecture);
    rename_ = make("rename", tr("Rename Architecture..."), {}, "file", &DesignWorkspace::renameArchitecture);
    delete_ = make("delete", tr("Delete Architecture"), {}, "file", &DesignWorkspace::deleteArchitecture);
    import_ = make("import", tr("Import Architecture..."), {}, "file", &DesignWorkspace::importArchitecture);
    export_ = make("export", tr("Export Architecture..."), {}, "file", &DesignWorkspace::exportArchitecture);
    train_action_ =
        make("train", tr("Train..."), QKeySequence(Qt::CTRL | Qt::Key_T), "run", &DesignWorkspace::train);
}

QList<QAction*> DesignWorkspace::actions() {
    QList<QAction*> all = {new_, duplicate_, rename_, import_, export_, delete_, train_action_};
    if (page_) {
        const StackView* stack = page_->stack();
        all << stack->duplicateAction() << stack->moveUpAction() << stack->moveDownAction()
            << stack->removeAction();
    }
    return all;
}

void DesignWorkspace::makeToolbar() {
    PageToolbar* bar = page_->toolbar();
    undo_button_ = makeIconButton(QStringLiteral("undo"), tr("Undo"));
    presets_ = makeButton(tr("Presets"));
    scale_ = new QComboBox;
    compare_ = makeButton(tr("Compare..."));
    train_ = makePrimaryButton(tr("Train..."), QStringLiteral("play"));
    undo_button_->setObjectName(QStringLiteral("design.undo"));
    presets_->setObjectName(QStringLiteral("design.presets"));
    scale_->setObjectName(QStringLiteral("design.scale"));
    compare_->setObjectName(QStringLiteral("design.compare"));
    train_->setObjectName(QStringLiteral("design.train"));
    scale_->setAccessibleName(tr("Scale"));
    scale_->setToolTip(tr("Size of the model: width, heads, feed-forward, vocabulary"));
    for (const Scale& scale : scales()) {
        scale_->addItem(QString::fromStdString(scale.name));
        scale_->setItemData(scale_->count() - 1,
                            tr("%1 layers, width %2, %3 heads of %4, %5 KV heads")
                                .arg(scale.layers)
                                .arg(scale.d_model)
                                .arg(scale.heads)
                                .arg(scale.head_dim)
                                .arg(scale.kv_heads),
                            Qt::ToolTipRole);
    }
    for (QWidget* widget :
         std::initializer_list<QWidget*>{undo_button_, presets_, scale_, compare_, train_}) {
        bar->addWidget(widget);
    }
    connect(undo_button_, &QToolButton::clicked, undo_, &QAction::trigger);
    const auto follow_undo = [this] {
        undo_button_->setEnabled(undo_->isEnabled());
        undo_button_->setToolTip(undo_->text());
    };
    connect(undo_, &QAction::changed, this, follow_undo);
    follow_undo();
    connect(presets_, &QPushButton::clicked, this,
            [this] { popUp(presets_, &DesignWorkspace::fillPresets); });
    connect(compare_, &QPushButton::clicked, this,
            [this] { popUp(compare_, &DesignWorkspace::fillCompare); });
    connect(scale_, &QComboBox::activated, this, [this](int index) {
        const Scale* scale = find_scale(scale_->itemText(index).toStdString());
        if (scale && document()) {
            document()->setScale(*scale);
        }
    });
    connect(train_, &QPushButton::clicked, this, &DesignWorkspace::train);
}

void DesignWorkspace::connectParts() {
    ProjectSession& session = context_.session;
    connect(&session, &ProjectSession::currentArchitectureChanged, this, &DesignWorkspace::showCurrent);
    connect(&session, &ProjectSession::architecturesChanged, this, [this] {
        if (!current_) {
            showCurrent();
        }
        updateBase();
        offerAutosave();
    });
    connect(&session, &ProjectSession::opened, this, &DesignWorkspace::showCurrent);
    connect(&session, &ProjectSession::selectedLayersChanged, this, [this] {
        if (!sharing_selection_ && current_ && context_.session.currentArchitecture() == current_->name) {
            page_->stack()->selectLayers(context_.session.selectedLayers());
        }
    });
    connect(&session, &ProjectSession::saveFailed, this, [this](const QString& file, const Error& error) {
        if (current_ && file.endsWith(QStringLiteral("architectures/%1.json").arg(current_->name))) {
            page_->banner()->say(tr("Not saved: %1").arg(QString::fromStdString(describe(error))),
                                 {{tr("Try Again"), [this] { save_->trigger(); }}, {tr("Close"), {}}});
        }
    });
    connect(documents_.get(), &DesignDocuments::closed, this, [this](const QString& name) {
        if (current_ && current_->name == name) {
            showDesign(nullptr);
        }
    });
    connect(documents_.get(), &DesignDocuments::modifiedChanged, this, [this](const QString&) {
        updateTitle();
        updateBase();
        Q_EMIT unsavedChanged();
    });
    connect(documents_.get(), &DesignDocuments::baseChanged, this, [this](const QString&) { updateBase(); });
    connect(documents_.get(), &DesignDocuments::reloaded, this, [this](const QString& name) {
        context_.shell.showStatus(tr("%1 was changed on disk and has been read anew").arg(name));
    });
    connect(page_->stack(), &StackView::layersSelected, this, &DesignWorkspace::layersSelected);
    connect(page_->empty(), &EmptyState::clicked, this, &DesignWorkspace::newArchitecture);
    connect(page_->difference()->compareButton(), &QPushButton::clicked, this,
            [this] { popUp(page_->difference()->compareButton(), &DesignWorkspace::fillCompare); });
    connect(inspector_, &DesignInspector::copyCommandRequested, this, [this] {
        QGuiApplication::clipboard()->setText(commandLine());
        context_.shell.showStatus(tr("Copied: %1").arg(commandLine()));
    });
    context_.registry.addSource(this, [this] { return paletteItems(); });
    connect(inspector_, &DesignInspector::moreRequested, this, [this](QMenu* menu) { fillMore(*menu); });
}

void DesignWorkspace::showCurrent() {
    ProjectSession& session = context_.session;
    QString name = session.currentArchitecture();
    if (name.isEmpty() && !session.architectures().empty()) {
        name = session.architectures().front().name;
        session.setCurrentArchitecture(name);  // comes back here
        if (session.currentArchitecture() == name && current_ && current_->name == name) {
            return;
        }
    }
    const ArchitectureEntry* entry = session.architecture(name);
    showDesign(documents_->open(name));
    if (!current_) {
        page_->empty()->setSentence(entry && !entry->spec
                                        ? tr("%1 cannot be read: %2").arg(name, entry->problem)
                                    : session.isOpen() ? tr("The project has no architecture yet.")
                                                       : tr("No project is open."));
    }
    offerAutosave();
}

void DesignWorkspace::showDesign(OpenDesign* design) {
    if (design == current_ && design) {
        updateTitle();
        return;
    }
    if (current_) {
        disconnect(current_->document.get(), nullptr, this, nullptr);
        current_->selection = page_ ? page_->stack()->selectedLayers() : std::vector<LayerId>();
    }
    current_ = design;
    SpecDocument* document = design ? design->document.get() : nullptr;
    const QString name = design ? design->name : QString();
    if (page_) {
        page_->banner()->hide();
        page_->setDocument(document, name);
    }
    if (inspector_) {
        inspector_->setDocument(document, name);
    }
    documents_->undoGroup()->setActiveStack(document ? document->undoStack() : nullptr);
    if (document) {
        connect(document, &SpecDocument::changed, this, &DesignWorkspace::follow);
        connect(document, &SpecDocument::contextChanged, this, &Workspace::commandLineChanged);
        if (!design->selection.empty()) {
            page_->stack()->selectLayers(design->selection);
        }
    }
    if (page_) {
        follow();
        updateBase();
    }
}

void DesignWorkspace::follow() {
    updateTitle();
    updateScales();
    updateTraining();
    const int problems = document() ? static_cast<int>(document()->problems().size()) : 0;
    context_.shell.setProblems(QStringLiteral("design"), problems, [this] { showProblems(); });
    for (QAction* action : {save_, duplicate_, rename_, delete_, export_}) {
        action->setEnabled(current_ != nullptr);
    }
    for (QWidget* widget : std::initializer_list<QWidget*>{presets_, scale_, compare_}) {
        widget->setEnabled(current_ != nullptr);
    }
    Q_EMIT commandLineChanged();
}

void DesignWorkspace::updateTitle() {
    PageToolbar* bar = page_->toolbar();
    bar->setTitle(current_ ? current_->name : tr("Design"));
    QStringList notes;
    if (current_) {
        const QString choice = documents_->baseChoice(current_->name);
        if (documents_->isModified(current_->name)) {
            notes << tr("edited");
        }
        if (!choice.isEmpty()) {
            notes << tr("based on %1").arg(documents_->base(current_->name).name);
        } else if (notes.isEmpty()) {
            notes << tr("saved");
        }
    }
    bar->setNote(notes.join(QStringLiteral(", ")));
}

void DesignWorkspace::updateBase() {
    if (!page_) {
        return;
    }
    const DesignBase base = current_ ? documents_->base(current_->name) : DesignBase{};
    page_->difference()->setBase(base.name, base.spec);
    page_->curves()->setBase(base.name, base.spec);
    updateTitle();
}

void DesignWorkspace::updateScales() {
    const Scale* scale = document() ? document()->scale() : nullptr;
    const int index = scale ? scale_->findText(QString::fromStdString(scale->name)) : -1;
    scale_->setPlaceholderText(tr("Own size"));
    scale_->setCurrentIndex(index);
}

void DesignWorkspace::updateTraining() {
    QString reason;
    if (!document()) {
        reason = tr("Open an architecture first.");
    } else if (!document()->problems().empty()) {
        reason = tr("%n problems have to be solved first: ", nullptr,
                    static_cast<int>(document()->problems().size())) +
                 document()->problems().front().text();
    } else if (document()->spec().layers.empty()) {
        reason = tr("The model has no layers.");
    } else {
        reason = context_.commands.unavailableReason();
    }
    setDisabledReason(train_, reason);
    train_action_->setEnabled(reason.isEmpty());
}

void DesignWorkspace::layersSelected() {
    const std::vector<LayerId> layers = page_->stack()->selectedLayers();
    inspector_->setLayers(layers);
    sharing_selection_ = true;
    context_.session.setSelectedLayers(layers);
    sharing_selection_ = false;
}

QString DesignWorkspace::commandLine() const {
    return current_ ? arch_command(*current_->document, current_->name) : QString();
}

bool DesignWorkspace::hasUnsavedChanges() const { return !documents_->modified().isEmpty(); }
void DesignWorkspace::prepareToClose() { documents_->autosaveAll(); }

void DesignWorkspace::activate() {
    active_ = true;
    qApp->installEventFilter(this);
    updateTraining();
}

void DesignWorkspace::deactivate() {
    active_ = false;
    qApp->removeEventFilter(this);
}

void DesignWorkspace::setCompact(bool compact) { page_->setCompact(compact); }

bool DesignWorkspace::eventFilter(QObject* watched, QEvent* event) {
    if (active_ && event->type() == QEvent::KeyPress && watched->isWidgetType() &&
        QApplication::activePopupWidget()) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo)) {
            undo_->trigger();
            return true;
        }
        if (key->matches(QKeySequence::Redo)) {
            redo_->trigger();
            return true;
        }
    }
    return Workspace::eventFilter(watched, event);
}

void DesignWorkspace::offerAutosave() {
    if (!current_ || !page_) {
        return;
    }
    const QString name = current_->name;
    const ArchitectureEntry* entry = context_.session.architecture(name);
    if (!entry || !entry->autosave || current_->autosaved || !current_->document->isClean() ||
        *entry->autosave == current_->document->spec()) {
        return;
    }
    page_->banner()->say(tr("Unsaved work on %1 was found: %n layers.", nullptr,
                            static_cast<int>(entry->autosave->layers.size()))
                             .arg(name),
                         {{tr("Restore"), [this, name] { documents_->restoreAutosave(name); }},
                          {tr("Discard"), [this, name] { documents_->discardAutosave(name); }}});
}

}  // namespace braid::ui
