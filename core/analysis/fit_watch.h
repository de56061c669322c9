// How a long computation is watched and stopped.
#pragma once

#include <atomic>
#include <functional>

namespace braid {

// For work in several threads. `progress` gets the share that is done, from any thread but one at a time;
// work ends early once *stop is true.
struct FitWatch {
    std::function<void(double)> progress = {};
    const std::atomic<bool>* stop = nullptr;
    int threads = 0;  // 0: all processors

    bool stopped() const { return stop != nullptr && stop->load(); }
};

}  // namespace braid
