// The exclusive right to write a run, held as long as the object lives.
#pragma once

#include <chrono>
#include <string>

#include "core/base/error.h"
#include "core/record/process_identity.h"
#include "core/record/run_folder.h"

namespace braid {

class RunLock {
public:
    // flock() on <run>/lock, whose text names the holder for the message of the next who tries. The kernel
    // gives the lock back when the holder ends in any way.
    static Result<RunLock> take(const RunFolder& folder);
    RunLock(RunLock&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
    RunLock& operator=(RunLock&&) = delete;
    ~RunLock();

private:
    explicit RunLock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_;
};

}  // namespace braid
