#include "widgets/probe/probe_workspace.h"

#include <QAction>

#include "widgets/common/icons.h"
#include "widgets/common/segments.h"
#include "widgets/probe/cell_panel.h"
#include "widgets/probe/measure_dialog.h"
#include "widgets/probe/probe_choice.h"
#include "widgets/probe/probe_page.h"
#include "widgets/probe/probe_side.h"

namespace braid::ui {

namespace {

constexpr int refresh_ms = 250;

}  // namespace

ProbeWorkspace::ProbeWorkspace(const WorkspaceContext& context, QObject* parent)
    : Workspace(parent),
      context_(context),
      choice_(new ProbeChoice(context.session, this)),
      panel_(new CellPanel(context.shell.hasWorkspace(QStringLiteral("heads")))),
      side_(new ProbeSide(*choice_)),
      page_(new ProbePage(context, *choice_, panel_)),
      throttle_(refresh_ms, this, [this] {
          if (active_) choice_->refresh();
      }) {
    const auto later = [this] {
        if (active_) throttle_.request();
    };
    connect(&context.session, &ProjectSession::runChanged, this, later);
    connect(&context.session, &ProjectSession::runRemoved, this, later);
    connect(&context.session, &ProjectSession::opened, this, later);
    connect(side_, &ProbeSide::measureWanted, page_,
            [this](const QString& kind) { page_->measure(kind.toStdString()); });
    connect(choice_, &ProbeChoice::changed, this, &Workspace::commandLineChanged);
    makeActions();
}

ProbeWorkspace::~ProbeWorkspace() {
    // The shell owns them once they are in its window; it may be gone already.
    if (page_ && !page_->parent()) delete page_;
    if (side_ && !side_->parent()) delete side_;
    if (panel_ && !panel_->parent()) delete panel_;
}

QWidget* ProbeWorkspace::page() { return page_; }
QWidget* ProbeWorkspace::side() { return side_; }
QWidget* ProbeWorkspace::inspector() { return panel_; }

ProbePage* ProbeWorkspace::probePage() const { return page_; }
ProbeSide* ProbeWorkspace::probeSide() const { return side_; }
CellPanel* ProbeWorkspace::cellPanel() const { return panel_; }

void ProbeWorkspace::makeActions() {
    const auto add = [this](const char* name, const QString& text, const char* iconName, const char* menu,
                            auto slot) {
        auto* action = new QAction(icon(QLatin1String(iconName)), text, this);
        action->setObjectName(QLatin1String(name));
        action->setProperty("menu", QLatin1String(menu));
        connect(action, &QAction::triggered, this, slot);
        actions_ << action;
    };
    add("probe.measure", tr("Measure..."), "probe", "run", [this] { page_->measure(choice_->kind()); });
    add("probe.figure", tr("Export figure..."), "export", "run", [this] { page_->exportFigure(); });
    add("probe.values", tr("Show views or values"), "table", "view", [this] {
        QAbstractButton* other = page_->form()->button(page_->form()->current() == 0 ? 1 : 0);
        other->click();
    });
    if (context_.shell.hasWorkspace(QStringLiteral("heads")))
        add("probe.open-heads", tr("Open the head in Heads"), "heads", "view",
            [this] { page_->openHeads(); });
    add("probe.open-run", tr("Show the run in Train"), "train", "view", [this] { page_->openRun(); });
}

void ProbeWorkspace::activate() {
    active_ = true;
    choice_->refresh();
}

void ProbeWorkspace::deactivate() { active_ = false; }

QString ProbeWorkspace::commandLine() const { return page_->commandLine(); }

}  // namespace braid::ui
