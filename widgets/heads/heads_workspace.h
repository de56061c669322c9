// Heads: what single heads look at, over one text, at any checkpoint.
#pragma once

#include <QPointer>
#include <memory>

#include "widgets/common/workspace.h"
#include "widgets/heads/capture_commands.h"
#include "widgets/heads/heads_choice.h"
#include "widgets/heads/heads_state.h"
#include "widgets/heads/tile_store.h"

namespace braid::ui {

class HeadsPage;
class HeadsPanel;
class HeadsSide;

class HeadsWorkspace : public Workspace {
    Q_OBJECT

public:
    // Takes the commands along.
    HeadsWorkspace(const WorkspaceContext& context, std::unique_ptr<CaptureCommands> commands,
                   QObject* parent = nullptr);
    ~HeadsWorkspace() override;

    QWidget* page() override;
    QWidget* side() override;
    QWidget* inspector() override;
    QString inspectorTitle() const override { return tr("Overview"); }
    int inspectorWidth() const override { return 280; }
    QList<QAction*> actions() override { return actions_; }
    QString commandLine() const override;
    void activate() override;
    void setCompact(bool compact) override;

    HeadsState& state() { return *state_; }
    HeadsChoice& choice() { return *choice_; }
    TileStore& tiles() { return *tiles_; }
    HeadsPage* headsPage() const;
    HeadsPanel* headsPanel() const;
    HeadsSide* headsSide() const;

private:
    void makeActions();
    void enableActions();

    WorkspaceContext context_;
    std::unique_ptr<CaptureCommands> commands_;
    std::unique_ptr<HeadsState> state_;
    std::unique_ptr<TileStore> tiles_;
    std::unique_ptr<HeadsChoice> choice_;
    QPointer<HeadsPanel> panel_;
    QPointer<HeadsSide> side_;
    QPointer<HeadsPage> page_;
    QList<QAction*> actions_;
};

}  // namespace braid::ui
