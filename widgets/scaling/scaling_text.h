// Points, metrics and estimates of scaling laws in words.
#pragma once

#include <QString>
#include <QStringList>

#include "widgets/figure/scaling_view.h"

namespace braid::ui {

QString metricText(const std::string& metric);  // "validation loss"
// Names of the curves, without the words that all of them begin with: "window 16, ratio 1".
QStringList namesApart(const ScalingView& view);
QString scaleText(const ScalingViewScale& scale);  // "S1 15.7 M"
QString residualText(double log_residual);         // "+1.35 %"
QString valueTextOf(double value);                 // "2.846"
// "Full, S2, 100N, seed 2" - the seed where there are several.
QString pointName(const ScalingView& view, const ScalingViewPoint& point);
// "Full, S2, 100N: 2.846, fit 2.808, +1.35 %; held out"
QString pointText(const ScalingView& view, const ScalingViewPoint& point);
// "10.6 ± 0.5", "1.2e5", or why its digits mean nothing.
QString estimateText(const ScalingEstimate& estimate);
// "a", "α", ...
QString estimateName(const std::string& name);
QString stateText(const ScalingViewPoint& point);  // "training, 61 %"

}  // namespace braid::ui
