#include "core/analysis/scaling_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace braid {
namespace {

std::string place(const ScalingPoint& point, std::size_t index) {
    return point.line > 0 ? fmt::format("line {}", point.line) : fmt::format("points[{}]", index);
}

std::string beyond(std::string_view what, double value, const Range& range) {
    if (value > 2 * range.high)
        return fmt::format("{} {:.4g} is {:.3g} times the largest fitted ({:.4g})", what, value,
                           value / range.high, range.high);
    if (value < range.low / 2)
        return fmt::format("{} {:.4g} is {:.3g} times smaller than the smallest fitted ({:.4g})", what, value,
                           range.low / value, range.low);
    return {};
}

}  // namespace

std::string_view to_text(PointUse use) {
    switch (use) {
        case PointUse::fitted:
            return "fitted";
        case PointUse::held_out:
            return "held out";
        case PointUse::excluded:
            return "excluded";
    }
    return {};
}

std::vector<std::string> groups_of(std::span<const ScalingPoint> points) {
    std::vector<std::string> groups;
    std::set<std::string> seen;
    for (const ScalingPoint& point : points)
        if (seen.insert(point.group).second) groups.push_back(point.group);
    return groups;
}

std::vector<ScalingPoint> points_of(std::span<const ScalingPoint> points, const std::string& group) {
    std::vector<ScalingPoint> chosen;
    for (const ScalingPoint& point : points)
        if (point.group == group) chosen.push_back(point);
    return chosen;
}

ScalingRange fitted_range(std::span<const ScalingPoint> points) {
    ScalingRange range;
    bool first = true;
    for (const ScalingPoint& point : points) {
        if (point.use != PointUse::fitted) continue;
        if (first) range = {{point.parameters, point.parameters}, {point.tokens, point.tokens}};
        first = false;
        range.parameters.low = std::min(range.parameters.low, point.parameters);
        range.parameters.high = std::max(range.parameters.high, point.parameters);
        range.tokens.low = std::min(range.tokens.low, point.tokens);
        range.tokens.high = std::max(range.tokens.high, point.tokens);
    }
    return range;
}

std::string extrapolation_warning(const ScalingRange& range, double parameters, double tokens) {
    const std::string n = beyond("parameters", parameters, range.parameters);
    const std::string d = beyond("tokens", tokens, range.tokens);
    if (n.empty() && d.empty()) return {};
    return "extrapolated: " + n + (n.empty() || d.empty() ? "" : ", ") + d;
}

bool extrapolates(const ScalingRange& range, double parameters, double tokens) {
    const auto outside = [](double value, const Range& fitted) {
        return value > 2 * fitted.high || value < fitted.low / 2;
    };
    return outside(parameters, range.parameters) || outside(tokens, range.tokens);
}

Diagnostics check_points(std::span<const ScalingPoint> points, ScalingForm form, bool alpha_fixed,
                         bool beta_fixed, const std::string& path) {
    Diagnostics problems;
    const auto add = [&](const std::string& where, std::string rule, std::string found) {
        problems.push_back({.path = path + (path.empty() || where.empty() ? "" : ", ") + where,
                            .rule = std::move(rule),
                            .found = std::move(found)});
    };
    std::set<double> sizes, budgets, losses;
    std::size_t fitted = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const ScalingPoint& point = points[i];
        if (point.use == PointUse::excluded) continue;
        const auto positive = [&](const char* what, double value) {
            if (!(std::isfinite(value) && value > 0))
                add(place(point, i) + ", " + what, "must be a finite number above 0",
                    fmt::format("{}", value));
        };
        positive("parameters", point.parameters);
        positive("tokens", point.tokens);
        positive("loss", point.loss);
        if (point.use != PointUse::fitted) continue;
        ++fitted;
        sizes.insert(point.parameters);
        budgets.insert(point.tokens);
        losses.insert(point.loss);
    }
    const int wanted = parameter_count(form, alpha_fixed, beta_fixed);
    if (fitted < static_cast<std::size_t>(wanted))
        add("fitted points", fmt::format("must be at least {}, the parameters of {}", wanted, to_text(form)),
            std::to_string(fitted));
    if (fitted < 2) return problems;
    if (sizes.size() == 1 && budgets.size() == 1) {
        add("fitted points", "must differ in parameters and in tokens; they are all at one place",
            fmt::format("{:.6g} parameters, {:.6g} tokens", *sizes.begin(), *budgets.begin()));
        return problems;
    }
    // With a known exponent a term with one value of N is a constant: it can be told from 0, not from E.
    const bool constant_is_known = form == ScalingForm::power2;
    if (sizes.size() == 1 && !(alpha_fixed && constant_is_known))
        add("fitted points",
            constant_is_known ? "must have at least two values of parameters, for a and alpha cannot be told "
                                "apart with one "
                                "(or fix alpha)"
                              : "must have at least two values of parameters, for E, a and alpha cannot be "
                                "told apart with one",
            fmt::format("{:.6g} everywhere", *sizes.begin()));
    if (budgets.size() == 1 && !(beta_fixed && constant_is_known))
        add("fitted points",
            constant_is_known
                ? "must have at least two values of tokens, for b and beta cannot be told apart with one (or "
                  "fix beta)"
                : "must have at least two values of tokens, for E, b and beta cannot be told apart with one",
            fmt::format("{:.6g} everywhere", *budgets.begin()));
    if (losses.size() == 1)
        add("fitted points", "must differ in loss", fmt::format("{:.6g} everywhere", *losses.begin()));
    return problems;
}

}  // namespace braid
