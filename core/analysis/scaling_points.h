// What a scaling law is fitted to: measured losses of models of several sizes and budgets.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/scaling_law.h"
#include "core/base/error.h"

namespace braid {

enum class PointUse { fitted, held_out, excluded };
std::string_view to_text(PointUse use);

struct ScalingPoint {
    double parameters = 0;   // N, without embeddings
    double tokens = 0;       // D, as they were seen
    double loss = 0;         // nats a token, above 0
    std::string group = {};  // architecture; empty where there is one curve
    PointUse use = PointUse::fitted;
    std::string reason = {};  // of an exclusion
    std::size_t line = 0;     // of the table it was read from; 0 where there is none
    bool operator==(const ScalingPoint&) const = default;
};

// The groups in the order of their first point.
std::vector<std::string> groups_of(std::span<const ScalingPoint> points);
std::vector<ScalingPoint> points_of(std::span<const ScalingPoint> points, const std::string& group);

struct Range {
    double low = 0;
    double high = 0;
};
// What the fitted points cover.
struct ScalingRange {
    Range parameters;
    Range tokens;
};
ScalingRange fitted_range(std::span<const ScalingPoint> points);

// Says so where N or D lies beyond twice the fitted range; empty within it.
std::string extrapolation_warning(const ScalingRange& range, double parameters, double tokens);
bool extrapolates(const ScalingRange& range, double parameters, double tokens);

// What keeps these points (of one group) from being fitted at all; every problem. `path` comes before each.
Diagnostics check_points(std::span<const ScalingPoint> points, ScalingForm form, bool alpha_fixed,
                         bool beta_fixed, const std::string& path = {});

}  // namespace braid
