#include "core/record/process_identity.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <optional>

#include "core/base/file.h"

namespace braid {
namespace {

struct ProcessStat {
    char state = '?';
    std::uint64_t start_time = 0;
};

// /proc/<pid>/stat: "pid (name) S ppid ...". The name may hold spaces and parentheses, so read from the last
// ')'.
std::optional<ProcessStat> read_stat(std::int64_t pid) {
    const Result<std::string> text = read_file("/proc/" + std::to_string(pid) + "/stat", 1 << 16);
    if (!text) return std::nullopt;
    std::size_t at = text->rfind(')');
    if (at == std::string::npos || at + 2 >= text->size()) return std::nullopt;
    at += 2;
    ProcessStat stat;
    stat.state = (*text)[at];
    for (int field = 3; field < 22; ++field) {
        at = text->find(' ', at);
        if (at == std::string::npos) return std::nullopt;
        ++at;
    }
    std::from_chars(text->data() + at, text->data() + text->size(), stat.start_time);
    return stat;
}

std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return {};
    return name.data();
}

std::string boot_id() {
    Result<std::string> text = read_file("/proc/sys/kernel/random/boot_id", 1 << 10);
    if (!text) return {};
    while (!text->empty() && text->back() == '\n') text->pop_back();
    return *text;
}

std::uint64_t pid_namespace() {
    struct stat status {};
    return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

bool is_here(const ProcessIdentity& identity) {
    static const ProcessIdentity here = this_process();
    return identity.host == here.host && identity.pid_namespace == here.pid_namespace;
}

}  // namespace

ProcessIdentity this_process() { return identity_of(::getpid()); }

ProcessIdentity identity_of(std::int64_t pid) {
    const std::optional<ProcessStat> stat = read_stat(pid);
    return {.host = host_name(),
            .boot_id = boot_id(),
            .pid_namespace = pid_namespace(),
            .pid = pid,
            .start_time = stat ? stat->start_time : 0};
}

ProcessState look_up(const ProcessIdentity& identity) {
    if (!is_here(identity)) return ProcessState::elsewhere;
    static const std::string boot = boot_id();
    if (identity.boot_id != boot) return ProcessState::gone;  // the machine was restarted since
    const std::optional<ProcessStat> stat = read_stat(identity.pid);
    if (!stat || stat->start_time != identity.start_time) return ProcessState::gone;
    // A zombie has ended; it only waits for its parent to ask for the exit code.
    return stat->state == 'Z' || stat->state == 'X' ? ProcessState::gone : ProcessState::alive;
}

bool signal_process(const ProcessIdentity& identity, int signal_number) {
    if (look_up(identity) != ProcessState::alive) return false;
    // The descriptor names one process for good; looking again after opening it closes the gap in which the
    // pid could have been given to another one.
    const long descriptor = ::syscall(SYS_pidfd_open, static_cast<pid_t>(identity.pid), 0);
    if (descriptor < 0) return ::kill(static_cast<pid_t>(identity.pid), signal_number) == 0;
    const bool sent = look_up(identity) == ProcessState::alive &&
                      ::syscall(SYS_pidfd_send_signal, descriptor, signal_number, nullptr, 0) == 0;
    ::close(static_cast<int>(descriptor));
    return sent;
}

}  // namespace braid
