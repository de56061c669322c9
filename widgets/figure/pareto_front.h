// Quality against cost: what each architecture at each size reached, and which of them nothing beats at both.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "widgets/figure/scaling_view.h"

namespace braid::ui {

enum class CostKind { kv_bytes, parameters, flops_per_token };
std::string_view to_text(CostKind kind);  // "kv_bytes"
std::optional<CostKind> cost_kind(std::string_view text);
std::string cost_title(CostKind kind);  // "KV cache, bytes of one sequence"

struct FrontPoint {
    std::size_t curve = 0, scale = 0;
    int point = -1;         // the first of the view
    double cost = 0;        // above 0
    double value = 0;       // mean over the seeds, at the largest budget that has finished
    double half_width = 0;  // of its 90 % interval; 0 for one seed
    std::size_t seeds = 0;
    bool dominated = false;  // another one costs no more and is no worse, and better in one of them
};

// A loss is better where it is lower, a recall or a score where it is higher.
bool lower_is_better(const std::string& metric);
// By cost. KV bytes and operations are those at the study's context.
std::vector<FrontPoint> pareto_points(const StudyState& state, const ScalingView& view, CostKind kind);

}  // namespace braid::ui
