#include "core/analysis/smoothing.h"

#include <cmath>
#include <vector>

namespace braid {

double Smoother::next(double y) {
    if (!std::isfinite(y)) {
        return y;
    }
    // Written as a correction: where y equals the mean it stays the mean to the last bit.
    weight_ = beta_ * weight_ + 1;
    mean_ += (y - mean_) / weight_;
    return mean_;
}

CurvePtr Smoother::update(const CurvePtr& curve) {
    if (!(beta_ > 0)) {
        return curve;
    }
    if (curve == source_) {
        return result_;
    }
    // NaN is not equal to itself, so compare what may be compared: the x of the last known point and its y's
    // bits.
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    const bool continues = source_ && !source_->is_empty() && curve->size() >= source_->size() &&
                           curve->x(source_->size() - 1) == source_->back().x &&
                           same(curve->y(source_->size() - 1), source_->back().y) &&
                           curve->x(0) == source_->x(0) && same(curve->y(0), source_->y(0));
    if (!continues) {
        mean_ = 0;
        weight_ = 0;
        result_ = Curve::empty();
    }
    const std::size_t begin = continues ? source_->size() : 0;
    std::vector<double> xs;
    std::vector<double> ys;
    xs.reserve(curve->size() - begin);
    ys.reserve(curve->size() - begin);
    for (std::size_t i = begin; i < curve->size(); ++i) {
        xs.push_back(curve->x(i));
        ys.push_back(next(curve->y(i)));
    }
    result_ = result_->append(xs, ys);
    source_ = curve;
    return result_;
}

CurvePtr smooth(const CurvePtr& curve, double beta) { return Smoother(beta).update(curve); }

}  // namespace braid
