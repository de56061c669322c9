#include "core/record/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"

namespace braid {
namespace {

std::string holder(const std::string& file) {
    const Result<Json> json =
        read_file(file, 1 << 12).and_then([&](const std::string& text) { return parse_json(text, file); });
    if (!json || !json->is_object() || !json->contains("pid") || !json->contains("host"))
        return "another process";
    return "process " + (*json)["pid"].dump() + " on " + (*json)["host"].dump();
}

}  // namespace

Result<RunLock> RunLock::take(const RunFolder& folder) {
    const std::string file = folder.lock_file();
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) return fail(error_from_errno(errno, "cannot open", file));
    RunLock lock(descriptor);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return fail(error_from_errno(errno, "cannot lock", file));
        return fail(ErrorKind::busy, holder(file) + " works on this run", folder.path(),
                    "Watch it or stop it (run stop); one engine at a time can write a run");
    }
    const ProcessIdentity self = this_process();
    const std::string text = Json{{"pid", self.pid}, {"host", self.host}, {"since", utc_now()}}.dump() + "\n";
    // Only for messages: a full disk must not keep a run from being resumed.
    if (::ftruncate(descriptor, 0) == 0) {
        [[maybe_unused]] const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
    }
    return lock;
}

bool RunLock::is_free(const RunFolder& folder) {
    const int descriptor = ::open(folder.lock_file().c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT;
    const bool free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    ::close(descriptor);
    return free;
}

RunLock::~RunLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<RunFolder> change_planned_run(const RunFolder& folder, const std::function<void(RunPlan&)>& change) {
    const Result<RunLock> lock = RunLock::take(folder);
    if (!lock) return lock.error().kind == ErrorKind::busy ? Result<RunFolder>(folder) : fail(lock.error());
    Result<RunPlan> plan = folder.plan();
    if (!plan) return fail(std::move(plan.error()));
    RunPlan changed = *plan;
    change(changed);
    std::error_code ignored;
    if (changed == *plan || std::filesystem::exists(folder.database_file(), ignored)) return folder;
    if (Result<void> written = write_plan(folder.plan_file(), changed); !written)
        return fail(std::move(written.error()));
    return folder;
}

}  // namespace braid
