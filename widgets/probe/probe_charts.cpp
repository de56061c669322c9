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

namespace braid::ui {

namespace {

enum Page { PlotPage, EmptyPage, ScatterPage };
const QString entropy_choice = QStringLiteral("entropy");

}  // namespace

ProbeCharts::ProbeCharts(const ProbeChoice& choice, QWidget* parent)
    : QWidget(parent), choice_(choice), choices_(new QComboBox), scatter_(new HeadScatter) {
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
    panel.plot->setLabels(PlotLabels::legend);
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
    std::int64_t samples = 0;
    const RunPointer current = choice_.current();
    int number = 0;
    for (const MeasuredCurve& curve : curves) {
        const MeasuredRun& run = runs[curve.source];
        PlotSeries one{.id = QStringLiteral("%1/%2").arg(QString::fromStdString(run.run)).arg(number),
                       .label = curve.label,
                       .curve = curve.mean,
                       .colour = kind == "noise" ? number : run.colour};
        one.selected = current && run.run == current->id.str() && kind != "noise";
        if (curve.hasBand()) {
            one.low = curve.low;
            one.high = curve.high;
        }
        samples = std::max(samples, curve.samples);
        series.append(one);
        ++number;
    }
    const MeasuredArray& shown = *runs[curves.front().source].record->find(array);
    QStringList note;
    if (shown.axes.size() == 3) note << tr("mean of the top-%1 heads").arg(top_heads);
    if (kind == "noise") note << runs[curves.front().source].name;
    if (!shown.unit.empty()) note << QString::fromStdString(shown.unit);
    if (samples > 0) note << samplesText(samples);
    panel.plot->setTitle(&panel == &third_ ? QString() : arrayTitle(kind, array),
                         note.join(QStringLiteral(", ")));
    panel.plot->setXTitle(axisTitle(shown.axes.size() == 3 ? shown.axes.front() : shown.axes.back()));
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

void ProbeCharts::refresh() {
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
