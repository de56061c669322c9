#include "core/analysis/spread.h"

#include <algorithm>
#include <numeric>

namespace braid {

std::vector<double> spread_apart(const std::vector<double>& wanted, double distance, double low,
                                 double high) {
    const std::size_t count = wanted.size();
    if (count == 0) {
        return {};
    }
    const double room = high - low - distance * static_cast<double>(count - 1);
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    std::vector<double> places(count);
    if (room <= 0) {
        const double step = count > 1 ? (high - low) / static_cast<double>(count - 1) : 0;
        for (std::size_t rank = 0; rank < count; ++rank) {
            places[order[rank]] = low + step * static_cast<double>(rank);
        }
        return places;
    }
    // With rank * distance taken away, the places must not decrease: isotonic regression by pooling
    // neighbours.
    struct Pool {
        double mean;
        std::size_t size;
    };
    std::vector<Pool> pools;
    for (std::size_t rank = 0; rank < count; ++rank) {
        pools.push_back({wanted[order[rank]] - distance * static_cast<double>(rank), 1});
        while (pools.size() > 1 && pools[pools.size() - 2].mean > pools.back().mean) {
            const Pool last = pools.back();
            pools.pop_back();
            Pool& into = pools.back();
            const std::size_t size = into.size + last.size;
            into.mean =
                (into.mean * static_cast<double>(into.size) + last.mean * static_cast<double>(last.size)) /
                static_cast<double>(size);
            into.size = size;
        }
    }
    std::size_t rank = 0;
    for (const Pool& pool : pools) {
        for (std::size_t i = 0; i < pool.size; ++i, ++rank) {
            places[order[rank]] =
                std::clamp(pool.mean, low, low + room) + distance * static_cast<double>(rank);
        }
    }
    return places;
}

}  // namespace braid
