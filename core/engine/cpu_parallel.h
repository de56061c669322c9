// The threads of ATen for the kernels of kernels/cpu: one pool serves both. How a pass on the CPU is ended in
// the middle of an operation.
#pragma once

#include <atomic>
#include <exception>

#include "kernels/parallel.h"

namespace braid {

// at::get_num_threads() workers, which heed the flag of the CpuStop of this thread.
kernels::Parallel cpu_parallel();

// What an operation of the CPU throws once the flag is set: its results and all that rests on them are void.
struct CpuStopped : std::exception {
    const char* what() const noexcept override { return "stopped"; }
};

// While it lives, the long operations that this thread asks of the CPU look at the flag every few
// milliseconds. Null: none is looked at. The innermost counts.
class CpuStop {
public:
    explicit CpuStop(const std::atomic<bool>* flag);
    ~CpuStop();
    CpuStop(const CpuStop&) = delete;
    CpuStop& operator=(const CpuStop&) = delete;

    static bool watched();  // there is a flag
    static void check();    // throws CpuStopped

private:
    const std::atomic<bool>* before_;
};

}  // namespace braid
