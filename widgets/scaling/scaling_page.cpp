#include "widgets/scaling/scaling_page.h"

#include <QComboBox>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"
#include "widgets/common/segments.h"
#include "widgets/scaling/coefficient_table.h"
#include "widgets/scaling/fit_commands.h"
#include "widgets/scaling/front_view.h"
#include "widgets/scaling/map_view.h"
#include "widgets/scaling/pair_view.h"
#include "widgets/scaling/scaling_figures.h"
#include "widgets/scaling/scaling_panels.h"
#include "widgets/scaling/scaling_plot.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

namespace {

enum Page { ViewsPage, EmptyPage };
enum Form { OverlayForm, PanelsForm };

}  // namespace

ScalingPage::ScalingPage(const WorkspaceContext& context, ScalingChoice& choice, FitCommands& fits,
                         QWidget* parent)
    : QWidget(parent),
      context_(context),
      choice_(choice),
      fits_(fits),
      toolbar_(new PageToolbar),
      tabs_(new QTabBar),
      metrics_(new QComboBox),
      by_(new QComboBox),
      axis_(new Segments(tr("X axis"), {tr("Tokens"), tr("FLOPs")})),
      form_(new Segments(tr("Shown as"), {tr("Overlay"), tr("Panels")})),
      seeds_(new Segments(tr("Seeds"), {tr("All seeds"), tr("Mean")})),
      cancel_(makeButton(tr("Cancel"))),
      fit_(makeButton(tr("Refit"), QStringLiteral("refresh"))),
      figure_(makeButton(tr("Figure"), QStringLiteral("figure"))),
      state_(new TextLabel({}, TypeStep::table)),
      progress_(new RunProgressBar),
      pages_(new QStackedWidget),
      forms_(new QStackedWidget),
      views_(new QStackedWidget),
      plot_(new ScalingPlot),
      panels_(new ScalingPanels),
      pairs_(new PairView),
      map_(new MapView),
      front_(new FrontView),
      coefficients_(new CoefficientTable(context.session, context.shell)),
      empty_(new EmptyState(tr("The project has no study."), tr("New study..."))) {
    makeToolbar();
    state_->setWordWrap(true);
    state_->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap3, metrics::gap1);
    state_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    makeTabs();
    pages_->addWidget(views_);
    pages_->addWidget(empty_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* strip = new QWidget;
    auto* line = new QHBoxLayout(strip);
    line->setContentsMargins(metrics::gap1, 0, 0, 0);
    line->addWidget(tabs_);
    line->addStretch();
    line->addWidget(by_);
    line->addWidget(seeds_);
    line->addSpacing(metrics::gap2);
    layout->addWidget(toolbar_);
    layout->addWidget(strip);
    layout->addWidget(makeSeparator());
    layout->addWidget(state_);
    layout->addWidget(progress_);
    layout->addWidget(pages_, 1);

    const auto choose = [this](int point) { choice_.setCurrent(point); };
    connect(plot_, &ScalingPlot::chosen, this, choose);
    connect(panels_, &ScalingPanels::chosen, this, choose);
    connect(pairs_, &PairView::chosen, this, choose);
    connect(map_, &MapView::chosen, this, choose);
    connect(front_, &FrontView::chosen, this, choose);
    const auto open = [this](int point) {
        choice_.setCurrent(point);
        openRun();
    };
    connect(plot_, &ScalingPlot::opened, this, open);
    connect(panels_, &ScalingPanels::opened, this, open);
    connect(pairs_, &PairView::opened, this, open);
    connect(coefficients_, &CoefficientTable::fitWanted, this, &ScalingPage::fit);
    connect(&choice_, &ScalingChoice::changed, this, &ScalingPage::refresh);
    connect(&choice_, &ScalingChoice::currentChanged, this, &ScalingPage::refreshCurrent);
    connect(&fits_, &FitCommands::progress, this, [this](double fraction, const QString& text) {
        fitting_ = true;
        progress_->setProgress(std::max(0.0, fraction), 0);
        fitText_ = text;
        refreshState();
    });
    connect(&fits_, &FitCommands::ended, this, [this](const QString& problem, bool cancelled) {
        fitting_ = false;
        fitProblem_ = problem;
        if (cancelled) context_.shell.showStatus(tr("Fit cancelled"));
        if (problem.isEmpty() && !cancelled)
            context_.shell.notify(QStringLiteral("scale"), tr("Fitted %1").arg(fitStudy_));
        refreshState();
        choice_.refresh();
    });
    connect(empty_, &EmptyState::clicked, this, [this] {
        if (choice_.content() && choice_.content()->problems.empty())
            context_.commands.startStudy(choice_.study());
        else
            Q_EMIT newStudyWanted();
    });
    refresh();
}

void ScalingPage::makeToolbar() {
    metrics_->setAccessibleName(tr("Metric"));
    metrics_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    metrics_->setMinimumContentsLength(14);
    by_->setAccessibleName(tr("A panel for each"));
    by_->addItems({tr("By architecture"), tr("By scale")});
    axis_->setCurrent(0);
    form_->setCurrent(OverlayForm);
    seeds_->setCurrent(0);
    for (QWidget* widget : std::initializer_list<QWidget*>{metrics_, axis_, form_, cancel_, fit_, figure_})
        toolbar_->addWidget(widget);
    connect(metrics_, &QComboBox::activated, this, [this](int index) {
        fitProblem_.clear();
        choice_.setMetric(metrics_->itemData(index).toString());
    });
    connect(axis_, &Segments::chosen, this, [this](int index) { choice_.setFlops(index == 1); });
    connect(form_, &Segments::chosen, this, &ScalingPage::refreshPlots);
    connect(seeds_, &Segments::chosen, this, &ScalingPage::refreshPlots);
    connect(by_, &QComboBox::activated, this, &ScalingPage::refreshPlots);
    connect(fit_, &QPushButton::clicked, this, &ScalingPage::fit);
    connect(cancel_, &QPushButton::clicked, this, &ScalingPage::cancelFit);
    connect(figure_, &QPushButton::clicked, this, &ScalingPage::exportFigure);
}

QWidget* ScalingPage::makeCurves() {
    forms_->addWidget(plot_);
    forms_->addWidget(panels_);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(forms_);
    split->addWidget(coefficients_);
    split->setStretchFactor(0, 4);
    split->setStretchFactor(1, 1);
    split->setSizes({560, 170});
    split->setChildrenCollapsible(false);
    return split;
}

void ScalingPage::makeTabs() {
    tabs_->setDrawBase(false);
    tabs_->setExpanding(false);
    tabs_->setAccessibleName(tr("Views of the study"));
    for (const QString& title : {tr("Curves"), tr("Two curves"), tr("Map"), tr("Pareto front")})
        tabs_->addTab(title);
    for (QWidget* view : std::initializer_list<QWidget*>{makeCurves(), pairs_, map_, front_})
        views_->addWidget(view);
    connect(tabs_, &QTabBar::currentChanged, this, &ScalingPage::refreshPlots);
}

QString ScalingPage::state() const { return state_->text(); }
bool ScalingPage::isEmpty() const { return pages_->currentIndex() == EmptyPage; }

void ScalingPage::refresh() {
    const ScalingContentPtr& content = choice_.content();
    const StudyEntry* entry = context_.session.study(choice_.study());
    toolbar_->setTitle(entry && !entry->title.isEmpty() ? entry->title : choice_.study());
    metrics_->clear();
    bool ready = false;
    if (!entry) {
        toolbar_->setTitle(tr("Scale"));
        toolbar_->setNote({});
        empty_->setSentence(tr("The project has no study with a grid of scales and budgets."));
        empty_->button()->setText(tr("New study..."));
        empty_->button()->show();
    } else if (!entry->spec || (content && !content->problems.empty())) {
        QString why = entry->problem;
        if (content)
            for (const Diagnostic& problem : content->problems)
                why += (why.isEmpty() ? QString() : QStringLiteral("\n")) +
                       QString::fromStdString(problem.message());
        empty_->setSentence(
            tr("This study cannot be planned.\n%1").arg(why.section(QLatin1Char('\n'), 0, 7)));
        empty_->button()->hide();
    } else if (!content) {
        empty_->setSentence(tr("Reading the study..."));
        empty_->button()->hide();
    } else {
        const ScalingView& view = content->view;
        toolbar_->setNote(
            tr("%1 of %2 points, %3 curves")
                .arg(formatCount(std::int64_t(view.finished)), formatCount(std::int64_t(view.points.size())))
                .arg(view.curves.size()));
        for (const std::string& metric : content->metrics)
            metrics_->addItem(metricText(metric), QString::fromStdString(metric));
        metrics_->setCurrentIndex(std::max(0, metrics_->findData(choice_.metric())));
        const bool any = std::any_of(view.points.begin(), view.points.end(),
                                     [](const ScalingViewPoint& point) { return !point.run.empty(); });
        ready = any;
        empty_->setSentence(tr("No point of this study has been trained yet."));
        const bool running = context_.commands.isStudyRunning(choice_.study());
        empty_->button()->setText(tr("Run study"));
        empty_->button()->setVisible(!running);
        if (running) empty_->setSentence(tr("The study runs; its first point is on its way."));
    }
    pages_->setCurrentIndex(ready ? ViewsPage : EmptyPage);
    for (QWidget* widget : std::initializer_list<QWidget*>{metrics_, axis_, form_}) widget->setEnabled(ready);
    axis_->setCurrent(choice_.flops() ? 1 : 0);
    coefficients_->show(ready ? content : nullptr);
    refreshPlots();
}

// Only the view that is seen draws.
void ScalingPage::refreshPlots() {
    const ScalingContentPtr& content = choice_.content();
    const int tab = tabs_->currentIndex();
    const bool lines = tab == Curves || tab == Pairs;
    const bool several = content && content->view.several_seeds;
    const bool panels = form_->current() == PanelsForm;
    form_->setVisible(tab == Curves);
    axis_->setVisible(lines);
    by_->setVisible(tab == Curves && panels);
    seeds_->setVisible(lines && several);
    views_->setCurrentIndex(tab);
    const ScalingPlotOptions options{.flops = choice_.flops(), .means = several && seeds_->current() == 1};
    forms_->setCurrentIndex(panels ? 1 : 0);
    if (tab == Curves && panels)
        panels_->show(content, by_->currentIndex() == 1 ? PanelsBy::scale : PanelsBy::curve, options);
    else if (tab == Curves)
        plot_->show(content, options);
    else if (tab == Pairs)
        pairs_->show(content, options);
    else if (tab == Map)
        map_->show(content);
    else
        front_->show(content);
    refreshCurrent();
    refreshState();
}

void ScalingPage::refreshCurrent() {
    plot_->setCurrent(choice_.current());
    panels_->setCurrent(choice_.current());
    pairs_->setCurrent(choice_.current());
}

void ScalingPage::refreshState() {
    const ScalingContentPtr& content = choice_.content();
    const bool planned = content && content->problems.empty();
    const bool fitted = planned && content->view.record;
    QString text, status;
    if (fitting_) {
        text = fitText_.isEmpty() ? tr("Fitting...") : tr("Fitting: %1").arg(fitText_);
        status = QStringLiteral("info");
    } else if (!fitProblem_.isEmpty()) {
        text = fitProblem_;
        status = QStringLiteral("error");
    } else if (fitted && content->view.outdated()) {
        QStringList why;
        if (content->view.new_points > 0)
            why << (content->view.new_points == 1
                        ? tr("1 point has finished since")
                        : tr("%1 points have finished since").arg(content->view.new_points));
        if (content->view.rules_changed) why << tr("what is held out or excluded has changed");
        text = tr("This fit is older than the study: %1.").arg(why.join(tr(", ")));
        status = QStringLiteral("warn");
    } else if (planned && tabs_->currentIndex() == Map && !map_->problem().isEmpty()) {
        text = map_->problem();
        status = QStringLiteral("info");
    }
    state_->setText(text);
    state_->setStatus(status);
    state_->setVisible(!text.isEmpty());
    progress_->setVisible(fitting_);
    cancel_->setVisible(fitting_);
    fit_->setVisible(!fitting_);
    fit_->setText(fitted ? tr("Refit") : tr("Fit"));
    const QString unavailable = fits_.unavailableReason();
    setDisabledReason(fit_, !planned                      ? tr("There is no study to fit")
                            : content->view.finished == 0 ? tr("No point has finished yet")
                                                          : unavailable);
    setDisabledReason(coefficients_->empty()->button(), fit_->isEnabled() ? QString() : fit_->toolTip());
    setDisabledReason(figure_,
                      planned && content->view.finished > 0 ? QString() : tr("No point has finished yet"));
}

void ScalingPage::fit() {
    if (!choice_.content() || fitting_) return;
    fitProblem_.clear();
    fitText_.clear();
    fitting_ = true;
    fitStudy_ = choice_.study();
    progress_->setProgress(0, 0);
    refreshState();
    fits_.fit(choice_.study(), choice_.metric());
}

void ScalingPage::cancelFit() { fits_.cancel(); }

void ScalingPage::openRun() {
    const RunPointer run = choice_.runOf(choice_.current());
    if (!run) return;
    context_.session.setSelectedRuns({run->id});
    context_.shell.showWorkspace(QStringLiteral("train"));
}

QString ScalingPage::commandLine() const {
    return choice_.study().isEmpty() ? QString() : fitCommand(choice_.study(), choice_.metric());
}

void ScalingPage::exportFigure() {
    const ScalingContentPtr& content = choice_.content();
    if (!content || !figure_->isEnabled()) return;
    const bool panels = form_->current() == PanelsForm;
    NamedFigure figure;
    switch (tabs_->currentIndex()) {
        case Pairs:
            figure = pairFigure(*content, choice_.flops(), pairs_->curves());
            break;
        case Map:
            figure = mapFigure(*content, map_->wish());
            break;
        case Front:
            figure = frontFigure(*content, front_->wish());
            break;
        default:
            figure = !panels ? overlayFigure(*content, choice_.flops())
                             : panelsFigure(*content, choice_.flops(), by_->currentIndex() == 1);
    }
    exportFigureOf(figure, context_, this);
}

}  // namespace braid::ui
