#include "core/analysis/scaling_identify.h"

#include <fmt/format.h>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace braid {

Identification identify(const Eigen::MatrixXd& jacobian) {
    constexpr double taking_part = 1e-3;  // entries of a unit vector below this are rounding
    const auto columns = static_cast<std::size_t>(jacobian.cols());
    Identification found{.loose = std::vector<bool>(columns, false)};
    Eigen::MatrixXd scaled = jacobian;
    for (Eigen::Index column = 0; column < scaled.cols(); ++column) {
        const double length = scaled.col(column).norm();
        if (length > 0)
            scaled.col(column) /= length;
        else
            found.loose[static_cast<std::size_t>(column)] = true;
    }
    if (columns == 0) return found;
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(scaled, Eigen::ComputeFullV);
    const Eigen::VectorXd& values = svd.singularValues();
    const auto square_ratio = [&](Eigen::Index i) {  // of the largest to this one
        const double value = i < values.size() ? values[i] : 0.0;
        return value > 0 ? (values[0] / value) * (values[0] / value)
                         : std::numeric_limits<double>::infinity();
    };
    for (Eigen::Index i = 0; i < scaled.cols(); ++i) {
        if (square_ratio(i) < numerical_condition_limit) continue;
        for (Eigen::Index column = 0; column < scaled.cols(); ++column)
            if (std::abs(svd.matrixV()(column, i)) > taking_part)
                found.loose[static_cast<std::size_t>(column)] = true;
    }
    found.condition = square_ratio(scaled.cols() - 1);
    return found;
}

void set_identification(ScalingFit& fit, const Identification& found, const ScalingIndex& columns) {
    fit.condition = found.condition;
    const auto loose = [&](int column) {
        return column >= 0 && found.loose[static_cast<std::size_t>(column)];
    };
    // The coefficients of the columns are those at the middle of the points: a and b move with the exponents.
    const std::pair<const char*, bool> parameters[] = {{"a", loose(columns.a) || loose(columns.alpha)},
                                                       {"alpha", loose(columns.alpha)},
                                                       {"b", loose(columns.b) || loose(columns.beta)},
                                                       {"beta", loose(columns.beta)},
                                                       {"E", loose(columns.e)}};
    for (const auto& [name, is_loose] : parameters)
        if (is_loose) fit.undetermined.emplace_back(name);
}

void judge_identification(ScalingFit& fit) {
    const auto undetermined = [&fit](const std::string& name) {
        return std::find(fit.undetermined.begin(), fit.undetermined.end(), name) != fit.undetermined.end();
    };
    for (ScalingEstimate& estimate : fit.estimates) {
        if (estimate.fixed) continue;
        if (undetermined(estimate.name)) {
            estimate.not_identified =
                fmt::format("other values fit as well (condition number {:.2g})", fit.condition);
            continue;
        }
        if (!estimate.interval) continue;
        const auto [low, high] = *estimate.interval;
        const bool exponent = estimate.name == "alpha" || estimate.name == "beta";
        const double limit =
            estimate.name == "a" || estimate.name == "b" ? coefficient_width_limit : exponent_width_limit;
        if (!std::isfinite(low) || !std::isfinite(high))
            estimate.not_identified = "its interval is not finite";
        else if (exponent && low <= 0 && high >= 0 && low < high)
            estimate.not_identified = fmt::format("{:.3g} % interval {:.2g} to {:.2g}, on both sides of 0",
                                                  100 * fit.level, low, high);
        else if (std::max(std::abs(low), std::abs(high)) > limit * std::min(std::abs(low), std::abs(high)))
            estimate.not_identified =
                fmt::format("{:.3g} % interval {:.2g} to {:.2g}", 100 * fit.level, low, high);
    }
    // A coefficient moves with its exponent: its digits mean as little.
    for (const auto& [coefficient, exponent] : {std::pair{"a", "alpha"}, {"b", "beta"}}) {
        const ScalingEstimate* of = fit.estimate(exponent);
        for (ScalingEstimate& estimate : fit.estimates)
            if (estimate.name == coefficient && estimate.identified() && !estimate.fixed && of != nullptr &&
                !of->identified())
                estimate.not_identified = std::string("its exponent ") + exponent + " is not identified";
    }
}

}  // namespace braid
