#include "app/workbench/workspaces.h"

#include <QCoreApplication>

#include "app/workbench/capture_session.h"
#include "app/workbench/fit_process.h"
#include "widgets/design/design_workspace.h"
#include "widgets/heads/heads_workspace.h"
#include "widgets/probe/probe_workspace.h"
#include "widgets/scaling/scaling_workspace.h"
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

std::unique_ptr<Workspace> makeScale(const WorkspaceContext& context) {
    return std::make_unique<ScalingWorkspace>(context, std::make_unique<FitProcess>(context.session));
}

}  // namespace

std::vector<WorkspaceEntry> workspaces() {
    const auto command = [](const char* name, const char* text) {
        return std::pair(QString::fromLatin1(name), title(text));
    };
    return {
        {QStringLiteral("design"), title("Design"), QStringLiteral("design"), make<DesignWorkspace>},
        {QStringLiteral("train"),
         title("Train"),
         QStringLiteral("train"),
         make<TrainWorkspace>,
         {command("train.table", "Show Runs by scores"), command("train.scores", "Show Scores"),
          command("train.investigate", "Show Investigate")}},
        {QStringLiteral("scale"),
         title("Scale"),
         QStringLiteral("scale"),
         makeScale,
         {command("scale.fit", "Fit scaling laws"), command("scale.new", "New grid study...")}},
        {QStringLiteral("probe"),
         title("Probe"),
         QStringLiteral("probe"),
         make<ProbeWorkspace>,
         {command("probe.measure", "Measure...")}},
        {QStringLiteral("heads"),
         title("Heads"),
         QStringLiteral("heads"),
         makeHeads,
         {command("heads.prompt", "Capture a text or prompt...")}},
    };
}

}  // namespace braid::ui
