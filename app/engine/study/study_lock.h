// One runner a study: <project>/studies/.NAME.lock, flock()ed as long as the runner lives. Its text names the
// runner, so that others can say who it is, and stop it.
#pragma once

#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/record/process_identity.h"

namespace braid::cli {

class StudyLock {
public:
    // Busy, with host and process, where another runner has it.
    static Result<StudyLock> take(const std::string& project_folder, const std::string& study);
    // The runner that has it now, if any.
    static std::optional<ProcessIdentity> holder(const std::string& project_folder, const std::string& study);
    StudyLock(StudyLock&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
    StudyLock& operator=(StudyLock&&) = delete;
    ~StudyLock();

private:
    explicit StudyLock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_;
};

}  // namespace braid::cli
