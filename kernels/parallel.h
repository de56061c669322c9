// How a kernel uses several threads without knowing whose they are.
#pragma once

#include <cstdint>

namespace braid::kernels {

struct Parallel {
    using Body = void (*)(void* data, int worker, int workers);
    // Calls body(data, worker, workers) once for each worker in [0, workers), possibly at the same time.
    void (*run)(Body body, void* data, int workers) = nullptr;
    int workers = 1;
    // Once stop(flag) says true, kernels that take long (attention) end early and leave their results
    // unfinished. Null: never. Called by all workers.
    bool (*stop)(const void* flag) = nullptr;
    const void* flag = nullptr;
    [[gnu::always_inline]] bool stopped() const { return stop != nullptr && stop(flag); }
};

// The share of `count` items that a worker takes: the same from run to run.
struct Share {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};
[[gnu::always_inline]] constexpr Share share_of(std::int64_t count, int worker, int workers) {
    return {count * worker / workers, count * (worker + 1) / workers};
}

}  // namespace braid::kernels
