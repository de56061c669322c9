#include "core/analysis/parallel.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace braid {

int thread_count(int wanted) {
    if (wanted > 0) return wanted;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

bool parallel_for(std::size_t count, int threads, const std::function<void(std::size_t, int)>& work,
                  const std::atomic<bool>* stop) {
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};
    const auto loop = [&](int thread) {
        for (;;) {
            if (stop != nullptr && stop->load(std::memory_order_relaxed)) return;
            const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
            if (i >= count) return;
            work(i, thread);
            done.fetch_add(1, std::memory_order_relaxed);
        }
    };
    const int others = static_cast<int>(std::min(static_cast<std::size_t>(thread_count(threads)), count)) - 1;
    std::vector<std::jthread> workers;
    for (int thread = 1; thread <= others; ++thread) workers.emplace_back(loop, thread);
    loop(0);
    workers.clear();  // joins
    return done.load() == count;
}

}  // namespace braid
