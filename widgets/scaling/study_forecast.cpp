#include "widgets/scaling/study_forecast.h"

#include <algorithm>
#include <map>

#include "widgets/common/format.h"

namespace braid::ui {

std::vector<DeviceSpeed> deviceSpeeds(const std::vector<RunPointer>& runs) {
    std::map<std::string, std::vector<double>> speeds;
    for (const RunPointer& run : runs)
        if (run && run->plan)
            if (const auto rate = run->latest("tokens_per_s"); rate && *rate > 0)
                speeds[run->plan->training.device].push_back(*rate * run->trainingFlopsPerToken);
    std::vector<DeviceSpeed> found;
    for (auto& [device, values] : speeds) {
        std::sort(values.begin(), values.end());
        found.push_back({device, values[values.size() / 2], values.size()});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const DeviceSpeed& a, const DeviceSpeed& b) { return a.runs > b.runs; });
    return found;
}

StudyForecast forecast(const ScalingContent& content) {
    StudyForecast found;
    std::vector<RunPointer> runs;
    for (std::size_t i = 0; i < content.view.points.size(); ++i) {
        const ScalingViewPoint& point = content.view.points[i];
        runs.push_back(content.runs[point.point]);
        if (point.finished()) continue;
        const PointCost& cost = content.cost.points[point.point];
        // What is before a branch is not trained again.
        const auto inherited = double(cost.steps - cost.own_steps);
        const double done = point.progress * double(cost.steps) - inherited;
        const double share = cost.own_steps > 0 ? std::clamp(done / double(cost.own_steps), 0.0, 1.0) : 0;
        found.flops_left += cost.flops * (1 - share);
        if (point.run.empty() || point.state == RunState::planned)
            found.waiting.push_back(int(i));
        else if (is_final(point.state) || point.state == RunState::lost)
            found.failed.push_back(int(i));
        else
            found.working.push_back(int(i));
    }
    std::stable_sort(found.working.begin(), found.working.end(), [&](int a, int b) {
        return content.view.points[std::size_t(a)].progress > content.view.points[std::size_t(b)].progress;
    });
    found.speeds = deviceSpeeds(runs);
    return found;
}

QString onDevice(const QString& plain, const QString& named, const DeviceSpeed& speed) {
    return speed.device == "auto" ? plain : named.arg(QString::fromStdString(speed.device));
}

QString leftText(const StudyForecast& forecast, const DeviceSpeed& speed) {
    return speed.flops_per_second > 0 ? formatDuration(forecast.flops_left / speed.flops_per_second)
                                      : QString();
}

}  // namespace braid::ui
