// Design: compose a hybrid, see its price at once, compare it, train it.
#pragma once

#include <QPointer>

#include "widgets/common/workspace.h"
#include "widgets/design/design_documents.h"

class QComboBox;
class QMenu;
class QPushButton;
class QToolButton;

namespace braid::ui {

struct CommandItem;
class DesignInspector;
class DesignPage;

class DesignWorkspace : public Workspace {
    Q_OBJECT

public:
    explicit DesignWorkspace(const WorkspaceContext& context, QObject* parent = nullptr);
    ~DesignWorkspace() override;

    QWidget* page() override;
    QWidget* inspector() override;
    QList<QAction*> actions() override;
    QString commandLine() const override;
    QAction* undoAction() override { return undo_; }
    QAction* redoAction() override { return redo_; }
    QAction* saveAction() override { return save_; }
    bool hasUnsavedChanges() const override;
    void prepareToClose() override;
    void activate() override;
    void deactivate() override;
    void setCompact(bool compact) override;

    DesignDocuments& documents() { return *documents_; }
    SpecDocument* document() const { return current_ ? current_->document.get() : nullptr; }
    DesignPage* designPage() const;
    DesignInspector* designInspector() const;
    QPushButton* trainButton() const { return train_; }
    void showProblems();

protected:
    // Undo and redo also while a popup (a menu, a list of choices) has the keyboard.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeToolbar();
    void makeActions();
    void connectParts();
    void showCurrent();
    void showDesign(OpenDesign* design);
    void follow();
    void updateTitle();
    void updateBase();
    void updateTraining();
    void updateScales();
    void layersSelected();
    // Menus and the palette (design_menus.cpp).
    QList<CommandItem> paletteItems();
    void fillPresets(QMenu& menu);
    void fillCompare(QMenu& menu);
    void fillMore(QMenu& menu);
    void popUp(QPushButton* button, void (DesignWorkspace::*fill)(QMenu&));
    void offerAutosave();

    // Files of the project (design_files.cpp).
    void newArchitecture();
    void duplicateArchitecture();
    void renameArchitecture();
    void deleteArchitecture();
    void importArchitecture();
    void exportArchitecture();
    void train();

    WorkspaceContext context_;
    std::unique_ptr<DesignDocuments> documents_;
    OpenDesign* current_ = nullptr;
    QPointer<DesignPage> page_;
    QPointer<DesignInspector> inspector_;
    QAction *undo_ = nullptr, *redo_ = nullptr, *save_ = nullptr;
    QAction *new_ = nullptr, *duplicate_ = nullptr, *rename_ = nullptr, *delete_ = nullptr,
            *import_ = nullptr, *export_ = nullptr, *train_action_ = nullptr;
    QToolButton* undo_button_ = nullptr;
    QComboBox* scale_ = nullptr;
    QPushButton *presets_ = nullptr, *compare_ = nullptr, *train_ = nullptr;
    bool active_ = false;
    bool sharing_selection_ = false;
};

}  // namespace braid::ui
