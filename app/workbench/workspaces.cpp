#include "app/workbench/workspaces.h"

#include <QCoreApplication>

#include "app/workbench/capture_session.h"
#include "widgets/design/design_workspace.h"
#include "widgets/heads/heads_workspace.h"
#include "widgets/probe/probe_workspace.h"
#include "widgets/train/train_workspace.h"

namespace braid::ui {

namespace {

QString title(const char* text) { return QCoreApplication::translate("Workspaces", text); }

template <class Kind>
std::unique_ptr<Workspace> make(const WorkspaceContext& context) {
    return std::make_unique<Kind>(context);
}

std::unique_ptr<Workspace> makeHeads(const WorkspaceContext& context) {
    return std::make_unique<HeadsWorkspace>(context, std::make_unique<CaptureSession>(context.session));
}

}  // namespace

std::vector<WorkspaceEntry> workspaces() {
    return {
        {QStringLiteral("design"), title("Design"), QStringLiteral("design"), make<DesignWorkspace>},
        {QStringLiteral("train"), title("Train"), QStringLiteral("train"), make<TrainWorkspace>},
        {QStringLiteral("probe"), title("Probe"), QStringLiteral("probe"), make<ProbeWorkspace>},
        {QStringLiteral("heads"), title("Heads"), QStringLiteral("heads"), makeHeads},
    };
}

}  // namespace braid::ui
