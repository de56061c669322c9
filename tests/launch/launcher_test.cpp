#include "core/launch/launcher.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

#include "core/launch/local_queue.h"
#include "tests/record/run_fixture.h"

namespace braid {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

std::string fake_engine() { return std::string(std::getenv("BRAID_BINARY_DIR")) + "/tests/fake_engine"; }

bool eventually(const std::function<bool()>& done, milliseconds limit = seconds(20)) {
    const auto end = Clock::now() + limit;
    while (!done()) {
        if (Clock::now() > end) return false;
        std::this_thread::sleep_for(milliseconds(5));
    }
    return true;
}

class LaunchTest : public RunTest {
protected:
    void SetUp() override {
        RunTest::SetUp();
        ::setenv("BRAID_ENGINE", fake_engine().c_str(), 1);
        use("obeys");
        ::unsetenv("BRAID_FAKE_STEPS");
    }
    void TearDown() override {
        for (const ProcessIdentity& process : started_) signal_process(process, SIGKILL);
        ::unsetenv("BRAID_ENGINE");
    }
    static void use(const char* kind) { ::setenv("BRAID_FAKE", kind, 1); }
    EngineProcess start() {
        Result<EngineProcess> process = start_run(folder_);
        EXPECT_TRUE(process.has_value()) << describe(process.error());
        started_.push_back(process->identity());
        return *process;
    }
    bool is_in(RunState state) const {
        const Result<RunStatus> status = read_run_status(folder_);
        return status && status->state == state;
    }

    std::vector<ProcessIdentity> started_;
};

TEST_F(LaunchTest, AnEngineWorksInASessionOfItsOwn) {
    const int leaked = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC, as foreign code may leave it
    EngineProcess engine = start();
    ASSERT_TRUE(eventually([&] { return is_in(RunState::running); }));
    EXPECT_EQ(::getsid(static_cast<pid_t>(engine.identity().pid)), engine.identity().pid);
    EXPECT_EQ(read_run_status(folder_)->process.pid, engine.identity().pid);
    const std::string descriptors = "/proc/" + std::to_string(engine.identity().pid) + "/fd/";
    std::error_code error;
    EXPECT_FALSE(std::filesystem::exists(descriptors + std::to_string(leaked), error) &&
                 std::filesystem::read_symlink(descriptors + std::to_string(leaked), error) == "/dev/null");
    EXPECT_EQ(std::filesystem::read_symlink(descriptors + "0", error), "/dev/null");
    EXPECT_TRUE(eventually([&] { return log_tail(folder_) == "training\n"; }));
    EXPECT_FALSE(engine.poll());
    ::close(leaked);

    const auto again = start_run(folder_);
    ASSERT_FALSE(again.has_value());
    EXPECT_EQ(again.error().kind, ErrorKind::busy);

    const auto begin = Clock::now();
    const Result<void> stopped = stop_run(folder_);
    ASSERT_TRUE(stopped.has_value()) << describe(stopped.error());
    std::printf("stopped after %.0f ms\n",
                std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    EXPECT_TRUE(is_in(RunState::cancelled));
    EXPECT_EQ(engine.wait(seconds(10)), 0);
    EXPECT_TRUE(stop_run(folder_).has_value()) << "nothing works, nothing to do";
}

// The process that started an engine is killed; the engine goes on, and another process stops it.
TEST_F(LaunchTest, KillingTheWindowLeavesTheEngine) {
    const pid_t window = ::fork();
    if (window == 0) {
        ::setsid();
        if (!start_run(folder_)) ::_exit(1);
        ::pause();
        ::_exit(0);
    }
    ASSERT_TRUE(eventually([&] { return is_in(RunState::running); }));
    started_.push_back(read_run_status(folder_)->process);
    ::kill(-window, SIGKILL);  // its whole group, as a terminal would
    ::waitpid(window, nullptr, 0);
    const Step before = read_run_status(folder_)->step;
    EXPECT_TRUE(eventually([&] { return read_run_status(folder_)->step > before; }));
    EXPECT_TRUE(is_in(RunState::running));
    ASSERT_TRUE(stop_run(folder_).has_value());
    EXPECT_TRUE(is_in(RunState::cancelled));
}

TEST_F(LaunchTest, ADeafEngineIsTerminated) {
    use("deaf");
    EngineProcess engine = start();
    ASSERT_TRUE(eventually([&] { return is_in(RunState::running); }));
    const Result<void> stopped = stop_run(folder_, {.patience = milliseconds(300)});
    EXPECT_TRUE(stopped.has_value()) << describe(stopped.error());
    EXPECT_TRUE(is_in(RunState::cancelled)) << "it ended in order";
    EXPECT_EQ(engine.wait(seconds(10)), 0);
}

TEST_F(LaunchTest, AStubbornEngineIsKilledOnlyWhenAsked) {
    use("stubborn");
    EngineProcess engine = start();
    ASSERT_TRUE(eventually([&] { return is_in(RunState::running); }));
    const Result<void> stopped = stop_run(folder_, {.patience = milliseconds(200)});
    ASSERT_FALSE(stopped.has_value());
    EXPECT_EQ(stopped.error().kind, ErrorKind::busy);
    EXPECT_FALSE(engine.poll());
    EXPECT_TRUE(stop_run(folder_, {.patience = milliseconds(200), .kill = true}).has_value());
    EXPECT_EQ(engine.wait(seconds(10)), 128 + SIGKILL);
    EXPECT_TRUE(is_in(RunState::lost));
}

// The run says running, but its pid has been given to another process since.
TEST_F(LaunchTest, AnotherProcessIsNeverSignalled) {
    {
        const auto run = writer();
        ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    }
    ASSERT_TRUE(is_in(RunState::running));  // by this very process
    {
        SQLite::Database store(folder_.database_file(), SQLite::OPEN_READWRITE);
        store.exec("UPDATE attempts SET start_time = start_time + 1");
    }
    EXPECT_TRUE(is_in(RunState::lost));
    EXPECT_TRUE(stop_run(folder_, {.patience = milliseconds(50), .kill = true}).has_value());
}

TEST_F(LaunchTest, AnEngineThatFailsAtOnceLeavesItsWords) {
    use("fails");
    EngineProcess engine = start();
    EXPECT_EQ(engine.wait(seconds(10)), 3);
    EXPECT_EQ(engine.poll(), 3) << "asked again";
    EXPECT_EQ(log_tail(folder_), "first line\nno memory for the model\n");
    EXPECT_EQ(log_tail(folder_, 30), "no memory for the model\n") << "whole lines only";
    EXPECT_TRUE(is_in(RunState::planned));
}

TEST_F(LaunchTest, AMissingEngineSaysWhereItWasLookedFor) {
    ::setenv("BRAID_ENGINE", "/nowhere/braid-engine", 1);
    EXPECT_EQ(find_engine().error().kind, ErrorKind::unavailable);
    EXPECT_EQ(find_engine().error().path, "/nowhere/braid-engine");
    EXPECT_EQ(start_run(folder_).error().kind, ErrorKind::unavailable);
    ::unsetenv("BRAID_ENGINE");
    const auto beside = find_engine();
    if (!beside) {
        EXPECT_TRUE(beside.error().path.ends_with("/tests/braid-engine")) << beside.error().path;
    }
    EXPECT_EQ(start_run(RunFolder(temporary_ / "nothing")).error().kind, ErrorKind::not_found);
    const auto unwritable = EngineProcess::start({.program = "/bin/true", .log_file = "/nowhere/x.log"});
    EXPECT_EQ(unwritable.error().kind, ErrorKind::not_found);
    EXPECT_EQ(unwritable.error().path, "/nowhere/x.log");
}

TEST_F(LaunchTest, ArgumentsAndEnvironmentArriveAsTheyAre) {
    const std::string log = temporary_ / "log";
    auto engine = EngineProcess::start({.program = "/bin/sh",
                                        .arguments = {"-c", "printf '%s|' \"$@\" \"$SOME_VALUE\" \"$PWD\"",
                                                      "sh", "two words", "", "qu'ote \"$HOME\""},
                                        .log_file = log,
                                        .working_folder = temporary_.path(),
                                        .environment = {{"SOME_VALUE", "x"}}});
    ASSERT_TRUE(engine.has_value());
    EXPECT_EQ(engine->wait(seconds(10)), 0);
    EXPECT_NE(read_text(log).find("two words||qu'ote \"$HOME\"|x|" + temporary_.path() + "|"),
              std::string::npos)
        << read_text(log);
}

TEST_F(LaunchTest, AStudyIsStartedWithItsProject) {
    const std::string project = temporary_ / "project";
    std::filesystem::create_directories(project + "/studies");
    auto study = start_study(project, "laziness");
    ASSERT_TRUE(study.has_value()) << describe(study.error());
    EXPECT_EQ(study->wait(seconds(10)), 0);
    EXPECT_EQ(read_text(project + "/studies/laziness.log"),
              "[study]\n[run]\n[laziness]\n[--project]\n[" + project + "]\n");
}

TEST_F(LaunchTest, TheQueueRunsSoManyAtATimeInOrder) {
    ::setenv("BRAID_FAKE_STEPS", "20", 1);
    const Project project = Project::create(temporary_ / "project", "queue").value();
    LocalQueue queue(2);
    std::vector<RunFolder> folders;
    for (int i = 0; i < 5; ++i) {
        folders.push_back(project.add_run(small_plan()).value());
        queue.add(folders.back());
        queue.add(folders.back());  // twice is once
    }
    EXPECT_EQ(queue.waiting(), 5);
    EXPECT_TRUE(queue.remove(folders[3]));
    EXPECT_FALSE(queue.remove(folders[3]));
    std::filesystem::remove(folders[2].plan_file());  // cannot be started
    std::vector<std::string> order;
    int most = 0;
    ASSERT_TRUE(eventually([&] {
        for (const QueueItem& item : queue.poll()) {
            if (item.state == QueueItem::State::running) order.push_back(item.folder.name());
            if (item.state == QueueItem::State::ended) {
                EXPECT_EQ(item.exit_code, 0);
            }
            if (item.state == QueueItem::State::failed_to_start) {
                EXPECT_EQ(item.folder, folders[2]);
                EXPECT_EQ(item.error->kind, ErrorKind::not_found);
            }
        }
        most = std::max(most, queue.running());
        return queue.waiting() == 0 && queue.running() == 0;
    }));
    EXPECT_EQ(most, 2);
    EXPECT_EQ(order, (std::vector<std::string>{folders[0].name(), folders[1].name(), folders[4].name()}));
    for (const int i : {0, 1, 4})
        EXPECT_EQ(read_run_status(folders[static_cast<std::size_t>(i)])->state, RunState::finished);
}

}  // namespace
}  // namespace braid
