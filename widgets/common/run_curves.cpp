#include "widgets/common/run_curves.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace braid::ui {

namespace {
const std::string time_metric = "time_s";
}

void RunCurves::forgetSuperseded(const RunView& view) {
    if (view.record->generation == generation_) return;
    generation_ = view.record->generation;
    lines_.clear();
    stepOverTime_ = {};
}

void RunCurves::append(Line& line, const RunView& view, const Series& series, XAxis axis) const {
    if (series.size() <= line.taken) return;
    const auto steps = series.steps.values().subspan(line.taken);
    auto values = series.values.values().subspan(line.taken);
    std::vector<double> x(steps.size());
    if (axis == XAxis::time) {
        const auto timed = view.record->series.find(time_metric);
        if (timed == view.record->series.end() || timed->second.steps.empty()) return;
        // A point whose second is not known yet waits for the next commit.
        const std::int64_t known = timed->second.steps.back();
        const auto ready = std::size_t(std::upper_bound(steps.begin(), steps.end(), known) - steps.begin());
        x.resize(ready);
        values = values.first(ready);
        const auto timedSteps = timed->second.steps.values();
        const auto seconds = timed->second.values.values();
        std::size_t j = 0;
        for (std::size_t i = 0; i < ready; ++i) {
            if (i == 0) {
                j = std::size_t(std::lower_bound(timedSteps.begin(), timedSteps.end(), steps[0]) -
                                timedSteps.begin());
            }
            while (timedSteps[j] < steps[i]) ++j;
            x[i] = timedSteps[j] == steps[i] ? seconds[j] : view.onAxis(steps[i], XAxis::time);
        }
    } else {
        const double scale = view.onAxis(1, axis);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = double(steps[i]) * scale;
    }
    line.curve = line.curve->append(x, values);
    line.taken += x.size();
}

void RunCurves::update(RunView& view, const std::set<XAxis>& axes) {
    forgetSuperseded(view);
    std::erase_if(lines_, [&axes](const auto& entry) { return !axes.contains(entry.first.first); });
    for (const XAxis axis : axes) {
        for (const auto& [metric, series] : view.record->series) {
            Line& line = lines_[{axis, metric}];
            append(line, view, series, axis);
            view.curves[{axis, metric}] = line.curve;
        }
        if (!view.scores) continue;
        // Some points each: made anew, as the steps of a score may come in any order.
        for (const auto& [metric, score] : view.scores->lines) {
            if (score.steps.empty()) continue;
            std::vector<double> x;
            for (const std::int64_t step : score.steps) x.push_back(view.onAxis(step, axis));
            view.curves[{axis, metric}] = Curve::empty()->append(x, score.values);
        }
    }
}

CurvePtr RunCurves::stepOverTime(const RunView& view) {
    forgetSuperseded(view);
    const auto timed = view.record->series.find(time_metric);
    if (timed == view.record->series.end()) return nullptr;
    const auto steps = timed->second.steps.values().subspan(stepOverTime_.taken);
    const auto seconds = timed->second.values.values().subspan(stepOverTime_.taken);
    if (!steps.empty()) {
        const std::vector<double> done(steps.begin(), steps.end());
        stepOverTime_.curve = stepOverTime_.curve->append(seconds, done);
        stepOverTime_.taken += steps.size();
    }
    return stepOverTime_.curve;
}

}  // namespace braid::ui
