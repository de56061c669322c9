#include "core/analysis/scaling_bootstrap.h"

#include <algorithm>
#include <mutex>

#include "core/analysis/parallel.h"
#include "core/base/random.h"

namespace braid {

std::uint64_t bootstrap_key(std::string_view group) { return random_stream(group); }

std::vector<double> resample_weights(std::span<const std::uint64_t> keys, std::size_t distinct,
                                     std::uint64_t seed, std::uint64_t index) {
    std::vector<double> weights(keys.size(), 0.0);
    for (std::size_t begin = 0; begin < keys.size();) {
        std::size_t end = begin;
        while (end < keys.size() && keys[end] == keys[begin]) ++end;
        Random random(seed, "analysis/scaling-bootstrap", index, keys[begin]);
        for (int attempt = 0; attempt < 100; ++attempt) {
            const auto first = weights.begin() + static_cast<std::ptrdiff_t>(begin);
            const auto last = weights.begin() + static_cast<std::ptrdiff_t>(end);
            std::fill(first, last, 0.0);
            for (std::size_t draw = begin; draw < end; ++draw)
                weights[begin + random.below(end - begin)] += 1;
            if (std::count_if(first, last, [](double weight) { return weight > 0; }) >=
                static_cast<std::ptrdiff_t>(std::min(distinct, end - begin)))
                break;
        }
        begin = end;
    }
    return weights;
}

std::vector<ScalingMinimum> bootstrap(const ScalingObjective& objective, std::span<const std::uint64_t> keys,
                                      std::size_t distinct, std::span<const ScalingMinimum> minima,
                                      int resamples, std::uint64_t seed, const FitWatch& watch) {
    std::vector<std::vector<double>> starts;
    for (const ScalingMinimum& minimum : minima) starts.push_back(minimum.theta);
    const auto count = static_cast<std::size_t>(std::max(resamples, 0));
    std::vector<ScalingMinimum> fits(count);
    std::mutex mutex;
    std::size_t done = 0;
    const bool finished = parallel_for(
        count, watch.threads,
        [&](std::size_t i, int) {
            fits[i] = best_minimum(objective, resample_weights(keys, distinct, seed, i), starts);
            if (!watch.progress) return;
            const std::lock_guard lock(mutex);
            watch.progress(static_cast<double>(++done) / static_cast<double>(count));
        },
        watch.stop);
    if (!finished) return {};
    return fits;
}

}  // namespace braid
