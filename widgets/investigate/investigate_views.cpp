#include "widgets/investigate/investigate_views.h"

#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/measured_views.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/investigate/formation_table.h"
#include "widgets/plot/curve_plot.h"
#include "widgets/probe/layer_map_view.h"
#include "widgets/probe/run_legend.h"

namespace braid::ui {

namespace {

constexpr int plot_height = 250, plot_height_narrow = 190, map_height = 118;
constexpr int narrow_width = 700;  // three charts beside each other need more

PlotSeries seriesOf(const InvestigatedRun& run, CurvePtr curve) {
    return {.id = QString::fromStdString(run.run->id.str()),
            .label = run.label,
            .curve = std::move(curve),
            .colour = run.run->paletteIndex};
}

}  // namespace

InvestigateViews::InvestigateViews(QWidget* parent)
    : QScrollArea(parent),
      headline_(new TextLabel({}, TypeStep::title, 600)),
      explanation_(new TextLabel({}, TypeStep::control, 400, 2)),
      state_(new TextLabel({}, TypeStep::control, 400, 2)),
      description_(new TextLabel({}, TypeStep::control, 400, 3)),
      progress_(new RunProgressBar),
      legend_(new RunLegend),
      mass_(new CurvePlot),
      entropy_(new CurvePlot),
      gradient_(new CurvePlot),
      early_map_(new LayerMapView),
      late_map_(new LayerMapView),
      model_(new FormationTableModel(this)),
      table_(new DataTable(tr("Tokens after which a head formed, by seed"))),
      plots_(new QBoxLayout(QBoxLayout::LeftToRight)),
      beneath_(new QBoxLayout(QBoxLayout::LeftToRight)) {
    for (TextLabel* label : {headline_, explanation_, state_, description_}) label->setWordWrap(true);
    QWidget* plots = makePlots();
    makeMaps();
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
    body->addLayout(beneath_, 2);
    body->addWidget(description_);
    setWidget(content);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);

    connect(legend_, &RunLegend::chosen, this, &InvestigateViews::runChosen);
    connect(table_, &QTableView::clicked, this,
            [this](const QModelIndex& index) { Q_EMIT seedChosen(model_->seedAt(index.row())); });
    connect(table_, &QTableView::activated, this,
            [this](const QModelIndex& index) { Q_EMIT seedChosen(model_->seedAt(index.row())); });
    for (LayerMapView* map : {early_map_, late_map_})
        connect(map, &LayerMapView::opened, this, [this, map] {
            const auto place = map->held();
            if (!place) return;
            const MeasuredRun& run = map->run(*place);
            Q_EMIT headChosen(RunId(run.run), run.record->checkpoint.step.value, int(place->layer),
                              int(place->row));
        });
    arrange();
}

QWidget* InvestigateViews::makePlots() {
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
    auto* card = makeCard();
    auto* inside = new QVBoxLayout(card);
    inside->setContentsMargins(1, 1, 1, 1);
    inside->setSpacing(0);
    inside->addWidget(legend_);
    inside->addLayout(plots_, 1);
    plots_->setSpacing(0);
    for (CurvePlot* plot : {mass_, entropy_, gradient_}) {
        plot->setLabels(PlotLabels::none);  // the same runs in all: one legend
        plot->setWheelScrolls(true);
        plots_->addWidget(plot, 1);
        connect(plot, &CurvePlot::seriesActivated, this, &InvestigateViews::runChosen);
    }
    return card;
}

void InvestigateViews::makeMaps() {
    table_->setModel(model_);
    // No header and no value is cut; the last column has what is left.
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->sortByColumn(FormationTableModel::Seed, Qt::AscendingOrder);
    auto* maps = new QVBoxLayout;
    maps->setSpacing(metrics::gap2);
    for (LayerMapView* map : {early_map_, late_map_}) {
        auto* card = makeCard();
        auto* inside = new QVBoxLayout(card);
        inside->setContentsMargins(metrics::gap2, metrics::gap1, 1, 1);
        inside->addWidget(map);
        map->setMinimumHeight(map_height);
        maps->addWidget(card, 1);
    }
    auto* card = makeCard();
    auto* inside = new QVBoxLayout(card);
    inside->setContentsMargins(1, 1, 1, 1);
    inside->addWidget(table_);
    beneath_->setSpacing(metrics::gap3);
    beneath_->addLayout(maps, 4);
    beneath_->addWidget(card, 5);
}

void InvestigateViews::resizeEvent(QResizeEvent* event) {
    // Before the content gets its size: its least width rests on how its parts stand.
    arrange();
    widget()->layout()->activate();
    QScrollArea::resizeEvent(event);
}

void InvestigateViews::arrange() {
    narrow_ = viewport()->width() < narrow_width;
    const auto direction = narrow_ ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
    plots_->setDirection(direction);
    beneath_->setDirection(direction);
    for (CurvePlot* plot : {mass_, entropy_, gradient_})
        plot->setMinimumHeight(narrow_ ? plot_height_narrow : plot_height);
    const int rows = std::max(3, model_->rowCount()) + 1;
    table_->setMinimumHeight(narrow_ ? rows * 27 + 8 : 120);
}

QString InvestigateViews::headline() const { return headline_->text(); }
QString InvestigateViews::description() const { return description_->text(); }
QString InvestigateViews::state() const { return state_->text(); }

void InvestigateViews::setState(const QString& text, bool error) {
    state_->setText(text);
    state_->setStatus(error ? QStringLiteral("error") : QString());
    state_->setVisible(!text.isEmpty());
}

void InvestigateViews::setProgress(double fraction) {
    progress_->setVisible(fraction >= 0);
    if (fraction >= 0) progress_->setProgress(fraction, 0);
}

void InvestigateViews::show(const Investigation& found, const InvestigatedPair& pair,
                            const QString& description) {
    description_->setText(description);
    description_->setVisible(!description.isEmpty());
    const QString verdict = QString::fromStdString(formation_text(
        found.pairs(pair.early, pair.late), pair.early_name.toStdString(), pair.late_name.toStdString()));
    headline_->setText(pair.early == pair.late ? tr("Choose two variants that differ.")
                       : verdict.isEmpty()
                           ? tr("When does a head come to look far, and does a large window delay it?")
                           : verdict);
    QStringList sentences;
    for (const std::size_t variant : {pair.early, pair.late})
        if (const InvestigatedRun* run = found.find(variant, pair.seed); run && pair.early != pair.late)
            sentences << formationSentence(*run);
    sentences.removeAll(QString());
    explanation_->setText(
        sentences.isEmpty()
            ? tr("Traces the heads of every finished run through its training and measures how far "
                 "gradients reach: Investigate does it in a minute or two on two cores.")
            : tr("Seed %1. ").arg(pair.seed) + sentences.join(QLatin1Char(' ')));
    model_->show(found, pair.early_name, pair.early, pair.late_name, pair.late);
    showPlots(found, pair.seed);
    showMap(early_map_, found.find(pair.early, pair.seed));
    showMap(late_map_, found.find(pair.late, pair.seed));
    arrange();
}

void InvestigateViews::showPlots(const Investigation& found, std::uint64_t seed) {
    QVector<PlotSeries> mass, entropy, gradient;
    std::vector<RunLegend::Entry> entries;
    for (const InvestigatedRun& run : found.runs) {
        if (run.seed != seed) continue;
        if (run.formation) {
            mass.append(seriesOf(run, traceOfHead(run, "mass")));
            entropy.append(seriesOf(run, traceOfHead(run, "entropy")));
        }
        if (run.formation || run.gradient)
            entries.push_back({.id = QString::fromStdString(run.run->id.str()),
                               .name = run.label,
                               .colour = run.run->paletteIndex});
        if (!run.gradient) continue;
        const std::vector<MeasuredCurve> curves = measuredCurves({measuredRun(*run.run, *run.gradient)}, "g");
        if (!curves.empty()) gradient.append(seriesOf(run, curves.front().mean));
    }
    legend_->setEntries(std::move(entries));
    mass_->setSeries(mass);
    entropy_->setSeries(entropy);
    gradient_->setSeries(gradient);
}

void InvestigateViews::showMap(LayerMapView* view, const InvestigatedRun* run) {
    std::vector<LayerMapView::Section> sections;
    if (run && run->heads) {
        LayerMap map = layerMap({measuredRun(*run->run, *run->heads)}, "mass");
        map.least = 0, map.most = 1;  // both maps on one scale
        sections.push_back({std::move(map), run->label, tr("attention on the needle by head")});
    }
    view->show(std::move(sections), run ? run->run->id.str() : std::string());
}

}  // namespace braid::ui
