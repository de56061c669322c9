#include "widgets/heads/heads_workspace.h"

#include <QAction>

#include "widgets/common/icons.h"
#include "widgets/common/project_session.h"
#include "widgets/heads/heads_page.h"
#include "widgets/heads/heads_panel.h"
#include "widgets/heads/heads_side.h"

namespace braid::ui {

HeadsWorkspace::HeadsWorkspace(const WorkspaceContext& context, std::unique_ptr<CaptureCommands> commands,
                               QObject* parent)
    : Workspace(parent),
      context_(context),
      commands_(std::move(commands)),
      state_(std::make_unique<HeadsState>()),
      tiles_(std::make_unique<TileStore>()),
      choice_(std::make_unique<HeadsChoice>(context.session, *commands_, *state_)),
      panel_(new HeadsPanel(*state_, *tiles_)),
      side_(new HeadsSide(*choice_)),
      page_(new HeadsPage(context_, *choice_, *tiles_, panel_)) {
    connect(choice_.get(), &HeadsChoice::openedChanged, this, &Workspace::commandLineChanged);
    makeActions();
    connect(choice_.get(), &HeadsChoice::openedChanged, this, &HeadsWorkspace::enableActions);
    connect(choice_.get(), &HeadsChoice::capturesChanged, this, &HeadsWorkspace::enableActions);
    enableActions();
}

HeadsWorkspace::~HeadsWorkspace() {
    // The shell owns them once they are in its window; it may be gone already. They use what we own.
    delete page_;
    delete side_;
    delete panel_;
}

QWidget* HeadsWorkspace::page() { return page_; }
QWidget* HeadsWorkspace::side() { return side_; }
QWidget* HeadsWorkspace::inspector() { return panel_; }
HeadsPage* HeadsWorkspace::headsPage() const { return page_; }
HeadsPanel* HeadsWorkspace::headsPanel() const { return panel_; }
HeadsSide* HeadsWorkspace::headsSide() const { return side_; }

void HeadsWorkspace::makeActions() {
    const auto add = [this](const char* name, const QString& text, const char* iconName, const char* menu,
                            auto slot) {
        auto* action =
            iconName ? new QAction(icon(QLatin1String(iconName)), text, this) : new QAction(text, this);
        action->setObjectName(QLatin1String(name));
        action->setProperty("menu", QLatin1String(menu));
        connect(action, &QAction::triggered, this, slot);
        actions_ << action;
        return action;
    };
    add("heads.prompt", tr("Capture a text or prompt..."), "heads", "run", [this] { page_->ask(); });
    add("heads.figure", tr("Export figure..."), "export", "run", [this] { page_->exportFigure(); });
    add("heads.whole", tr("Show the whole text"), nullptr, "view",
        [this] { state_->setViewport(MapViewport::whole(state_->tokens())); });
    add("heads.needle", tr("Jump to the needle"), nullptr, "view", [this] { state_->jumpToNeedle(); });
    add("heads.far", tr("Jump to the strongest far link"), "link", "view",
        [this] { state_->jumpToFarLink(); });
    add("heads.close-b", tr("Show one map"), nullptr, "view", [this] { choice_->closeB(); });
}

void HeadsWorkspace::enableActions() {
    const bool shown = choice_->leading() != nullptr;
    for (QAction* action : actions_)
        action->setEnabled(action->objectName() == QLatin1String("heads.prompt") ? context_.session.isOpen()
                                                                                 : shown);
}

QString HeadsWorkspace::commandLine() const {
    const CapturePointer capture = choice_->leading();
    return capture ? QString::fromStdString(capture->command) : QString();
}

void HeadsWorkspace::activate() { choice_->refresh(); }

void HeadsWorkspace::setCompact(bool compact) {
    if (page_) page_->setCompact(compact);
}

}  // namespace braid::ui
