#include "widgets/common/position_curves.h"

#include <QCoreApplication>
#include <cmath>

namespace braid::ui {

namespace {

PositionCurves curvesOf(const std::vector<double>& position, const std::vector<double>& mean,
                        const std::vector<double>& error) {
    PositionCurves curves;
    if (mean.empty() || mean.size() != position.size()) return curves;
    std::vector<double> read;
    for (const double from_zero : position) read.push_back(from_zero + 1);
    curves.mean = Curve::make(read, mean);
    bool known = false;
    for (const double one : error) known = known || std::isfinite(one);
    if (!known || error.size() != mean.size()) return curves;
    std::vector<double> low, high;
    for (std::size_t i = 0; i < mean.size(); ++i) {
        low.push_back(mean[i] - interval_errors * error[i]);
        high.push_back(mean[i] + interval_errors * error[i]);
    }
    curves.low = Curve::make(read, low);
    curves.high = Curve::make(read, high);
    return curves;
}

}  // namespace

PositionCurves lossByPosition(const LossSeries& series) {
    return curvesOf(series.position, series.loss, series.standard_error);
}

PositionCurves differenceByPosition(const LossSeries& series) {
    return curvesOf(series.position, series.difference, series.difference_error);
}

CurvePtr otherByPosition(const LossSeries& series) {
    if (series.difference.size() != series.loss.size()) return Curve::empty();
    std::vector<double> other;
    for (std::size_t i = 0; i < series.loss.size(); ++i)
        other.push_back(series.loss[i] - series.difference[i]);
    return curvesOf(series.position, other, {}).mean;
}

QString positionBandText() {
    return QCoreApplication::translate("PositionCurves", "95 % interval over sequences");
}

std::string scoredAgainst(const ScoreRecord& record) {
    const auto against = record.settings.find("against");
    if (against == record.settings.end() || !against->is_object()) return {};
    const auto text = [&](const char* key) {
        const auto found = against->find(key);
        return found != against->end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const auto step = against->find("step");
    std::string run = text("run");
    // An imported model belongs to no run.
    if (run.empty() || step == against->end() || !step->is_number_integer()) return text("folder");
    return run.append("@").append(std::to_string(step->get<std::int64_t>()));
}

}  // namespace braid::ui
