#include "widgets/train/position_chart.h"

#include <QVBoxLayout>

#include "widgets/common/position_curves.h"
#include "widgets/plot/curve_plot.h"

namespace braid::ui {

namespace {

constexpr int loss_share = 5, difference_share = 4;  // of the height

}  // namespace

PositionChart::PositionChart(QWidget* parent)
    : QWidget(parent), loss_(new CurvePlot), difference_(new CurvePlot) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(loss_, loss_share);
    layout->addWidget(difference_, difference_share);
    for (CurvePlot* plot : {loss_, difference_}) {
        CurvePlot* other = plot == loss_ ? difference_ : loss_;
        plot->setCountsOnX(true, false);
        connect(plot, &CurvePlot::xRangeChanged, this,
                [this, plot, other](AxisRange range) { follow(plot, other, range); });
        connect(plot, &CurvePlot::hoverMoved, other, &CurvePlot::setHoverX);
    }
    // Its title says whose it is; without labels both axes end at one place.
    difference_->setLabels(PlotLabels::none);
    loss_->setLabels(PlotLabels::legend);
    difference_->setXTitle(tr("context (tokens)"));
    difference_->setThreshold(PlotThreshold{.value = 0, .label = {}, .markCrossings = false});
    setLogarithmic(true);
}

// What one of them shows, the other shows; each fits its own values.
void PositionChart::follow(const CurvePlot* plot, CurvePlot* other, AxisRange range) {
    if (following_) return;
    following_ = true;
    if (plot->isFitted())
        other->fit();
    else
        other->setXRange(range);
    following_ = false;
}

void PositionChart::setLogarithmic(bool logarithmic) {
    for (CurvePlot* plot : {loss_, difference_})
        plot->setXScale(logarithmic ? AxisScale::log : AxisScale::linear);
    loss_->fit();
    difference_->fit();
}

void PositionChart::show(const LossSeries& series, const PositionLine& line,
                         const std::optional<PositionLine>& other) {
    const auto plotted = [](const QString& id, const PositionLine& of, const PositionCurves& curves) {
        PlotSeries one{.id = id, .label = of.label, .curve = curves.mean, .colour = of.colour};
        if (curves.hasBand()) {
            one.low = curves.low;
            one.high = curves.high;
        }
        return one;
    };
    const PositionCurves own = lossByPosition(series);
    const PositionCurves difference = differenceByPosition(series);
    QVector<PlotSeries> losses{plotted(QStringLiteral("own"), line, own)};
    const bool compared = !difference.mean->is_empty();
    if (compared && other)
        losses.append(plotted(QStringLiteral("other"), *other, {.mean = otherByPosition(series)}));
    const auto note = [](const QString& unit, bool band) {
        return band ? unit + tr(", band: %1").arg(positionBandText()) : unit;
    };
    loss_->setTitle(tr("Loss by position"), note(tr("nats per token"), own.hasBand()));
    loss_->setSeries(losses);
    difference_->setVisible(compared);
    if (compared) {
        difference_->setTitle(other ? tr("Difference to %1").arg(other->label) : tr("Difference"),
                              tr("nats per token; below 0: better"));
        difference_->setSeries({plotted(QStringLiteral("own"), line, difference)});
    }
    loss_->setXTitle(compared ? QString() : tr("context (tokens)"));
    loss_->fit();
    difference_->fit();
}

}  // namespace braid::ui
