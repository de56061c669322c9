// Crashes, full disks, foreign and damaged files, two at once.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <SQLiteCpp/SQLiteCpp.h>

#include <thread>

#include "tests/record/run_fixture.h"

namespace braid {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// An engine that writes until it is killed; tells through a pipe the last step that it knows to be committed.
class WritingProcess {
public:
    explicit WritingProcess(const RunFolder& folder) {
        int ends[2];
        if (::pipe(ends) != 0) std::abort();
        pid_ = ::fork();
        if (pid_ == 0) {
            ::close(ends[0]);
            work(folder, ends[1]);
        }
        ::close(ends[1]);
        pipe_ = ends[0];
    }
    ~WritingProcess() {
        if (pid_ > 0) kill();
        ::close(pipe_);
    }
    std::int64_t wait_for_step(std::int64_t step) {
        while (committed_ < step)
            if (::read(pipe_, &committed_, sizeof committed_) != sizeof committed_) return -1;
        return committed_;
    }
    // kill -9 without asking for the exit code: the process stays behind as a zombie.
    void kill() {
        ::kill(pid_, SIGKILL);
        siginfo_t info;
        ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
        std::int64_t committed = 0;
        while (::read(pipe_, &committed, sizeof committed) == sizeof committed) committed_ = committed;
    }
    void reap() {
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
    std::int64_t committed() const { return committed_; }
    pid_t pid() const { return pid_; }

private:
    [[noreturn]] static void work(const RunFolder& folder, int pipe) {
        Result<std::unique_ptr<RunWriter>> run = RunWriter::open(folder);
        if (!run || !(*run)->begin_attempt(std::nullopt)) ::_exit(1);
        for (std::int64_t step = 1;; ++step) {
            (*run)->append(Step(step), {{"loss", 1.0 / static_cast<double>(step)}, {"lr", 1e-3}});
            if (step % 100 != 0) continue;
            if (!(*run)->flush()) ::_exit(1);
            if (::write(pipe, &step, sizeof step) != sizeof step) ::_exit(1);
        }
    }
    pid_t pid_ = -1;
    int pipe_ = -1;
    std::int64_t committed_ = 0;
};

TEST_F(RunTest, AKilledEngineKeepsEveryCommittedRowAndIsLost) {
    WritingProcess engine(folder_);
    ASSERT_GE(engine.wait_for_step(1000), 1000);
    RunReader reader(folder_);
    EXPECT_EQ(reader.poll()->status.state, RunState::running);
    EXPECT_EQ(reader.latest()->status.process.pid, engine.pid());
    engine.kill();
    const auto start = Clock::now();
    while (reader.poll()->status.state != RunState::lost && Clock::now() - start < std::chrono::seconds(5))
        std::this_thread::sleep_for(milliseconds(1));
    const double took = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    std::printf("lost after %.1f ms (limit 2000), the process still a zombie\n", took);
    EXPECT_LT(took, 2000);
    EXPECT_NE(reader.latest()->status.message.find("resume"), std::string::npos);
    engine.reap();

    const auto snapshot = read();
    EXPECT_EQ(snapshot->status.state, RunState::lost);
    ASSERT_FALSE(snapshot->problem);
    const Series& loss = snapshot->series.at("loss");
    ASSERT_GE(loss.steps.back(), engine.committed());
    ASSERT_EQ(loss.size(), static_cast<std::size_t>(loss.steps.back()));
    for (std::size_t i = 0; i < loss.size(); ++i) ASSERT_EQ(loss.values[i], 1.0 / static_cast<double>(i + 1));
    EXPECT_EQ(snapshot->series.at("lr").size(), loss.size()) << "a step is committed whole";

    // It goes on in a second attempt.
    const auto next = writer();
    ASSERT_TRUE(next->begin_attempt(Step(500)).has_value());
    next->append(Step(501), {{"loss", 7}});
    ASSERT_TRUE(next->close(RunState::finished).has_value());
    EXPECT_EQ(read()->series.at("loss").size(), 501U);
    EXPECT_EQ(read()->status.attempt, AttemptNumber(2));
}

TEST_F(RunTest, ASecondEngineIsToldWhoTheFirstIs) {
    WritingProcess engine(folder_);
    ASSERT_GE(engine.wait_for_step(100), 100);
    const auto second = RunWriter::open(folder_);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().kind, ErrorKind::busy);
    EXPECT_NE(second.error().message.find("process " + std::to_string(engine.pid())), std::string::npos)
        << second.error().message;
    engine.kill();
    engine.reap();
    EXPECT_TRUE(RunWriter::open(folder_).has_value()) << "the kernel gives the lock of a dead engine back";
}

TEST_F(RunTest, ADamagedStoreHarmsNobodyElse) {
    {
        const auto run = writer();
        ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
        for (int step = 1; step <= 20'000; ++step) run->append(Step(step), {{"loss", 1}});
        ASSERT_TRUE(run->close(RunState::finished).has_value());
    }
    const std::string good = read_text(folder_.database_file());
    RunReader reader(folder_);
    EXPECT_EQ(reader.poll()->status.state, RunState::finished);

    for (const std::string& bad :
         {std::string(
              "not a database, but as long as a header needs to be for SQLite to look at it closely ......"),
          good.substr(0, 100), good.substr(0, good.size() / 2), std::string(4096, '\0')}) {
        std::filesystem::remove(folder_.database_file());
        write_text(folder_.database_file(), bad);
        const auto snapshot = RunReader(folder_).poll();
        ASSERT_TRUE(snapshot->problem.has_value()) << bad.size();
        EXPECT_EQ(snapshot->problem->kind, ErrorKind::corrupt) << describe(*snapshot->problem);
        EXPECT_FALSE(snapshot->problem->hint.empty());
        EXPECT_FALSE(read_run_status(folder_).has_value());
        const auto live = reader.poll();
        EXPECT_TRUE(live->problem.has_value());
        EXPECT_EQ(live, reader.poll()) << "the same problem is told once";
    }
    // A writer refuses it, too, and leaves it for whoever wants to rescue something.
    const std::string before = read_text(folder_.database_file());
    const auto refused = RunWriter::open(folder_);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind, ErrorKind::corrupt);
    EXPECT_EQ(read_text(folder_.database_file()), before);

    std::filesystem::remove(folder_.database_file());
    write_text(folder_.database_file(), good);
    EXPECT_FALSE(reader.poll()->problem);
    EXPECT_EQ(reader.latest()->series.at("loss").size(), 20'000U);
}

TEST_F(RunTest, OverwrittenPagesAreFoundOut) {
    {
        const auto run = writer();
        ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
        for (int step = 1; step <= 20'000; ++step) run->append(Step(step), {{"loss", 1}});
        ASSERT_TRUE(run->close(RunState::finished).has_value());
    }
    const int descriptor = ::open(folder_.database_file().c_str(), O_WRONLY);
    const std::string garbage(200'000, '\xA5');
    ASSERT_EQ(::pwrite(descriptor, garbage.data(), garbage.size(), 150'000),
              static_cast<ssize_t>(garbage.size()));
    ::close(descriptor);
    const auto snapshot = read();
    ASSERT_TRUE(snapshot->problem.has_value());
    EXPECT_EQ(snapshot->problem->kind, ErrorKind::corrupt);
}

TEST_F(RunTest, AForeignDatabaseIsNotTouched) {
    {
        SQLite::Database other(folder_.database_file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        other.exec("CREATE TABLE photos (id INTEGER)");
    }
    EXPECT_EQ(read()->problem->kind, ErrorKind::corrupt);
    EXPECT_EQ(RunWriter::open(folder_).error().kind, ErrorKind::corrupt);
    SQLite::Database other(folder_.database_file());
    EXPECT_TRUE(other.tableExists("photos"));
    EXPECT_FALSE(other.tableExists("samples"));
}

// A store whose table is a view that never ends must not hang its reader.
TEST_F(RunTest, AStoreThatWouldRunForEverIsRefused) {
    ASSERT_TRUE(writer()->begin_attempt(std::nullopt).has_value());
    {
        SQLite::Database store(folder_.database_file(), SQLite::OPEN_READWRITE);
        store.exec(
            "DROP VIEW curves; DROP TABLE samples; CREATE VIEW samples AS WITH RECURSIVE n(seq, attempt, "
            "step, "
            "metric, value) AS (SELECT 1,1,1,1,1 UNION ALL SELECT seq+1,1,1,1,1 FROM n) SELECT * FROM n");
    }
    EXPECT_EQ(read()->problem->kind, ErrorKind::corrupt);
}

// Rows wait in memory while nothing can be written, and none is lost once it can.
void fill_and_recover(RunWriter& run, const std::function<void()>& make_room) {
    ASSERT_TRUE(run.begin_attempt(std::nullopt).has_value());
    int step = 0;
    std::int64_t committed = 0;
    for (; step < 2'000'000 && !run.problem(); ++step) {
        run.append(Step(step + 1), {{"loss", 1}, {"lr", 2}, {"grad_norm", 3}});
        if (step % 1'000 != 0) continue;
        if (run.flush()) committed = step + 1;
    }
    ASSERT_TRUE(run.problem().has_value());
    EXPECT_EQ(run.problem()->kind, ErrorKind::no_space) << describe(*run.problem());
    EXPECT_FALSE(run.problem()->hint.empty());
    EXPECT_FALSE(run.flush().has_value());
    const auto full = RunReader(run.folder()).poll();
    EXPECT_FALSE(full->problem) << "what was committed can be read: " << describe(*full->problem);
    EXPECT_GE(static_cast<std::int64_t>(full->series.at("loss").size()), committed);
    for (int i = 0; i < 1'000; ++i) run.append(Step(++step), {{"loss", 1}});
    make_room();
    const Result<void> flushed = run.flush();
    ASSERT_TRUE(flushed.has_value()) << describe(flushed.error());
    EXPECT_FALSE(run.problem());
    const auto snapshot = RunReader(run.folder()).poll();
    ASSERT_EQ(snapshot->series.at("loss").size(), static_cast<std::size_t>(step));
    EXPECT_EQ(snapshot->series.at("loss").steps.back(), step);
}

TEST_F(RunTest, AFileLimitIsAFullDisk) {
    const auto run = writer();
    struct rlimit before {};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small { 1 << 20, before.rlim_max };
    ::setrlimit(RLIMIT_FSIZE, &small);
    fill_and_recover(*run, [&] { ::setrlimit(RLIMIT_FSIZE, &before); });
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, old_handler);
}

TEST_F(RunTest, AFullDiskKeepsWhatWasCommitted) {
    const std::string disk = temporary_ / "disk";
    std::filesystem::create_directories(disk);
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=2M") != 0)
        GTEST_SKIP() << "a small file system can only be mounted by root";
    {
        const std::string ballast = disk + "/ballast";
        write_text(ballast, std::string(800'000, 'x'));
        const Result<RunFolder> on_disk = create_run_folder(disk + "/run", small_plan());
        ASSERT_TRUE(on_disk.has_value());
        Result<std::unique_ptr<RunWriter>> run = RunWriter::open(*on_disk);
        ASSERT_TRUE(run.has_value()) << describe(run.error());
        fill_and_recover(**run, [&] {
            std::filesystem::remove(ballast);
            ::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=200M");
        });
        const Result<void> closed = (*run)->close(RunState::finished);
        EXPECT_TRUE(closed.has_value()) << describe(closed.error());
    }
    ::umount2(disk.c_str(), MNT_DETACH);
}

// More rows than may wait: the oldest are dropped, which is said in the run's events.
TEST_F(RunTest, DroppedRowsAreCounted) {
    const auto run = writer({.max_pending_rows = 1'000});
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    {
        SQLite::Database lock(folder_.database_file(), SQLite::OPEN_READWRITE);
        lock.exec("BEGIN IMMEDIATE");  // stands for any reason why a commit fails
        for (int step = 1; step <= 1'500; ++step) run->append(Step(step), {{"loss", 1}});
        EXPECT_FALSE(run->flush().has_value());
        EXPECT_EQ(run->problem()->kind, ErrorKind::busy);
        lock.exec("ROLLBACK");
    }
    ASSERT_TRUE(run->flush().has_value());
    const auto snapshot = read();
    EXPECT_EQ(snapshot->series.at("loss").size(), 1'000U);
    EXPECT_EQ(snapshot->series.at("loss").steps.back(), 1'500);
    ASSERT_FALSE(snapshot->events.empty());
    EXPECT_EQ(snapshot->events.back().kind, "warning/rows_dropped");
    EXPECT_NE(snapshot->events.back().message.find("500"), std::string::npos);
}

TEST_F(RunTest, AReadOnlyFolderIsReadAndRefusedForWriting) {
    {
        const auto run = writer();
        ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
        run->append(Step(1), {{"loss", 1}});
        ASSERT_TRUE(run->close(RunState::finished).has_value());
    }
    // Permissions do not bind root; a read-only mount does.
    std::filesystem::permissions(folder_.path(),
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    const bool is_root = ::geteuid() == 0;
    const std::string path = folder_.path();
    if (is_root && (::mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
                    ::mount(nullptr, path.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0))
        GTEST_SKIP() << "root writes everywhere, and a read-only mount cannot be made here";
    const auto snapshot = read();
    EXPECT_FALSE(snapshot->problem) << describe(*snapshot->problem);
    EXPECT_EQ(snapshot->series.at("loss").size(), 1U);
    const auto refused = RunWriter::open(folder_);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind, ErrorKind::permission) << describe(refused.error());
    if (is_root) ::umount2(path.c_str(), MNT_DETACH);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

TEST_F(RunTest, ARunThatDisappearsIsSaidOnce) {
    const auto run = writer();
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    run->append(Step(1), {{"loss", 1}});
    ASSERT_TRUE(run->close(RunState::finished).has_value());
    RunReader reader(folder_);
    reader.poll();
    std::filesystem::remove(folder_.database_file());
    const auto gone = reader.poll();
    ASSERT_TRUE(gone->problem.has_value());
    EXPECT_EQ(gone->problem->kind, ErrorKind::not_found);
    EXPECT_EQ(gone->series.at("loss").size(), 1U) << "what was read stays";
    EXPECT_EQ(reader.poll(), gone);
}

}  // namespace
}  // namespace braid
