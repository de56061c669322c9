#include "widgets/investigate/investigate_page.h"

#include <QComboBox>
#include <QHeaderView>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/measured_views.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/common/project_session.h"
#include "widgets/figure/named_figure.h"
#include "widgets/investigate/formation_table.h"
#include "widgets/plot/curve_plot.h"
#include "widgets/probe/layer_map_view.h"

namespace braid::ui {

namespace {

enum Page { ViewsPage, EmptyPage };

constexpr int plot_height = 250;

QComboBox* makeChoice(const QString& name) {
    auto* choice = new QComboBox;
    choice->setAccessibleName(name);
    choice->setToolTip(name);
    choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return choice;
}

// Without asking again for what is there already.
void fillChoice(QComboBox* choice, const QStringList& texts, int otherwise) {
    QStringList before;
    for (int i = 0; i < choice->count(); ++i) before << choice->itemText(i);
    if (before == texts) return;
    const QString chosen = choice->currentText();
    choice->clear();
    choice->addItems(texts);
    const int again = choice->findText(chosen);
    choice->setCurrentIndex(again >= 0 ? again : otherwise);
}

PlotSeries seriesOf(const InvestigatedRun& run, CurvePtr curve) {
    return {.id = QString::fromStdString(run.run->id.str()),
            .label = run.label,
            .curve = std::move(curve),
            .colour = run.run->paletteIndex};
}

}  // namespace

InvestigatePage::InvestigatePage(const WorkspaceContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      toolbar_(new PageToolbar(tr("Investigate"))),
      early_(makeChoice(tr("Variant that looks far early"))),
      late_(makeChoice(tr("Variant that looks far late"))),
      seed_(makeChoice(tr("Seed of the charts"))),
      figure_(makeButton(tr("Figure"), QStringLiteral("export"))),
      cancel_(makeButton(tr("Cancel"))),
      measure_(makePrimaryButton(tr("Investigate"), QStringLiteral("play"))),
      progress_(new RunProgressBar),
      headline_(new TextLabel({}, TypeStep::title, 600)),
      explanation_(new TextLabel({}, TypeStep::control, 400, 2)),
      state_(new TextLabel({}, TypeStep::control, 400, 2)),
      description_(new TextLabel({}, TypeStep::control, 400, 3)),
      pages_(new QStackedWidget),
      empty_(new EmptyState(tr("No run of this study has finished."), tr("Run study"))),
      mass_(new CurvePlot),
      entropy_(new CurvePlot),
      gradient_(new CurvePlot),
      early_map_(new LayerMapView),
      late_map_(new LayerMapView),
      model_(new FormationTableModel(this)),
      table_(new DataTable(tr("Tokens after which a head formed, by seed"))) {
    makeToolbar();
    pages_->addWidget(makeViews());
    pages_->addWidget(empty_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(toolbar_);
    layout->addWidget(pages_, 1);

    connect(empty_, &EmptyState::clicked, this, [this] { context_.commands.startStudy(name_); });
    ProjectSession& session = context_.session;
    const auto later = [this] {
        if (active_) throttle_.request();
    };
    connect(&session, &ProjectSession::runChanged, this, later);
    connect(&session, &ProjectSession::runRemoved, this, later);
    connect(&session, &ProjectSession::studiesChanged, this, later);
    connect(&context_.commands, &RunCommands::scoreJobChanged, this, &InvestigatePage::follow);
    for (QComboBox* choice : {early_, late_, seed_})
        connect(choice, &QComboBox::activated, this, &InvestigatePage::refresh);
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
        seed_->setCurrentText(tr("Seed %1").arg(model_->seedAt(index.row())));
        refresh();
    });
    for (LayerMapView* map : {early_map_, late_map_})
        connect(map, &LayerMapView::opened, this, [this, map] {
            const auto place = map->held();
            if (!place) return;
            const MeasuredRun& run = map->run(*place);
            context_.session.selectHead(RunId(run.run), run.record->checkpoint.step, place->layer,
                                        place->row);
            if (context_.shell.hasWorkspace(QStringLiteral("heads")))
                context_.shell.showWorkspace(QStringLiteral("heads"));
        });
}

void InvestigatePage::makeToolbar() {
    for (QComboBox* choice : {early_, late_, seed_}) toolbar_->addWidget(choice);
    for (QWidget* widget : std::initializer_list<QWidget*>{figure_, cancel_, measure_})
        toolbar_->addWidget(widget);
    connect(figure_, &QPushButton::clicked, this, &InvestigatePage::exportFigure);
    connect(cancel_, &QPushButton::clicked, this, &InvestigatePage::cancel);
    connect(measure_, &QPushButton::clicked, this, &InvestigatePage::measure);
}

QWidget* InvestigatePage::makeViews() {
    mass_->setTitle(tr("Attention on the needle"), tr("top head"));
    entropy_->setTitle(tr("Attention entropy"), tr("top head, low is sharp"));
    gradient_->setTitle(tr("Gradient influence G(d)"), tr("at the end"));
    for (CurvePlot* plot : {mass_, entropy_}) {
        plot->setXTitle(tr("training tokens"));
        plot->setCountsOnX(false, true);
        plot->setYLimits(0.0, 1.0);
        plot->setThreshold(std::nullopt);
    }
    mass_->setThreshold(PlotThreshold{.value = formed_mass, .label = tr("formed"), .markCrossings = true});
    gradient_->setXTitle(tr("distance d, tokens"));
    gradient_->setXScale(AxisScale::log);
    gradient_->setYScale(AxisScale::log);
    gradient_->setCountsOnX(true, false);
    auto* plots = makeCard();
    auto* row = new QHBoxLayout(plots);
    row->setContentsMargins(1, 1, 1, 1);
    row->setSpacing(0);
    for (CurvePlot* plot : {mass_, entropy_, gradient_}) {
        if (plot != mass_) row->addWidget(makeSeparator(Qt::Vertical));
        plot->setLabels(plot == mass_ ? PlotLabels::automatic : PlotLabels::none);  // the same runs in all
        plot->setMinimumHeight(plot_height);
        row->addWidget(plot, 1);
        connect(plot, &CurvePlot::seriesActivated, this,
                [this](const QString& id) { context_.session.setSelectedRuns({RunId(id.toStdString())}); });
    }

    table_->setModel(model_);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table_->horizontalHeader()->setSectionResizeMode(FormationTableModel::Late,
                                                     QHeaderView::ResizeToContents);
    auto* maps = new QVBoxLayout;
    maps->setSpacing(metrics::gap2);
    for (LayerMapView* map : {early_map_, late_map_}) {
        auto* card = makeCard();
        auto* inside = new QVBoxLayout(card);
        inside->setContentsMargins(metrics::gap2, metrics::gap1, 1, 1);
        inside->addWidget(map);
        maps->addWidget(card, 1);
    }
    auto* card = makeCard();
    auto* inside = new QVBoxLayout(card);
    inside->setContentsMargins(1, 1, 1, 1);
    inside->addWidget(table_);
    auto* beneath = new QHBoxLayout;
    beneath->setSpacing(metrics::gap3);
    beneath->addLayout(maps, 3);
    beneath->addWidget(card, 5);

    for (TextLabel* label : {headline_, explanation_, state_, description_}) label->setWordWrap(true);
    auto* content = new QWidget;
    auto* body = new QVBoxLayout(content);
    body->setContentsMargins(metrics::gap6, metrics::gap4, metrics::gap6, metrics::gap4);
    body->setSpacing(metrics::gap2);
    body->addWidget(headline_);
    body->addWidget(explanation_);
    body->addWidget(state_);
    body->addWidget(progress_);
    body->addSpacing(metrics::gap1);
    body->addWidget(plots, 3);
    body->addSpacing(metrics::gap1);
    body->addLayout(beneath, 2);
    body->addWidget(description_);
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    return scroll;
}

std::size_t InvestigatePage::early() const { return std::size_t(std::max(0, early_->currentIndex())); }
std::size_t InvestigatePage::late() const { return std::size_t(std::max(0, late_->currentIndex())); }
std::uint64_t InvestigatePage::seed() const {
    const auto index = std::size_t(std::max(0, seed_->currentIndex()));
    return index < shown_.seeds.size() ? shown_.seeds[index] : 0;
}
QString InvestigatePage::headline() const { return headline_->text(); }
QString InvestigatePage::description() const { return description_->text(); }

void InvestigatePage::showStudy(const QString& name) {
    if (name != name_) jobs_.clear();
    name_ = name;
    refresh();
}

void InvestigatePage::setActive(bool active) {
    active_ = active;
    if (active) refresh();
}

QString InvestigatePage::commandLine() const {
    return name_.isEmpty() ? QString() : QStringLiteral("braid-engine study investigate ") + name_;
}

std::vector<ScoreRequest> InvestigatePage::missing() const {
    std::vector<ScoreRequest> requests;
    for (const InvestigatedRun& run : shown_.runs)
        for (const char* kind : investigated_kinds) {
            const MeasurementRecord* latest =
                run.run->measurements ? run.run->measurements->latest(kind) : nullptr;
            if (latest && latest->checkpoint.step.value == run.run->step()) continue;
            requests.push_back({.run = run.run->id,
                                .step = run.run->step(),
                                .kind = QString::fromLatin1(kind),
                                .verb = ScoreRequest::Verb::measure});
        }
    return requests;
}

void InvestigatePage::measure() {
    jobs_.clear();
    for (const ScoreRequest& request : missing()) context_.commands.startScore(request);
    refresh();
}

void InvestigatePage::cancel() {
    std::vector<int> active;
    for (const auto& [id, job] : jobs_)
        if (job.active()) active.push_back(id);
    // The last one first, or the next would start as soon as one ends.
    std::for_each(active.rbegin(), active.rend(), [this](int id) { context_.commands.cancelScore(id); });
}

void InvestigatePage::follow(const ScoreJob& job) {
    const bool known = jobs_.contains(job.id);
    const bool ours = job.request.isMeasurement() &&
                      std::any_of(shown_.runs.begin(), shown_.runs.end(),
                                  [&](const InvestigatedRun& run) { return run.run->id == job.request.run; });
    if (!known && !(ours && job.active())) return;
    jobs_[job.id] = job;
    if (job.state == ScoreJob::State::done) context_.session.refresh();
    refreshButtons();
}

void InvestigatePage::refresh() {
    const StudyEntry* entry = name_.isEmpty() ? nullptr : context_.session.study(name_);
    if (!entry || !entry->spec) {
        shown_ = {};
        toolbar_->setNote({});
        empty_->setSentence(name_.isEmpty() ? tr("Choose a study in the project.")
                                            : tr("The study cannot be read."));
        empty_->button()->hide();
        pages_->setCurrentIndex(EmptyPage);
        return refreshButtons();
    }
    const StudySpec& spec = *entry->spec;
    toolbar_->setNote(QString::fromStdString(spec.title));
    shown_ = investigate(spec, context_.session.runsOfStudy(name_));
    refreshChoices(spec);
    description_->setText(QString::fromStdString(spec.description));
    description_->setVisible(!spec.description.empty());
    empty_->setSentence(tr("No run of this study has finished."));
    empty_->button()->setVisible(!context_.commands.isStudyRunning(name_));
    pages_->setCurrentIndex(shown_.runs.empty() ? EmptyPage : ViewsPage);
    const std::vector<FormationPair> pairs = shown_.pairs(early(), late());
    const QString verdict = QString::fromStdString(
        formation_text(pairs, early_->currentText().toStdString(), late_->currentText().toStdString()));
    headline_->setText(early() == late() ? tr("Choose two variants that differ.")
                       : verdict.isEmpty()
                           ? tr("When does a head come to look far, and does a large window delay it?")
                           : verdict);
    QStringList sentences;
    for (const std::size_t variant : {early(), late()})
        if (const InvestigatedRun* run = shown_.find(variant, seed()); run && early() != late())
            sentences << formationSentence(*run);
    sentences.removeAll(QString());
    explanation_->setText(
        sentences.isEmpty()
            ? tr("Traces the heads of every finished run through its training and measures how far "
                 "gradients reach: Investigate does it in a minute or two on two cores.")
            : tr("Seed %1. ").arg(seed()) + sentences.join(QLatin1Char(' ')));
    model_->show(shown_, early_->currentText(), early(), late_->currentText(), late());
    refreshPlots();
    refreshMaps();
    refreshButtons();
}

void InvestigatePage::refreshChoices(const StudySpec& spec) {
    QStringList variants, seeds;
    for (const StudyVariant& variant : spec.variants) variants << QString::fromStdString(variant.label);
    for (const std::uint64_t one : shown_.seeds) seeds << tr("Seed %1").arg(one);
    fillChoice(early_, variants, 0);
    fillChoice(late_, variants, int(variants.size()) - 1);
    fillChoice(seed_, seeds, 0);
    seed_->setVisible(seeds.size() > 1);
}

void InvestigatePage::refreshPlots() {
    QVector<PlotSeries> mass, entropy, gradient;
    for (const InvestigatedRun& run : shown_.runs) {
        if (run.seed != seed()) continue;
        if (run.formation) {
            mass.append(seriesOf(run, traceOfHead(run, "mass")));
            entropy.append(seriesOf(run, traceOfHead(run, "entropy")));
        }
        if (!run.gradient) continue;
        const std::vector<MeasuredCurve> curves = measuredCurves({measuredRun(*run.run, *run.gradient)}, "g");
        if (!curves.empty()) gradient.append(seriesOf(run, curves.front().mean));
    }
    mass_->setSeries(mass);
    entropy_->setSeries(entropy);
    gradient_->setSeries(gradient);
}

void InvestigatePage::refreshMaps() {
    const auto fill = [this](LayerMapView* view, std::size_t variant) {
        const InvestigatedRun* run = shown_.find(variant, seed());
        std::vector<LayerMapView::Section> sections;
        if (run && run->heads) {
            LayerMap map = layerMap({measuredRun(*run->run, *run->heads)}, "mass");
            map.least = 0, map.most = 1;  // both maps on one scale
            sections.push_back({std::move(map), run->label, tr("attention on the needle by head")});
        }
        view->show(std::move(sections), run ? run->run->id.str() : std::string());
    };
    fill(early_map_, early());
    fill(late_map_, late());
}

void InvestigatePage::refreshButtons() {
    int active = 0, over = 0;
    double done = 0;
    QStringList failed;
    QString now;
    for (const auto& [id, job] : jobs_) {
        active += job.active() ? 1 : 0;
        over += job.active() ? 0 : 1;
        done += job.active() ? std::max(0.0, job.fraction) : 1;
        if (job.state == ScoreJob::State::failed) failed << job.text;
        if (job.state == ScoreJob::State::running) now = measurementTitle(job.request.kind.toStdString());
    }
    const std::size_t left = missing().size();
    progress_->setVisible(active > 0);
    if (active > 0) progress_->setProgress(done / double(jobs_.size()), 0);
    failed.removeDuplicates();
    QStringList texts = failed + shown_.problems;
    if (active > 0) texts.prepend(tr("%1 of %2 measured, now: %3").arg(over).arg(jobs_.size()).arg(now));
    state_->setText(texts.join(QLatin1Char('\n')));
    state_->setStatus(failed.isEmpty() && shown_.problems.isEmpty() ? QString() : QStringLiteral("error"));
    state_->setVisible(!texts.isEmpty());
    cancel_->setVisible(active > 0);
    const QString unavailable = context_.commands.unavailableReason();
    setDisabledReason(measure_, shown_.runs.empty()      ? tr("No run of this study has finished")
                                : !unavailable.isEmpty() ? unavailable
                                : active > 0             ? tr("It is being measured")
                                : left == 0              ? tr("Every finished run has been measured")
                                                         : QString());
    const bool any = std::any_of(shown_.runs.begin(), shown_.runs.end(),
                                 [](const InvestigatedRun& run) { return run.formation.has_value(); });
    setDisabledReason(figure_, any ? QString() : tr("Nothing has been measured yet"));
}

void InvestigatePage::exportFigure() {
    NamedFigure figure{.name = QStringLiteral("investigate"), .spec = FigureSpec{.kind = "measurement"}};
    for (const char* metric : {"trace/mass", "trace/entropy", "gradient/g"})
        figure.spec.panels.push_back({.metric = metric});
    figure.spec.panels.back().x_scale = figure.spec.panels.back().y_scale = AxisScale::log;
    for (const InvestigatedRun& run : shown_.runs) {
        if (run.seed != seed()) continue;
        figure.spec.source.runs.push_back(run.run->id.str());
        figure.spec.colours[run.run->name.toStdString()] = run.run->paletteIndex;
    }
    figure.spec.title = tr("Formation of retrieval heads").toStdString();
    figure.spec.style.size = FigureSize::double_column;
    figure.spec.style.width_mm = standard_width_mm(FigureSize::double_column, figure.spec.style.width_mm);
    figure.spec.style.height_mm = 62;
    exportFigureOf(figure, context_, this);
}

}  // namespace braid::ui
