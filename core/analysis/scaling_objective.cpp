#include "core/analysis/scaling_objective.h"

#include <cassert>
#include <cmath>
#include <utility>

namespace braid {

int ScalingLayout::size() const {
    const int blocks = static_cast<int>(groups);
    const int coefficients = form == ScalingForm::chinchilla ? 3 : 2;
    const int exponents = (alpha ? 0 : 1) + (beta ? 0 : 1);
    return coefficients * (shared_coefficients ? 1 : blocks) + exponents * (shared_exponents ? 1 : blocks);
}

ScalingIndex ScalingLayout::index(std::size_t group) const {
    const bool has_e = form == ScalingForm::chinchilla;
    const int coefficients = has_e ? 3 : 2;
    const int exponents = (alpha ? 0 : 1) + (beta ? 0 : 1);
    const int block = static_cast<int>(group);
    const int first = coefficients * (shared_coefficients ? 0 : block);
    int next = coefficients * (shared_coefficients ? 1 : static_cast<int>(groups)) +
               exponents * (shared_exponents ? 0 : block);
    ScalingIndex index{.a = first, .b = first + 1, .e = has_e ? first + 2 : -1};
    if (!alpha) index.alpha = next++;
    if (!beta) index.beta = next++;
    return index;
}

ScalingObjective::ScalingObjective(std::span<const ScalingPoint> points, std::span<const std::size_t> groups,
                                   const ScalingLayout& layout, double delta)
    : layout_(layout), delta_(delta) {
    std::vector<double> x, y, z;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].use != PointUse::fitted) continue;
        if (segments_.empty() || segments_.back().group != groups[i])
            segments_.push_back({.group = groups[i], .begin = static_cast<Eigen::Index>(z.size())});
        ++segments_.back().count;
        x.push_back(std::log(points[i].parameters));
        y.push_back(std::log(points[i].tokens));
        z.push_back(std::log(points[i].loss));
    }
    const auto array = [](const std::vector<double>& values) {
        return Eigen::ArrayXd(
            Eigen::Map<const Eigen::ArrayXd>(values.data(), static_cast<Eigen::Index>(values.size())));
    };
    x_ = array(x);
    y_ = array(y);
    z_ = array(z);
    if (z_.size() > 0) {
        mean_log_n_ = x_.mean();
        mean_log_d_ = y_.mean();
    }
    x_ -= mean_log_n_;
    y_ -= mean_log_d_;
    for (std::size_t group = 0; group < layout_.groups; ++group) indices_.push_back(layout_.index(group));
}

ScalingObjective ScalingObjective::with_log_losses(Eigen::ArrayXd log_losses) const {
    assert(log_losses.size() == z_.size());
    ScalingObjective other = *this;
    other.z_ = std::move(log_losses);
    return other;
}

ScalingObjective ScalingObjective::with_layout(const ScalingLayout& layout) const {
    assert(layout.groups == layout_.groups);
    ScalingObjective other = *this;
    other.layout_ = layout;
    for (std::size_t group = 0; group < layout.groups; ++group) other.indices_[group] = layout.index(group);
    return other;
}

ScalingObjective::Values ScalingObjective::values(const double* theta, const ScalingIndex& index) const {
    const auto at = [theta](int i) { return theta[i]; };
    return {.a = at(index.a),
            .b = at(index.b),
            .e = index.e >= 0 ? at(index.e) : 0.0,
            .alpha = index.alpha >= 0 ? at(index.alpha) : *layout_.alpha,
            .beta = index.beta >= 0 ? at(index.beta) : *layout_.beta};
}

void ScalingObjective::predict(const Segment& segment, const Values& values, Workspace& room) const {
    const auto x = x_.segment(segment.begin, segment.count);
    const auto y = y_.segment(segment.begin, segment.count);
    room.t1 = values.a - values.alpha * x;
    room.t2 = values.b - values.beta * y;
    if (layout_.form == ScalingForm::power2) {
        // Two terms need one exponential: q is the smaller over the larger.
        room.q = (-(room.t1 - room.t2).abs()).exp();
        room.p3 = 1.0 / (1.0 + room.q);  // share of the larger
        room.p1 = (room.t1 >= room.t2).select(room.p3, room.q * room.p3);
        room.p2 = 1.0 - room.p1;
        room.r = room.t1.max(room.t2) + (1.0 + room.q).log();
        return;
    }
    room.q = room.t1.max(room.t2).max(values.e);
    room.p1 = (room.t1 - room.q).exp();
    room.p2 = (room.t2 - room.q).exp();
    room.p3 = (values.e - room.q).exp();
    room.t1 = room.p1 + room.p2 + room.p3;
    room.r = room.q + room.t1.log();
    room.t1 = room.t1.inverse();
    room.p1 *= room.t1;
    room.p2 *= room.t1;
    room.p3 *= room.t1;
}

double ScalingObjective::evaluate(const double* theta, std::span<const double> weights, double* gradient,
                                  Workspace& room) const {
    double sum = 0;
    if (gradient != nullptr) std::fill(gradient, gradient + size(), 0.0);
    for (const Segment& segment : segments_) {
        const ScalingIndex& index = indices_[segment.group];
        predict(segment, values(theta, index), room);
        room.r -= z_.segment(segment.begin, segment.count);
        room.psi = room.r.max(-delta_).min(delta_);
        // r^2 / 2 within delta, delta |r| - delta^2 / 2 beyond
        room.r = room.psi * (room.r - 0.5 * room.psi);
        if (!weights.empty()) {
            const Eigen::Map<const Eigen::ArrayXd> w(weights.data() + segment.begin, segment.count);
            room.r *= w;
            room.psi *= w;
        }
        sum += room.r.sum();
        if (gradient == nullptr) continue;
        const auto x = x_.segment(segment.begin, segment.count);
        const auto y = y_.segment(segment.begin, segment.count);
        room.p1 *= room.psi;
        room.p2 *= room.psi;
        gradient[index.a] += room.p1.sum();
        gradient[index.b] += room.p2.sum();
        if (index.e >= 0) gradient[index.e] += (room.p3 * room.psi).sum();
        if (index.alpha >= 0) gradient[index.alpha] -= (room.p1 * x).sum();
        if (index.beta >= 0) gradient[index.beta] -= (room.p2 * y).sum();
    }
    return sum;
}

Eigen::ArrayXd ScalingObjective::predictions(const double* theta) const {
    Eigen::ArrayXd predicted(z_.size());
    Workspace room;
    for (const Segment& segment : segments_) {
        predict(segment, values(theta, indices_[segment.group]), room);
        predicted.segment(segment.begin, segment.count) = room.r;
    }
    return predicted;
}

Eigen::MatrixXd ScalingObjective::jacobian(const double* theta) const {
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(z_.size(), layout_.size());
    Workspace room;
    for (const Segment& segment : segments_) {
        const ScalingIndex& index = indices_[segment.group];
        predict(segment, values(theta, index), room);
        const auto column = [&](int i) {
            return jacobian.col(i).segment(segment.begin, segment.count).array();
        };
        column(index.a) = room.p1;
        column(index.b) = room.p2;
        if (index.e >= 0) column(index.e) = room.p3;
        if (index.alpha >= 0) column(index.alpha) = -room.p1 * x_.segment(segment.begin, segment.count);
        if (index.beta >= 0) column(index.beta) = -room.p2 * y_.segment(segment.begin, segment.count);
    }
    return jacobian;
}

ScalingCurve ScalingObjective::curve(const double* theta, std::size_t group) const {
    const Values v = values(theta, indices_[group]);
    return {.log_a = v.a + v.alpha * mean_log_n_,
            .alpha = v.alpha,
            .log_b = v.b + v.beta * mean_log_d_,
            .beta = v.beta,
            .irreducible = layout_.form == ScalingForm::chinchilla ? std::exp(v.e) : 0.0};
}

void ScalingObjective::set_curve(double* theta, std::size_t group, const ScalingCurve& curve) const {
    const ScalingIndex& index = indices_[group];
    const double alpha = layout_.alpha.value_or(curve.alpha);
    const double beta = layout_.beta.value_or(curve.beta);
    theta[index.a] = curve.log_a - alpha * mean_log_n_;
    theta[index.b] = curve.log_b - beta * mean_log_d_;
    if (index.e >= 0) theta[index.e] = std::log(curve.irreducible);
    if (index.alpha >= 0) theta[index.alpha] = alpha;
    if (index.beta >= 0) theta[index.beta] = beta;
}

}  // namespace braid
