#include "widgets/figure/pareto_front.h"

#include <algorithm>
#include <map>

#include "core/mixers/builtin.h"
#include "core/spec/cost.h"

namespace braid::ui {

std::string_view to_text(CostKind kind) {
    switch (kind) {
        case CostKind::kv_bytes:
            return "kv_bytes";
        case CostKind::parameters:
            return "parameters";
        case CostKind::flops_per_token:
            return "flops_per_token";
    }
    return {};
}

std::optional<CostKind> cost_kind(std::string_view text) {
    for (const CostKind kind : {CostKind::kv_bytes, CostKind::parameters, CostKind::flops_per_token})
        if (text == to_text(kind)) return kind;
    return std::nullopt;
}

std::string cost_title(CostKind kind) {
    switch (kind) {
        case CostKind::kv_bytes:
            return "KV cache and state of one sequence (bytes)";
        case CostKind::parameters:
            return "parameters without embeddings";
        case CostKind::flops_per_token:
            return "forward FLOPs per token";
    }
    return {};
}

bool lower_is_better(const std::string& metric) {
    for (const char* word : {"loss", "ppl", "perplexity", "grad_norm", "time", "entropy"})
        if (metric.find(word) != std::string::npos) return true;
    return false;
}

std::vector<FrontPoint> pareto_points(const StudyState& state, const ScalingView& view, CostKind kind) {
    std::map<std::pair<std::size_t, std::size_t>, ScalingMean> best;
    for (const ScalingMean& mean : scaling_means(view)) {
        const auto [at, is_new] = best.emplace(std::pair{mean.curve, mean.scale}, mean);
        if (!is_new && mean.tokens > at->second.tokens) at->second = mean;
    }
    std::vector<FrontPoint> points;
    for (const auto& [place, mean] : best) {
        FrontPoint point{.curve = place.first,
                         .scale = place.second,
                         .value = mean.value,
                         .half_width = mean.half_width,
                         .seeds = mean.seeds};
        for (std::size_t i = 0; i < view.points.size() && point.point < 0; ++i)
            if (view.points[i].curve == mean.curve && view.points[i].scale == mean.scale &&
                view.points[i].budget == mean.budget && view.points[i].finished())
                point.point = int(i);
        if (point.point < 0) continue;
        const PlannedPoint& planned = state.points[view.points[std::size_t(point.point)].point].planned;
        const ArchitectureCost spent = cost(planned.architecture, builtin_mixers(), planned.training.context);
        point.cost = kind == CostKind::kv_bytes     ? double(spent.kv_bytes + spent.state_bytes)
                     : kind == CostKind::parameters ? double(spent.non_embedding_parameters)
                                                    : spent.forward_flops_per_token;
        if (point.cost > 0) points.push_back(point);
    }
    const double sign = lower_is_better(view.metric) ? 1 : -1;
    for (FrontPoint& point : points)
        point.dominated = std::any_of(points.begin(), points.end(), [&](const FrontPoint& other) {
            return other.cost <= point.cost && sign * other.value <= sign * point.value &&
                   (other.cost < point.cost || sign * other.value < sign * point.value);
        });
    std::stable_sort(points.begin(), points.end(),
                     [](const FrontPoint& a, const FrontPoint& b) { return a.cost < b.cost; });
    return points;
}

}  // namespace braid::ui
