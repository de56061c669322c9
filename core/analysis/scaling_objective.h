// What a fit of a scaling law minimises: the sum over points of the Huber function of
//     r = LSE(log a - alpha log N, log b - beta log D[, log E]) - log L.
// The sum, not the mean: a mean is so small that an optimiser stops at once.
// Points of several groups (architectures) may share coefficients or exponents, or nothing.
//
// Coordinates: theta holds log a - alpha mean(log N), log b - beta mean(log D), log E, alpha, beta. The
// coefficient of a curve at the middle of its points hardly depends on the exponent, while log a does.
#pragma once

#include <Eigen/Core>

#include <optional>
#include <span>
#include <vector>

#include "core/analysis/scaling_law.h"
#include "core/analysis/scaling_points.h"

namespace braid {

// Which entries of theta a group reads; -1: it has no such parameter.
struct ScalingIndex {
    int a = -1;
    int b = -1;
    int e = -1;
    int alpha = -1;
    int beta = -1;
};

struct ScalingLayout {
    ScalingForm form = ScalingForm::power2;
    std::size_t groups = 1;
    bool shared_coefficients = false;  // a, b, E
    bool shared_exponents = false;     // alpha, beta
    std::optional<double> alpha = {};  // fixed
    std::optional<double> beta = {};

    int size() const;
    ScalingIndex index(std::size_t group) const;
};

class ScalingObjective {
public:
    // Room for one thread.
    struct Workspace {
        Eigen::ArrayXd t1, t2, q, p1, p2, p3, r, psi;
    };

    // The fitted points of `points`, in their order; groups[i] is the place of that group in the layout.
    // Points of one group stand together. All numbers are finite and above 0.
    ScalingObjective(std::span<const ScalingPoint> points, std::span<const std::size_t> groups,
                     const ScalingLayout& layout, double delta);

    const ScalingLayout& layout() const { return layout_; }
    std::size_t points() const { return static_cast<std::size_t>(z_.size()); }
    std::size_t size() const { return static_cast<std::size_t>(layout_.size()); }
    double delta() const { return delta_; }

    // Value and gradient [size()] (or null) at theta; the points count `weights` times (empty: once).
    double evaluate(const double* theta, std::span<const double> weights, double* gradient,
                    Workspace& room) const;
    // Fitted log loss and its derivatives [points, size()].
    Eigen::ArrayXd predictions(const double* theta) const;
    Eigen::MatrixXd jacobian(const double* theta) const;
    // log L [points]
    const Eigen::ArrayXd& log_losses() const { return z_; }
    // The same points with other losses.
    ScalingObjective with_log_losses(Eigen::ArrayXd log_losses) const;
    // The same points, other sharing.
    ScalingObjective with_layout(const ScalingLayout& layout) const;

    ScalingCurve curve(const double* theta, std::size_t group) const;
    // Writes the entries of a group; those that are shared are overwritten by the last call.
    void set_curve(double* theta, std::size_t group, const ScalingCurve& curve) const;

private:
    struct Segment {
        std::size_t group = 0;
        Eigen::Index begin = 0;
        Eigen::Index count = 0;
    };
    struct Values {
        double a = 0, b = 0, e = 0, alpha = 0, beta = 0;
    };
    Values values(const double* theta, const ScalingIndex& index) const;
    // Fitted log loss into room.r, the share of each term in the loss into p1, p2, p3.
    void predict(const Segment& segment, const Values& values, Workspace& room) const;

    ScalingLayout layout_;
    double delta_;
    double mean_log_n_ = 0;
    double mean_log_d_ = 0;
    Eigen::ArrayXd x_, y_, z_;  // log N and log D less their means, log L
    std::vector<Segment> segments_;
    std::vector<ScalingIndex> indices_;
};

}  // namespace braid
