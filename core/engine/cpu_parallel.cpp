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

}  // namespace

kernels::Parallel cpu_parallel() { return {.run = run, .workers = at::get_num_threads()}; }

}  // namespace braid
