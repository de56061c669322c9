#include "core/measure/position_losses.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace braid {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

struct SequenceSum {
    double sum = 0;
    double count = 0;
};

}  // namespace

MeanLoss mean_loss(const Batch& batch, std::span<const float> loss_BT, std::int64_t begin, std::int64_t end) {
    if (end < 0) end = batch.context;
    std::vector<SequenceSum> sums;
    SequenceSum all;
    for (std::int64_t b = 0; b < batch.sequences; ++b) {
        SequenceSum one;
        for (std::int64_t t = begin; t < end; ++t) {
            const auto at = static_cast<std::size_t>(b * batch.context + t);
            if (batch.targets_BT[at] == no_target) continue;
            one.sum += double(loss_BT[at]);
            one.count += 1;
        }
        if (one.count == 0) continue;
        all.sum += one.sum;
        all.count += one.count;
        sums.push_back(one);
    }
    MeanLoss result{.mean = all.count > 0 ? all.sum / all.count : no_number,
                    .standard_error = no_number,
                    .targets = static_cast<std::int64_t>(all.count),
                    .sequences = static_cast<std::int64_t>(sums.size())};
    if (sums.size() < 2) return result;
    // Of a ratio of sums, by linearisation around it.
    double squares = 0;
    for (const SequenceSum& one : sums) squares += std::pow(one.sum - result.mean * one.count, 2);
    const auto n = static_cast<double>(sums.size());
    result.standard_error = std::sqrt(squares * n / (n - 1)) / all.count;
    return result;
}

std::vector<std::int64_t> position_buckets(std::int64_t context, std::int64_t count, bool logarithmic) {
    count = std::clamp<std::int64_t>(count, 1, context);
    std::vector<std::int64_t> ends;
    std::int64_t last = 0;
    for (std::int64_t i = 1; i <= count; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(count);
        const double place = logarithmic ? std::pow(static_cast<double>(context), share)
                                         : static_cast<double>(context) * share;
        // At least one position each, and one left for each that follows.
        last = std::clamp<std::int64_t>(std::llround(place), last + 1, context - (count - i));
        ends.push_back(last);
    }
    return ends;
}

std::vector<PositionLoss> position_losses(const Batch& batch, std::span<const float> loss_BT,
                                          std::span<const float> other, std::span<const std::int64_t> ends) {
    const std::vector<float> difference =
        other.empty() ? std::vector<float>() : loss_difference(loss_BT, other);
    std::vector<PositionLoss> result;
    std::int64_t begin = 0;
    for (const std::int64_t end : ends) {
        PositionLoss one{.begin = begin, .end = end, .loss = mean_loss(batch, loss_BT, begin, end)};
        if (!difference.empty()) one.difference = mean_loss(batch, difference, begin, end);
        result.push_back(one);
        begin = end;
    }
    return result;
}

std::vector<float> loss_difference(std::span<const float> a, std::span<const float> b) {
    std::vector<float> difference(a.size());
    std::transform(a.begin(), a.end(), b.begin(), difference.begin(), std::minus<>());
    return difference;
}

}  // namespace braid
