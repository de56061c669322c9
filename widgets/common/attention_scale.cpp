#include "widgets/common/attention_scale.h"

#include <algorithm>
#include <cmath>

#include "widgets/common/colour_map.h"

namespace braid::ui {

namespace {

constexpr double decades = 100;  // from the lower to the upper end of a log scale

}  // namespace

double AttentionScale::share(double weight) const {
    const double size = std::abs(weight);
    double share = 0;
    if (form == AttentionForm::log)
        share = size > low ? std::log(size / low) / std::log(high / low) : 0;
    else
        share = size / (form == AttentionForm::row ? 1.0 : high);
    share = std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0);
    return is_signed && weight < 0 ? -share : share;
}

QColor AttentionScale::colour(double weight) const {
    return is_signed ? redBlue(share(weight), middle) : cividis(share(weight));
}

std::vector<double> AttentionScale::ticks() const {
    std::vector<double> ticks;
    if (form == AttentionForm::log) {
        ticks = {low, std::sqrt(low * high), high};
    } else {
        const double end = form == AttentionForm::row ? 1.0 : high;
        ticks = {0, end / 2, end};
    }
    if (!is_signed) return ticks;
    const double end = ticks.back();
    return {-end, 0, end};
}

std::array<QRgb, 256> attentionColours(const AttentionScale& scale) {
    std::array<QRgb, 256> colours{};
    for (std::size_t i = 0; i < colours.size(); ++i) {
        const double share = double(i) / 255;
        colours[i] = scale.is_signed ? redBlue(2 * share - 1, scale.middle).rgb() : cividis(share).rgb();
    }
    return colours;
}

double roundUp(double value) {
    if (!(value > 0) || !std::isfinite(value)) return 1;
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double step : {1.0, 2.0, 5.0})
        if (value <= step * power * (1 + 1e-9)) return step * power;
    return 10 * power;
}

AttentionScale fittingScale(AttentionForm form, bool is_signed, std::span<const float> weights) {
    std::vector<float> sizes;
    sizes.reserve(weights.size());
    for (const float weight : weights)
        if (weight != 0 && std::isfinite(weight)) sizes.push_back(std::abs(weight));
    AttentionScale scale{.form = form, .is_signed = is_signed};
    if (sizes.empty()) return scale;
    const auto at = sizes.begin() + std::ptrdiff_t(double(sizes.size() - 1) * 0.995);
    std::nth_element(sizes.begin(), at, sizes.end());
    const double most = roundUp(*at);
    scale.high = is_signed ? most : std::min(most, 1.0);
    scale.low = scale.high / decades;
    return scale;
}

}  // namespace braid::ui
