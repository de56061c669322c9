// Compiled with OpenMP: at::parallel_for is a header, and serial without it.
#include "core/engine/cpu_parallel.h"

#include <ATen/Parallel.h>

namespace braid {
namespace {

void run(kernels::Parallel::Body body, void* data, int workers) {
    at::parallel_for(0, workers, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t worker = begin; worker < end; ++worker) body(data, int(worker), workers);
    });
}

thread_local const std::atomic<bool>* stop_flag = nullptr;

bool is_set(const void* flag) {
    return static_cast<const std::atomic<bool>*>(flag)->load(std::memory_order_relaxed);
}

}  // namespace

kernels::Parallel cpu_parallel() {
    return {.run = run,
            .workers = at::get_num_threads(),
            .stop = stop_flag == nullptr ? nullptr : is_set,
            .flag = stop_flag};
}

CpuStop::CpuStop(const std::atomic<bool>* flag) : before_(stop_flag) { stop_flag = flag; }
CpuStop::~CpuStop() { stop_flag = before_; }
bool CpuStop::watched() { return stop_flag != nullptr; }
void CpuStop::check() {
    if (stop_flag != nullptr && is_set(stop_flag)) throw CpuStopped{};
}

}  // namespace braid
