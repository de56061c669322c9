#include "widgets/probe/probe_charts.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/common/measured_views.h"
#include "widgets/plot/curve_plot.h"
#include "widgets/probe/head_scatter.h"
#include "widgets/probe/probe_choice.h"
#include "widgets/probe/probe_sections.h"
#include "widgets/probe/run_legend.h"

namespace braid::ui {

namespace {

enum Page { PlotPage, EmptyPage, ScatterPage };
const QString entropy_choice = QStringLiteral("entropy");

}  // namespace

ProbeCharts::ProbeCharts(const ProbeChoice& choice, QWidget* parent)
    : QWidget(parent),
      choice_(choice),
      choices_(new QComboBox),
      scatter_(new HeadScatter),
      legend_(new RunLegend) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    gradient_ = makePanel("gradient");
    entropy_ = makePanel("trace");
    third_ = makePanel("trace");
    third_.pages->addWidget(scatter_);
    choices_->setAccessibleName(tr("Third chart"));
    for (const char* array : {"d_qk", "grad_norm", "mass", "hit_rate", "sink", "entropy_keys"})
        choices_->addItem(arrayTitle("trace", array), QStringLiteral("trace/") + QLatin1String(array));
    choices_->addItem(arrayTitle("noise", "change"), QStringLiteral("noise/change"));
    choices_->addItem(tr("Entropy against hit rate"), entropy_choice);
    auto* chooser = new QWidget;
    auto* line = new QHBoxLayout(chooser);
    line->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap3, 0);
    line->addWidget(choices_, 1);

    layout->addWidget(legend_);
    layout->addWidget(gradient_.pages, 11);
    layout->addWidget(makeSeparator());
    layout->addWidget(entropy_.pages, 9);
    layout->addWidget(makeSeparator());
    layout->addWidget(chooser);
    layout->addWidget(third_.pages, 9);
    gradient_.plot->setXScale(AxisScale::log);
    gradient_.plot->setYScale(AxisScale::log);
    gradient_.plot->setCountsOnX(true, false);
    for (CurvePlot* plot : {entropy_.plot, third_.plot}) plot->setCountsOnX(true, true);
    connect(legend_, &RunLegend::chosen, this, &ProbeCharts::runChosen);
    connect(choices_, &QComboBox::activated, this, [this] {
        refresh();
        Q_EMIT thirdChanged();
    });
}

ProbeCharts::Panel ProbeCharts::makePanel(const std::string& kind) {
    Panel panel{.pages = new QStackedWidget, .plot = new CurvePlot, .empty = nullptr, .kind = kind};
    panel.empty = new EmptyState(tr("Not measured for these runs."), tr("Measure..."));
    panel.pages->addWidget(panel.plot);
    panel.pages->addWidget(panel.empty);
    panel.pages->setMinimumHeight(120);
    connect(panel.plot, &CurvePlot::seriesActivated, this,
            [this](const QString& id) { Q_EMIT runChosen(id.section(QLatin1Char('/'), 0, 0)); });
    connect(panel.empty, &EmptyState::clicked, this,
            [this, empty = panel.empty] { Q_EMIT measureWanted(empty->property("kind").toString()); });
    return panel;
}

void ProbeCharts::setEmpty(const Panel& panel, const std::string& kind) {
    panel.empty->setProperty("kind", QString::fromStdString(kind));
    const QString title = measurementTitle(kind);
    panel.empty->setSentence(tr("%1: not measured for these runs.").arg(title));
    panel.empty->button()->setAccessibleName(tr("Measure %1").arg(title));
    panel.pages->setCurrentIndex(EmptyPage);
}

void ProbeCharts::fill(const Panel& panel, const std::string& kind, const std::string& array) {
    const std::vector<MeasuredRun> runs =
        kind == "noise" ? choice_.measuredCurrent(kind) : choice_.measured(kind);
    const std::vector<MeasuredCurve> curves = measuredCurves(runs, array);
    if (curves.empty()) return setEmpty(panel, kind);
    QVector<PlotSeries> series;
    std::int64_t fewest = 0, most = 0;
    const RunPointer current = choice_.current();
    int number = 0;
    for (const MeasuredCurve& curve : curves) {
        const MeasuredRun& run = runs[curve.source];
        PlotSeries one{.id = QStringLiteral("%1/%2").arg(QString::fromStdString(run.run)).arg(number),
                       .label = curve.label,
                       .curve = curve.mean,
                       .colour = run.colour,
                       .component = curve.component};
        if (const auto dash = dashes_.find(run.run); dash != dashes_.end()) one.dash = dash->second;
        one.selected = current && run.run == current->id.str() && kind != "noise";
        if (curve.hasBand()) {
            one.low = curve.low;
            one.high = curve.high;
        }
        if (curve.samples > 0) fewest = most == 0 ? curve.samples : std::min(fewest, curve.samples);
        most = std::max(most, curve.samples);
        series.append(one);
        ++number;
    }
    const MeasuredArray& shown = *runs[curves.front().source].record->find(array);
    QStringList note;
    if (shown.axes.size() == 3) note << tr("mean of the top-%1 heads").arg(top_heads);
    if (kind == "noise") note << runs[curves.front().source].name;
    if (!shown.unit.empty()) note << QString::fromStdString(shown.unit);
    if (most > 0) note << samplesRangeText(fewest, most);
    panel.plot->setTitle(&panel == &third_ ? QString() : arrayTitle(kind, array),
                         note.join(QStringLiteral(", ")));
    panel.plot->setXTitle(axisTitle(shown.axes.size() == 3 ? shown.axes.front() : shown.axes.back()));
    // Runs have one legend for all charts; parts of a model stand at the ends of their lines.
    panel.plot->setLabels(curves.front().component.empty() ? PlotLabels::none : PlotLabels::automatic);
    panel.plot->setSeries(series);
    panel.plot->fit();
    panel.pages->setCurrentIndex(PlotPage);
}

// The dashed far level of the current run, where its curve meets it, and how far its windows reach.
void ProbeCharts::fillGradientMarks() {
    QVector<PlotVerticalMark> marks;
    std::optional<PlotThreshold> far;
    std::vector<MeasuredRun> runs = choice_.measuredCurrent("gradient");
    if (runs.empty()) runs = choice_.measured("gradient");
    if (!runs.empty()) {
        const MeasuredRun& run = runs.front();
        for (const double window : windowsOf(run)) marks.append({.x = window, .label = formatSi(window)});
        const auto base = summaryValue(*run.record, "far baseline");
        const auto meets = summaryValue(*run.record, "distance where the baseline is met");
        if (base) {
            // Distance 0 is no place on a logarithmic axis: there the curve never stood above its far level.
            const QString where = !meets       ? QString()
                                  : *meets > 0 ? tr(", from %1").arg(formatCount(std::llround(*meets)))
                                               : tr(", everywhere");
            far = PlotThreshold{.value = *base,
                                .label = tr("far level %1").arg(formatSignificant(*base, 3)) + where,
                                .markCrossings = false};
        }
        if (meets && *meets > 0) marks.append({.x = *meets, .label = {}, .colour = run.colour});
    }
    gradient_.plot->setThreshold(far);
    gradient_.plot->setVerticalMarks(marks);
}

// Where there are several runs. Those of one colour are seeds of one architecture: their dashes differ.
void ProbeCharts::fillLegend() {
    dashes_.clear();
    std::map<int, int> of_colour;
    std::vector<RunLegend::Entry> entries;
    for (const RunPointer& run : choice_.chosen()) {
        const int dash = of_colour[run->paletteIndex]++;
        dashes_[run->id.str()] = dash;
        entries.push_back({.id = QString::fromStdString(run->id.str()),
                           .name = run->name,
                           .colour = run->paletteIndex,
                           .dash = dash,
                           .current = choice_.current() && choice_.current()->id == run->id});
    }
    if (entries.size() < 2) entries.clear();
    legend_->setEntries(std::move(entries));
    legend_->setVisible(!legend_->entries().empty());
}

void ProbeCharts::refresh() {
    fillLegend();
    fill(gradient_, "gradient", "g");
    fillGradientMarks();
    fill(entropy_, "trace", "entropy");
    const QString what = third();
    if (what != entropy_choice) {
        const std::string kind = what.section(QLatin1Char('/'), 0, 0).toStdString();
        const bool noise = kind == "noise";
        third_.plot->setXScale(noise ? AxisScale::log : AxisScale::linear);
        third_.plot->setCountsOnX(!noise, !noise);
        fill(third_, kind, what.section(QLatin1Char('/'), 1).toStdString());
        return;
    }
    std::vector<MeasuredRun> runs = choice_.measuredCurrent("entropy");
    if (runs.empty()) runs = choice_.measured("entropy");
    if (runs.empty()) return setEmpty(third_, "entropy");
    scatter_->show(runs.front());
    third_.pages->setCurrentIndex(ScatterPage);
}

QString ProbeCharts::third() const { return choices_->currentData().toString(); }

void ProbeCharts::chooseThird(const QString& what) {
    const int index = choices_->findData(what);
    if (index < 0 || index == choices_->currentIndex()) return;
    choices_->setCurrentIndex(index);
    refresh();
    Q_EMIT thirdChanged();
}

}  // namespace braid::ui
