// Independent pieces of work on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace braid {

// 0: all processors.
int thread_count(int wanted);

// work(i, thread) for i = 0 .. count-1, in any order; `thread` is below `threads`. Pieces that have not begun
// when *stop turns true are left out; false then. The work must not throw.
bool parallel_for(std::size_t count, int threads, const std::function<void(std::size_t, int)>& work,
                  const std::atomic<bool>* stop = nullptr);

}  // namespace braid
