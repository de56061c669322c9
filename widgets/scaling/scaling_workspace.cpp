#include "widgets/scaling/scaling_workspace.h"

#include <QAction>
#include <algorithm>

#include "widgets/common/icons.h"
#include "widgets/common/project_session.h"
#include "widgets/scaling/coefficient_table.h"
#include "widgets/scaling/exclude_dialog.h"
#include "widgets/scaling/fit_commands.h"
#include "widgets/scaling/point_panel.h"
#include "widgets/scaling/scaling_choice.h"
#include "widgets/scaling/scaling_page.h"
#include "widgets/scaling/scaling_side.h"
#include "widgets/scaling/study_editor.h"

namespace braid::ui {

ScalingWorkspace::ScalingWorkspace(const WorkspaceContext& context, std::unique_ptr<FitCommands> fits,
                                   QObject* parent)
    : Workspace(parent),
      context_(context),
      fits_(std::move(fits)),
      choice_(new ScalingChoice(context.session, this)),
      side_(new ScalingSide(context, *choice_)),
      panel_(new PointPanel(*choice_)),
      page_(new ScalingPage(context, *choice_, *fits_)) {
    connect(panel_, &PointPanel::openRun, page_, &ScalingPage::openRun);
    connect(panel_, &PointPanel::excludeWanted, this, &ScalingWorkspace::exclude);
    connect(panel_, &PointPanel::includeWanted, this, &ScalingWorkspace::include);
    connect(choice_, &ScalingChoice::changed, this, &Workspace::commandLineChanged);
    connect(&context.session, &ProjectSession::saved, this, [this](const QString& file) {
        if (file != awaited_) return;
        awaited_.clear();
        if (choice_->content() && choice_->content()->view.record && fits_->unavailableReason().isEmpty())
            page_->fit();
    });
    connect(side_, &ScalingSide::newWanted, this, &ScalingWorkspace::newStudy);
    connect(side_, &ScalingSide::editWanted, this, &ScalingWorkspace::editStudy);
    connect(page_, &ScalingPage::newStudyWanted, this, &ScalingWorkspace::newStudy);
    makeActions();
}

ScalingWorkspace::~ScalingWorkspace() {
    // The shell owns them once they are in its window; it may be gone already.
    if (page_ && !page_->parent()) delete page_;
    if (side_ && !side_->parent()) delete side_;
    if (panel_ && !panel_->parent()) delete panel_;
}

QWidget* ScalingWorkspace::page() { return page_; }
QWidget* ScalingWorkspace::side() { return side_; }
QWidget* ScalingWorkspace::inspector() { return panel_; }

ScalingPage* ScalingWorkspace::scalingPage() const { return page_; }
ScalingSide* ScalingWorkspace::scalingSide() const { return side_; }
PointPanel* ScalingWorkspace::pointPanel() const { return panel_; }

void ScalingWorkspace::makeActions() {
    const auto add = [this](const char* name, const QString& text, const char* iconName, const char* menu,
                            auto slot) {
        auto* action = new QAction(icon(QLatin1String(iconName)), text, this);
        action->setObjectName(QLatin1String(name));
        action->setProperty("menu", QLatin1String(menu));
        connect(action, &QAction::triggered, this, slot);
        actions_ << action;
    };
    add("scale.run", tr("Run study"), "play", "run", [this] { side_->runStudy(); });
    add("scale.next", tr("Run the chosen point next"), "play", "run", [this] { side_->runNext(); });
    add("scale.new", tr("New grid study..."), "plus", "file", [this] { newStudy(); });
    add("scale.edit", tr("Edit study..."), "edit", "edit", [this] { editStudy(); });
    add("scale.fit", tr("Fit scaling laws"), "refresh", "run", [this] { page_->fit(); });
    add("scale.exclude", tr("Exclude the chosen point..."), "close", "edit", [this] { exclude(); });
    add("scale.figure", tr("Export figure..."), "export", "run", [this] { page_->exportFigure(); });
    add("scale.csv", tr("Export coefficients as CSV"), "export", "run",
        [this] { page_->coefficients()->exportCsv(); });
    add("scale.open-run", tr("Show the point's run in Train"), "train", "view", [this] { page_->openRun(); });
}

void ScalingWorkspace::activate() { choice_->setActive(true); }
void ScalingWorkspace::deactivate() { choice_->setActive(false); }

QString ScalingWorkspace::commandLine() const { return page_->commandLine(); }

ExcludeDialog* ScalingWorkspace::exclude() {
    const ScalingViewPoint* point = choice_->currentPoint();
    if (!point || context_.session.isReadOnly()) return nullptr;
    auto* dialog = new ExcludeDialog(choice_->content(), *point, page_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, study = choice_->study()] {
        const StudyEntry* entry = context_.session.study(study);
        if (!entry || !entry->spec) return;
        StudySpec spec = *entry->spec;
        spec.fit.excluded.push_back(dialog->rule());
        save(spec);
    });
    dialog->open();
    return dialog;
}

void ScalingWorkspace::include(const QString& rule) {
    const StudyEntry* entry = context_.session.study(choice_->study());
    if (!entry || !entry->spec) return;
    StudySpec spec = *entry->spec;
    const auto found = std::find(spec.fit.excluded.begin(), spec.fit.excluded.end(), rule.toStdString());
    if (found == spec.fit.excluded.end()) return;
    spec.fit.excluded.erase(found);
    save(spec);
}

StudyEditor* ScalingWorkspace::newStudy() {
    if (context_.session.isReadOnly()) return nullptr;
    QString name = QStringLiteral("grid");
    for (int i = 2; context_.session.study(name); ++i) name = QStringLiteral("grid-%1").arg(i);
    auto* editor = new StudyEditor(context_.session, firstGridStudy(name.toStdString()), true, page_);
    editor->setAttribute(Qt::WA_DeleteOnClose);
    connect(editor, &QDialog::accepted, this, [this, editor] { context_.session.saveStudy(editor->spec()); });
    editor->open();
    return editor;
}

StudyEditor* ScalingWorkspace::editStudy() {
    const StudyEntry* entry = context_.session.study(choice_->study());
    if (!entry || !entry->spec || context_.session.isReadOnly()) return nullptr;
    auto* editor = new StudyEditor(context_.session, *entry->spec, false, page_);
    editor->setAttribute(Qt::WA_DeleteOnClose);
    connect(editor, &QDialog::accepted, this, [this, editor] { context_.session.saveStudy(editor->spec()); });
    editor->open();
    return editor;
}

void ScalingWorkspace::save(const StudySpec& spec) {
    awaited_ = context_.session.folder() + QStringLiteral("/studies/") + QString::fromStdString(spec.name) +
               QStringLiteral(".json");
    context_.session.saveStudy(spec);
}

}  // namespace braid::ui
