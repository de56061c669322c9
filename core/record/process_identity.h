// Which process works on a run, so that nobody mistakes another one for it: a process id alone is reused.
#pragma once

#include <cstdint>
#include <string>

namespace braid {

struct ProcessIdentity {
    std::string host = {};
    std::string boot_id = {};         // /proc/sys/kernel/random/boot_id
    std::uint64_t pid_namespace = 0;  // inode of /proc/self/ns/pid: a container's pids are its own
    std::int64_t pid = 0;
    std::uint64_t start_time = 0;  // field 22 of /proc/<pid>/stat: clock ticks after boot
    bool operator==(const ProcessIdentity&) const = default;
};

enum class ProcessState {
    alive,
    gone,       // ended, a zombie, the machine was restarted, or the pid is now another process
    elsewhere,  // on another machine or in another container: cannot be told from here
};

ProcessIdentity this_process();
// Of a process of this machine; start_time 0 where there is none.
ProcessIdentity identity_of(std::int64_t pid);
ProcessState look_up(const ProcessIdentity& identity);

// Sends the signal only while the identity holds (pidfd); false: the process was gone already or is
// elsewhere.
bool signal_process(const ProcessIdentity& identity, int signal_number);

}  // namespace braid
