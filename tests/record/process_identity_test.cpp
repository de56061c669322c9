#include "core/record/process_identity.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace braid {
namespace {

TEST(ProcessIdentity, ThisProcessIsAlive) {
    const ProcessIdentity self = this_process();
    EXPECT_EQ(self.pid, ::getpid());
    EXPECT_GT(self.start_time, 0U);
    EXPECT_FALSE(self.boot_id.empty());
    EXPECT_EQ(look_up(self), ProcessState::alive);
}

TEST(ProcessIdentity, AnotherProcessWithTheSamePidIsNotIt) {
    ProcessIdentity other = this_process();
    other.start_time += 1;
    EXPECT_EQ(look_up(other), ProcessState::gone);
    EXPECT_FALSE(signal_process(other, SIGKILL)) << "this process would have been killed";
    other = this_process();
    other.boot_id = "00000000-0000-0000-0000-000000000000";
    EXPECT_EQ(look_up(other), ProcessState::gone);
    other = this_process();
    other.host = "elsewhere.example";
    EXPECT_EQ(look_up(other), ProcessState::elsewhere);
    EXPECT_FALSE(signal_process(other, SIGKILL));
}

TEST(ProcessIdentity, AChildIsFollowedToItsEnd) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::pause();
        ::_exit(0);
    }
    const ProcessIdentity child = identity_of(pid);
    EXPECT_EQ(look_up(child), ProcessState::alive);
    EXPECT_TRUE(signal_process(child, SIGTERM));
    siginfo_t info;
    ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
    EXPECT_EQ(look_up(child), ProcessState::gone) << "a zombie has ended";
    ::waitpid(pid, nullptr, 0);
    EXPECT_EQ(look_up(child), ProcessState::gone);
    EXPECT_FALSE(signal_process(child, SIGTERM));
}

}  // namespace
}  // namespace braid
