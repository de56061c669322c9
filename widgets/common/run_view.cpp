#include "widgets/common/run_view.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/mixers/builtin.h"
#include "core/record/metric_name.h"
#include "core/spec/cost.h"
#include "core/spec/validate.h"

namespace braid::ui {

QString runStateText(RunState state) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("RunState", text); };
    switch (state) {
        case RunState::planned:
            return tr("queued");
        case RunState::running:
            return tr("running");
        case RunState::paused:
            return tr("paused");
        case RunState::finished:
            return tr("done");
        case RunState::failed:
            return tr("failed");
        case RunState::cancelled:
            return tr("stopped");
        case RunState::lost:
            return tr("lost");
    }
    return {};
}

double training_flops_per_token(const RunPlan& plan) {
    if (!validate(plan.architecture, builtin_mixers()).empty()) return 0;
    return cost(plan.architecture, builtin_mixers(), plan.training.context).training_flops_per_token;
}

std::map<std::string, std::int64_t> RunView::queries() const {
    std::map<std::string, std::int64_t> counts;
    for (const RunEvent& event : record->events) {
        if (event.kind != "evaluation" || !event.details.is_object()) continue;
        const auto queries = event.details.find("queries");
        if (queries == event.details.end() || !queries->is_object()) continue;
        for (const auto& [metric, count] : queries->items())
            if (count.is_number_integer()) counts[metric] = count.get<std::int64_t>();
    }
    return counts;
}

std::optional<double> RunView::latest(const std::string& metric) const {
    if (is_score(metric)) return scores ? scores->latest(metric) : std::nullopt;
    const auto found = record->status.latest.find(metric);
    if (found == record->status.latest.end()) return std::nullopt;
    return found->second;
}

CurvePtr RunView::curve(const std::string& metric, XAxis axis) const {
    const auto found = curves.find({axis, metric});
    return found == curves.end() ? nullptr : found->second;
}

double RunView::onAxis(std::int64_t at, XAxis axis) const {
    switch (axis) {
        case XAxis::step:
            return double(at);
        case XAxis::tokens:
            return tokensAt(at);
        case XAxis::flops:
            return tokensAt(at) * trainingFlopsPerToken;
        case XAxis::time:
            break;
    }
    const auto series = record->series.find("time_s");
    if (series == record->series.end() || series->second.steps.empty()) return 0;
    const auto steps = series->second.steps.values();
    const auto seconds = series->second.values.values();
    const auto after = std::lower_bound(steps.begin(), steps.end(), at);
    if (after == steps.end()) return seconds.back();
    const auto i = std::size_t(after - steps.begin());
    if (steps[i] == at || i == 0) return seconds[i];
    const double part = double(at - steps[i - 1]) / double(steps[i] - steps[i - 1]);
    return seconds[i - 1] + part * (seconds[i] - seconds[i - 1]);
}

}  // namespace braid::ui
