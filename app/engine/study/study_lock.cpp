#include "app/engine/study/study_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/file.h"
#include "core/base/json.h"

namespace braid::cli {
namespace {

std::string lock_file(const std::string& project_folder, const std::string& study) {
    return project_folder + "/studies/." + study + ".lock";
}

ProcessIdentity read_holder(const std::string& file) {
    const Result<Json> json =
        read_file(file, 1 << 12).and_then([&](const std::string& text) { return parse_json(text, file); });
    ProcessIdentity identity;
    if (!json || !json->is_object()) return identity;
    try {
        identity = {.host = json->value("host", ""),
                    .boot_id = json->value("boot_id", ""),
                    .pid_namespace = json->value("pid_namespace", std::uint64_t{0}),
                    .pid = json->value("pid", std::int64_t{0}),
                    .start_time = json->value("start_time", std::uint64_t{0})};
    } catch (const Json::exception&) {
        return {};  // the text is only a help; the lock itself is the kernel's
    }
    return identity;
}

}  // namespace

Result<StudyLock> StudyLock::take(const std::string& project_folder, const std::string& study) {
    const std::string file = lock_file(project_folder, study);
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) return fail(error_from_errno(errno, "cannot open", file));
    StudyLock lock(descriptor);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return fail(error_from_errno(errno, "cannot lock", file));
        const ProcessIdentity other = read_holder(file);
        return fail(ErrorKind::busy,
                    "process " + std::to_string(other.pid) + " on " + other.host + " runs this study already",
                    project_folder, "Watch it (study show), or stop it (study stop " + study + ")");
    }
    const ProcessIdentity self = this_process();
    const std::string text = Json{{"host", self.host},
                                  {"boot_id", self.boot_id},
                                  {"pid_namespace", self.pid_namespace},
                                  {"pid", self.pid},
                                  {"start_time", self.start_time}}
                                 .dump() +
                             "\n";
    if (::ftruncate(descriptor, 0) == 0) {
        [[maybe_unused]] const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
    }
    return lock;
}

std::optional<ProcessIdentity> StudyLock::holder(const std::string& project_folder,
                                                 const std::string& study) {
    const std::string file = lock_file(project_folder, study);
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return std::nullopt;
    const bool is_free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    ::close(descriptor);
    if (is_free) return std::nullopt;
    return read_holder(file);
}

StudyLock::~StudyLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace braid::cli
