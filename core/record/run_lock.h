// The exclusive right to write a run, held as long as the object lives.
#pragma once

#include <chrono>
#include <functional>
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
    // Whether no engine holds it now, on this machine or, where the file system tells, another.
    static bool is_free(const RunFolder& folder);
    RunLock(RunLock&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
    RunLock& operator=(RunLock&&) = delete;
    ~RunLock();

private:
    explicit RunLock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_;
};

// The plan of a run that no engine has begun, changed: where it is trained, what it branches from. A run that
// an engine has taken meanwhile is left as it is.
Result<RunFolder> change_planned_run(const RunFolder& folder, const std::function<void(RunPlan&)>& change);

}  // namespace braid
