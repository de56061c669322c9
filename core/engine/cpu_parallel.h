// The threads of ATen for the kernels of kernels/cpu: one pool serves both.
#pragma once

#include "kernels/parallel.h"

namespace braid {

// at::get_num_threads() workers.
kernels::Parallel cpu_parallel();

}  // namespace braid
