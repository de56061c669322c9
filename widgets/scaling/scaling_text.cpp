#include "widgets/scaling/scaling_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <vector>

#include "widgets/common/format.h"
#include "widgets/common/run_view.h"

namespace braid::ui {

namespace {

QString text(const char* source) { return QCoreApplication::translate("Scaling", source); }

}  // namespace

QString metricText(const std::string& metric) {
    if (metric == "loss") return text("training loss");
    if (metric == "eval/loss") return text("validation loss");
    if (metric == "eval/log_longppl") return text("log LongPPL");
    return QString::fromStdString(metric);
}

QStringList namesApart(const ScalingView& view) {
    const QString comma = QStringLiteral(", ");
    std::vector<QStringList> words;
    for (const ScalingViewCurve& curve : view.curves)
        words.push_back(QString::fromStdString(curve.name).split(comma));
    const auto all_begin_alike = [&words] {
        return words.size() > 1 && std::all_of(words.begin(), words.end(), [&words](const QStringList& each) {
                   return each.size() > 1 && each.front() == words.front().front();
               });
    };
    while (all_begin_alike())
        for (QStringList& each : words) each.removeFirst();
    QStringList names;
    for (const QStringList& each : words) names << each.join(comma);
    return names;
}

QString scaleText(const ScalingViewScale& scale) {
    const QString size = formatSi(scale.parameters);
    return scale.name.empty() ? size : QString::fromStdString(scale.name) + QStringLiteral("  ") + size;
}

QString residualText(double log_residual) {
    if (!std::isfinite(log_residual)) return QStringLiteral("–");
    const double percent = std::expm1(log_residual) * 100;
    const QString number = formatFixed(percent, std::abs(percent) < 10 ? 2 : 1);
    return (percent >= 0 ? QStringLiteral("+") : QString()) + number + QStringLiteral(" %");
}

QString valueTextOf(double value) { return formatSignificant(value, 4); }

QString pointName(const ScalingView& view, const ScalingViewPoint& point) {
    const QString name = QString::fromStdString(point.label);
    return view.several_seeds ? text("%1, seed %2").arg(name).arg(point.seed) : name;
}

QString stateText(const ScalingViewPoint& point) {
    if (point.run.empty()) return text("planned");
    const QString state = runStateText(point.state);
    if (point.finished() || point.state == RunState::planned) return state;
    return text("%1, %2 of its steps").arg(state, formatPercent(point.progress));
}

QString pointText(const ScalingView& view, const ScalingViewPoint& point) {
    QString said = pointName(view, point) + QStringLiteral(": ");
    if (!point.finished()) return said + stateText(point);
    said += point.value ? valueTextOf(*point.value) : text("no %1").arg(metricText(view.metric));
    if (std::isfinite(point.predicted) && point.value)
        said += text(", fit %1, %2").arg(valueTextOf(point.predicted), residualText(point.log_residual));
    if (point.use == PointUse::held_out) said += text("; held out");
    if (point.use == PointUse::excluded)
        said += point.reason.empty() ? text("; excluded")
                                     : text("; excluded: %1").arg(QString::fromStdString(point.reason));
    if (point.extrapolated) said += text("; extrapolated");
    return said;
}

QString estimateText(const ScalingEstimate& estimate) {
    if (!estimate.identified()) return QString::fromStdString(estimate.not_identified);
    const QString value = formatSignificant(estimate.value, 3);
    if (estimate.fixed) return text("%1 (given)").arg(value);
    if (!estimate.interval) return value;
    const double below = estimate.value - estimate.interval->low;
    const double above = estimate.interval->high - estimate.value;
    const double larger = std::max(below, above), smaller = std::min(below, above);
    // Far from symmetric: its ends say more than a half width.
    if (smaller <= 0 || larger > 6 * smaller)
        return text("%1 [%2, %3]")
            .arg(value, formatSignificant(estimate.interval->low, 2),
                 formatSignificant(estimate.interval->high, 2));
    return text("%1 ± %2").arg(value, formatSignificant(larger, 2));
}

QString estimateName(const std::string& name) {
    if (name == "alpha") return QStringLiteral("α");
    if (name == "beta") return QStringLiteral("β");
    return QString::fromStdString(name);
}

}  // namespace braid::ui
