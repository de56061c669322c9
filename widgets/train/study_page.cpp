#include "widgets/train/study_page.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QScrollArea>
#include <QShortcut>
#include <QTableView>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"
#include "widgets/plot/curve_plot.h"
#include "widgets/train/figure_of_view.h"
#include "widgets/train/next_step.h"
#include "widgets/train/study_table.h"

namespace braid::ui {

namespace {

constexpr int narrow_width = 720;

QString runCount(int count) {
    return count == 1 ? StudyPage::tr("1 run") : StudyPage::tr("%1 runs").arg(count);
}

bool isGrid(const StudySpec& spec) {
    return !spec.scales.empty() || !spec.budgets.empty() || !spec.axes.empty();
}

QString gridText(const StudySpec& spec) {
    QStringList parts{StudyPage::tr("%1 architectures").arg(spec.variants.size())};
    if (!spec.scales.empty()) parts << StudyPage::tr("%1 scales").arg(spec.scales.size());
    if (!spec.budgets.empty()) parts << StudyPage::tr("%1 budgets").arg(spec.budgets.size());
    for (const StudyAxis& axis : spec.axes)
        parts
            << StudyPage::tr("%1 values of %2").arg(axis.values.size()).arg(QString::fromStdString(axis.key));
    if (spec.seeds.size() > 1) parts << StudyPage::tr("%1 seeds").arg(spec.seeds.size());
    QString text =
        StudyPage::tr("A grid of %1. Scale shows its points, what they cost, and the laws fitted to them.")
            .arg(parts.join(QStringLiteral(" × ")));
    if (!spec.description.empty()) text.prepend(QString::fromStdString(spec.description) + QLatin1Char('\n'));
    return text;
}

PlotSeries seriesOf(const StudyRow& row, const std::string& metric, XAxis axis) {
    CurvePtr curve = row.run->curve(metric, axis);
    return {.id = QString::fromStdString(row.run->id.str()),
            .label = row.label,
            .curve = curve ? curve : Curve::empty(),
            .colour = row.run->paletteIndex,
            .live = row.run->state() == RunState::running};
}

}  // namespace

StudyPage::StudyPage(const WorkspaceContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      toolbar_(new PageToolbar),
      scale_(makeButton(tr("Open in Scale"), QStringLiteral("scale"))),
      run_(makePrimaryButton(tr("Run study"), QStringLiteral("play"))),
      pause_(makeButton(tr("Pause"), QStringLiteral("pause"))),
      stop_(makeDangerButton(tr("Stop"), QStringLiteral("stop"))),
      status_(new TextLabel({}, TypeStep::control, 600)),
      headline_(new TextLabel({}, TypeStep::result, 600)),
      explanation_(new TextLabel({}, TypeStep::title, 400, 2)),
      eta_(new TextLabel({}, TypeStep::control, 400, 2)),
      progress_(new RunProgressBar),
      far_(new CurvePlot),
      near_(new CurvePlot),
      mid_(new CurvePlot),
      loss_(new CurvePlot),
      model_(new StudyTableModel(this)),
      table_(makeStudyTable(model_)) {
    toolbar_->addWidget(eta_);
    toolbar_->addWidget(scale_);
    toolbar_->addWidget(stop_);
    toolbar_->addWidget(pause_);
    toolbar_->addWidget(run_);
    headline_->setWordWrap(true);
    explanation_->setWordWrap(true);
    explanation_->setMaximumWidth(860);
    connect(run_, &QPushButton::clicked, this, &StudyPage::runStudy);
    connect(scale_, &QPushButton::clicked, this, [this] {
        context_.session.setCurrentStudy(name_);
        context_.shell.showWorkspace(QStringLiteral("scale"));
    });
    connect(pause_, &QPushButton::clicked, this, &StudyPage::pauseOrResume);
    connect(stop_, &QPushButton::clicked, this, &StudyPage::stopStudy);

    content_ = new QWidget;
    auto* body = new QVBoxLayout(content_);
    body->setContentsMargins(metrics::gap6, metrics::gap4, metrics::gap6, metrics::gap4);
    body->setSpacing(metrics::gap2);
    body->addWidget(status_);
    body->addWidget(headline_);
    body->addWidget(explanation_);
    body->addWidget(progress_);
    body->addSpacing(metrics::gap1);
    makePlots();
    auto* plots = plots_ = makeCard();
    plot_row_ = new QHBoxLayout(plots);
    plot_row_->setContentsMargins(1, 1, 1, 1);
    plot_row_->setSpacing(0);
    plot_row_->addWidget(far_, 3);
    separators_ << makeSeparator(Qt::Vertical);
    plot_row_->addWidget(separators_.back());
    small_plots_ = new QVBoxLayout;
    small_plots_->setSpacing(0);
    for (CurvePlot* plot : {near_, mid_, loss_}) {
        if (plot != near_) {
            separators_ << makeSeparator();
            small_plots_->addWidget(separators_.back());
        }
        small_plots_->addWidget(plot, 1);
    }
    plot_row_->addLayout(small_plots_, 1);
    far_->setMinimumHeight(250);
    body->addWidget(plots, 1);
    auto* table_card = rows_ = makeCard();
    auto* table_layout = new QVBoxLayout(table_card);
    table_layout->setContentsMargins(1, 1, 1, 1);
    table_layout->addWidget(table_);
    body->addSpacing(metrics::gap1);
    body->addWidget(table_card);
    investigate_ = new NextStep(
        QStringLiteral("search"), tr("Investigate"),
        tr("When a head came to look far in each hybrid, and how far gradients reach."), QStringLiteral("I"));
    export_ =
        new NextStep(QStringLiteral("export"), tr("Export figure"),
                     tr("Far recall against tokens as PDF, SVG or PNG, with its data."), QStringLiteral("E"));
    change_ =
        new NextStep(QStringLiteral("design"), tr("Change one"),
                     tr("Open a hybrid in Design, try another window, train it again."), QStringLiteral("C"));
    makeNextSteps();
    next_ = new QWidget;
    next_row_ = new QHBoxLayout(next_);
    next_row_->setContentsMargins(0, 0, 0, 0);
    next_row_->setSpacing(metrics::gap3);
    next_row_->addWidget(investigate_);
    next_row_->addWidget(export_);
    next_row_->addWidget(change_);
    body->addSpacing(metrics::gap1);
    body->addWidget(next_);
    body->addStretch();

    auto* scroll = new QScrollArea;
    scroll->setWidget(content_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(toolbar_);
    layout->addWidget(scroll, 1);
    arrange();

    ProjectSession& session = context_.session;
    const auto later = [this] {
        if (active_) throttle_.request();
    };
    connect(&session, &ProjectSession::runChanged, this, later);
    connect(&session, &ProjectSession::studiesChanged, this, [this, later] {
        follow();
        later();
    });
    connect(&session, &ProjectSession::runStateChanged, this, [this] { follow(); });
    connect(&context_.commands, &RunCommands::studyStateChanged, this, later);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &StudyPage::refresh);
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (const RunPointer run = model_->runAt(index.row())) context_.session.setSelectedRuns({run->id});
    });
}

void StudyPage::resizeEvent(QResizeEvent* event) {
    arrange();
    QWidget::resizeEvent(event);
}

void StudyPage::arrange() {
    const bool narrow = width() < narrow_width;
    plot_row_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    small_plots_->setDirection(narrow ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    next_row_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    for (QWidget* line : separators_) line->setVisible(!narrow);
    for (CurvePlot* plot : {near_, mid_, loss_}) plot->setMinimumHeight(narrow ? 130 : 80);
    plots_->setMinimumHeight(narrow ? 380 : 260);
    // What Design shows of each hybrid, too.
    for (const int column : {int(StudyTableModel::Layers), int(StudyTableModel::Position),
                             int(StudyTableModel::Bar), int(StudyTableModel::Error)})
        table_->setColumnHidden(column, narrow);
    table_->horizontalHeader()->setSectionResizeMode(StudyTableModel::Hybrid,
                                                     narrow ? QHeaderView::Stretch : QHeaderView::Fixed);
    if (!narrow) table_->horizontalHeader()->resizeSection(StudyTableModel::Hybrid, hybrid_width);
    content_->layout()->activate();  // its least width rests on how its parts stand
}

void StudyPage::makePlots() {
    far_->setTitle(tr("Far recall"), tr("keys last seen more than half the sequence ago, T/2"));
    far_->setXTitle(tr("training tokens"));
    near_->setTitle(tr("Near recall"), tr("≤ 16"));
    mid_->setTitle(tr("Mid recall"), tr("17 to T/2"));
    loss_->setTitle(tr("Loss"), tr("nats per token"));
    for (CurvePlot* plot : {far_, near_, mid_, loss_}) {
        plot->setCountsOnX(false, true);
        plot->setAccessibleName(plot == far_    ? tr("Far recall against tokens")
                                : plot == near_ ? tr("Near recall")
                                : plot == mid_  ? tr("Mid recall")
                                                : tr("Loss"));
        if (plot != loss_) plot->setYLimits(0.0, 1.0);
        if (plot != far_) plot->setCompact(true);
        connect(plot, &CurvePlot::seriesActivated, this,
                [this](const QString& id) { context_.session.setSelectedRuns({RunId(id.toStdString())}); });
    }
    loss_->setSmoothing(0.9);
    far_->setLabels(PlotLabels::automatic);
}

void StudyPage::makeNextSteps() {
    connect(investigate_, &QPushButton::clicked, this, &StudyPage::investigateWanted);
    connect(export_, &QPushButton::clicked, this, &StudyPage::exportFigure);
    connect(change_, &QPushButton::clicked, this, &StudyPage::changeOne);
    const auto key = [this](Qt::Key code, QPushButton* button) {
        auto* shortcut =
            new QShortcut(QKeySequence(code), this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, button, &QPushButton::click);
    };
    key(Qt::Key_I, investigate_);
    key(Qt::Key_E, export_);
    key(Qt::Key_C, change_);
}

void StudyPage::showStudy(const QString& name) {
    name_ = name;
    follow();
    refresh();
}

void StudyPage::setActive(bool active) {
    active_ = active;
    follow();
    if (active) refresh();
}

void StudyPage::follow() {
    std::vector<RunId> wanted;
    if (active_ && !name_.isEmpty())
        for (const RunPointer& run : context_.session.runsOfStudy(name_)) wanted.push_back(run->id);
    context_.session.wantCurves(this, wanted, {XAxis::step, XAxis::tokens});
}

QString StudyPage::headline() const { return headline_->text(); }

void StudyPage::refresh() {
    const StudyEntry* entry = name_.isEmpty() ? nullptr : context_.session.study(name_);
    const bool readable = entry != nullptr && entry->spec;
    for (QWidget* widget :
         std::initializer_list<QWidget*>{run_, pause_, stop_, investigate_, export_, change_})
        widget->setEnabled(readable);
    content_->setVisible(readable);
    if (!readable) {
        toolbar_->setTitle(entry != nullptr ? tr("%1 cannot be read").arg(name_) : name_);
        toolbar_->setNote(entry != nullptr ? entry->problem : QString());
        return;
    }
    const StudySpec& spec = *entry->spec;
    const bool grid = isGrid(spec);
    StudySummary summary = summarise(spec, context_.session.runsOfStudy(name_));
    toolbar_->setTitle(entry->title.isEmpty() ? name_ : entry->title);
    toolbar_->setNote(tr("%1, %2")
                          .arg(runCount(summary.total))
                          .arg(spec.seeds.size() > 1 ? tr("%1 seeds").arg(spec.seeds.size())
                                                     : tr("seed %1").arg(spec.seeds.front())));
    status_->setText(summary.done() ? tr("✓  Study finished")
                     : summary.failed > 0
                         ? (summary.failed == 1 ? tr("1 run needs attention")
                                                : tr("%1 runs need attention").arg(summary.failed))
                     : summary.active > 0   ? tr("Study is running")
                     : summary.finished > 0 ? tr("Study is not finished")
                                            : QString());
    status_->setStatus(summary.done()       ? QStringLiteral("ok")
                       : summary.failed > 0 ? QStringLiteral("warn")
                       : summary.active > 0 ? QStringLiteral("info")
                                            : QString());
    status_->setVisible(!status_->text().isEmpty());
    headline_->setText(grid ? tr("%1 of %2 points are trained").arg(summary.finished).arg(summary.total)
                            : summary.headline());
    explanation_->setText(grid ? gridText(spec) : summary.explanation(spec));
    // One curve a variant says nothing of a grid; Scale shows its points.
    for (QWidget* part : {plots_, rows_, next_}) part->setVisible(!grid);
    scale_->setVisible(grid && context_.shell.hasWorkspace(QStringLiteral("scale")));
    progress_->setVisible(!summary.done() && summary.progress > 0);
    progress_->setProgress(summary.progress, 0);
    eta_->setText(
        summary.done()
            ? tr("%1, %2 of training").arg(runCount(summary.total)).arg(formatDuration(summary.seconds))
        : summary.eta ? formatEta(summary.eta->seconds, summary.eta->plus_minus)
                      : QString());
    RunPointer shown;
    for (const StudyRow& row : summary.rows)
        if (row.run && (!shown || (!shown->active() && row.run->active()))) shown = row.run;
    if (const RunPointer chosen = model_->runAt(table_->currentIndex().row()))
        shown = context_.session.run(chosen->id);
    Q_EMIT runShown(shown);
    QVector<PlotSeries> far, near, mid, loss;
    double end = 0;
    for (const StudyRow& row : summary.rows) {
        if (!row.run) continue;
        end = std::max(end, row.run->tokensAt(row.run->steps()));
        far.push_back(seriesOf(row, spec.measure.metric, XAxis::tokens));
        near.push_back(seriesOf(row, "recall/near", XAxis::tokens));
        mid.push_back(seriesOf(row, "recall/mid", XAxis::tokens));
        loss.push_back(seriesOf(row, "loss", XAxis::tokens));
    }
    far_->setThreshold(PlotThreshold{.value = spec.measure.threshold,
                                     .label = formatFixed(spec.measure.threshold, 1),
                                     .compare = summary.done(),
                                     .unit = tr("tokens")});
    const std::pair<CurvePlot*, QVector<PlotSeries>*> panels[] = {
        {far_, &far}, {near_, &near}, {mid_, &mid}, {loss_, &loss}};
    for (const auto& [plot, series] : panels) {
        if (end > 0) plot->setXLimits(0.0, end);
        plot->setSeries(*series);
    }
    refreshButtons(summary);
    model_->show(spec, std::move(summary));
    table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() + 2 +
                           model_->rowCount() * table_->verticalHeader()->defaultSectionSize());
}

void StudyPage::refreshButtons(const StudySummary& summary) {
    const bool running = context_.commands.isStudyRunning(name_) || summary.active > 0;
    bool paused = false;
    for (const StudyRow& row : summary.rows)
        paused = paused || (row.run && row.run->state() == RunState::paused);
    run_->setVisible(!running);
    run_->setText(summary.done()                          ? tr("Run again")
                  : summary.finished + summary.failed > 0 ? tr("Continue study")
                                                          : tr("Run study"));
    setDisabledReason(
        run_, summary.done()
                  ? tr("All runs of this study are finished; remove a run or add a seed to train more")
                  : context_.commands.unavailableReason());
    pause_->setVisible(running);
    pause_->setText(paused ? tr("Resume") : tr("Pause"));
    stop_->setVisible(running);
    setDisabledReason(export_, summary.finished + summary.active + summary.failed > 0
                                   ? QString()
                                   : tr("There is no run to show yet"));
}

void StudyPage::runStudy() { context_.commands.startStudy(name_); }

void StudyPage::pauseOrResume() {
    const std::vector<RunPointer> runs = context_.session.runsOfStudy(name_);
    bool paused = false;
    for (const RunPointer& run : runs) paused = paused || run->state() == RunState::paused;
    for (const RunPointer& run : runs) {
        if (paused && run->state() == RunState::paused) context_.commands.resume(run->id);
        if (!paused && run->state() == RunState::running) context_.commands.pause(run->id);
    }
}

void StudyPage::stopStudy() { context_.commands.stopStudy(name_); }

void StudyPage::exportFigure() {
    const StudyEntry* entry = context_.session.study(name_);
    if (entry == nullptr || !entry->spec) return;
    exportFigureOf(figureOfStudy(context_.session, name_), context_, this);
}

void StudyPage::changeOne() {
    const StudyEntry* entry = context_.session.study(name_);
    if (entry == nullptr || !entry->spec) return;
    const RunPointer run = model_->runAt(std::max(0, table_->currentIndex().row()));
    // The project has an architecture of each variant's name.
    const QString label = run && run->plan
                              ? QString::fromStdString(run->plan->architecture.name)
                              : QString::fromStdString(slug(entry->spec->variants.front().label));
    const QString fallback = QString::fromStdString(slug(entry->spec->variants.front().label));
    context_.session.setCurrentArchitecture(context_.session.architecture(label) != nullptr ? label
                                                                                            : fallback);
    context_.shell.showWorkspace(QStringLiteral("design"));
}

}  // namespace braid::ui
