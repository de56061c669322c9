// Writer and reader together.
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <mutex>
#include <thread>

#include "tests/record/run_fixture.h"

namespace braid {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

TEST_F(RunTest, WhatIsWrittenIsRead) {
    const auto run = writer();
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    constexpr double infinity = std::numeric_limits<double>::infinity();
    run->append(Step(1), {{"loss", 4.25}, {"lr", 1e-3}});
    run->append(Step(2), {{"loss", std::nan("")}, {"recall/far", 0.5}});
    run->append(Step(3), {{"loss", infinity}});
    run->append(Step(4), {{"loss", -infinity}});
    run->event(Step(2), LogLevel::warning, "warning/non_finite_loss", "the loss is NaN", {{"step", 2}});
    ASSERT_TRUE(run->checkpoint(Step(4), "checkpoints/step-00000004", 1234).has_value());
    ASSERT_TRUE(run->flush().has_value());

    const auto snapshot = read();
    EXPECT_FALSE(snapshot->problem);
    EXPECT_EQ(snapshot->status.state, RunState::running);
    EXPECT_EQ(snapshot->status.step, Step(4));
    EXPECT_EQ(snapshot->status.checkpoint, Step(4));
    EXPECT_EQ(snapshot->status.latest.at("lr"), 1e-3);
    EXPECT_EQ(snapshot->status.latest.at("loss"), -infinity);
    const Series& loss = snapshot->series.at("loss");
    ASSERT_EQ(loss.size(), 4U);
    EXPECT_EQ(loss.values[0], 4.25);
    EXPECT_TRUE(std::isnan(loss.values[1]));
    EXPECT_EQ(loss.values[2], infinity);
    EXPECT_EQ(loss.values[3], -infinity);
    EXPECT_EQ(steps_of("recall/far"), (std::vector<std::int64_t>{2}));
    ASSERT_EQ(snapshot->events.size(), 1U);
    EXPECT_EQ(snapshot->events[0].details["step"], 2);
    EXPECT_EQ(snapshot->events[0].level, LogLevel::warning);

    ASSERT_TRUE(run->close(RunState::finished, "done").has_value());
    const auto closed = read();
    EXPECT_EQ(closed->status.state, RunState::finished);
    EXPECT_EQ(closed->status.message, "done");
    EXPECT_FALSE(closed->status.ended.empty());
}

TEST_F(RunTest, ARunWithoutAStoreIsPlanned) {
    EXPECT_EQ(read()->status.state, RunState::planned);
    write_text(folder_.database_file(), "");  // SQLite made the file, nothing is in it yet
    EXPECT_EQ(read()->status.state, RunState::planned);
    EXPECT_FALSE(read()->problem);
}

// Each commit is a transaction: a reader that was open before sees it at its next poll, and snapshots that
// were handed out stay as they were.
TEST_F(RunTest, SnapshotsAreImmutableAndGrow) {
    RunReader reader(folder_);
    const auto planned = reader.poll();
    const auto run = writer();
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    std::vector<std::shared_ptr<const RunSnapshot>> snapshots;
    for (int step = 1; step <= 300; ++step) {
        run->append(Step(step), {{"loss", 1.0 / step}});
        ASSERT_TRUE(run->flush().has_value());
        snapshots.push_back(reader.poll());
    }
    EXPECT_EQ(planned->status.state, RunState::planned);
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
        const Series& loss = snapshots[i]->series.at("loss");
        ASSERT_EQ(loss.size(), i + 1);
        for (std::size_t k = 0; k <= i; ++k) ASSERT_EQ(loss.values[k], 1.0 / static_cast<double>(k + 1));
        EXPECT_EQ(snapshots[i]->generation, snapshots[0]->generation);
        EXPECT_GT(snapshots[i]->revision, planned->revision);
    }
    EXPECT_EQ(reader.poll(), snapshots.back()) << "nothing new, no new snapshot";
}

// What a view does: it reads a snapshot on its own thread while the reader thread goes on.
TEST_F(RunTest, AViewReadsWhileTheReaderGoesOn) {
    const auto run = writer({.commit_interval = milliseconds(1)});
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    std::mutex mutex;
    std::shared_ptr<const RunSnapshot> handed_over;
    std::atomic<bool> stop{false};
    std::thread reader_thread([&] {
        RunReader reader(folder_);
        while (!stop) {
            auto snapshot = reader.poll();
            const std::scoped_lock held(mutex);
            handed_over = std::move(snapshot);
        }
    });
    std::thread view([&] {
        while (!stop) {
            std::shared_ptr<const RunSnapshot> shown;
            {
                const std::scoped_lock held(mutex);
                shown = handed_over;
            }
            if (!shown || !shown->series.contains("loss")) continue;
            const Series& loss = shown->series.at("loss");
            double sum = 0;
            for (const double value : loss.values) sum += value;
            EXPECT_EQ(sum, static_cast<double>(loss.size()));
            for (const RunEvent& event : shown->events) EXPECT_FALSE(event.message.empty());
        }
    });
    int step = 0;
    for (int round = 0; round < 60; ++round) {
        for (int i = 0; i < 50; ++i) run->append(Step(++step), {{"loss", 1}});
        run->event(Step(step), LogLevel::info, "log", "round " + std::to_string(round));
        std::this_thread::sleep_for(milliseconds(3));
        if (round % 20 == 19) {
            ASSERT_TRUE(run->begin_attempt(Step(step / 2)).has_value());
            step /= 2;
        }
    }
    stop = true;
    reader_thread.join();
    view.join();
}

TEST_F(RunTest, AResumeSupersedesTheRowsAfterItsCheckpoint) {
    RunReader live(folder_);
    {
        const auto run = writer();
        ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
        for (int step = 1; step <= 10; ++step) run->append(Step(step), {{"loss", 1.0}});
        ASSERT_TRUE(run->checkpoint(Step(6), "checkpoints/step-00000006", 1).has_value());
        ASSERT_TRUE(run->checkpoint(Step(9), "checkpoints/step-00000009", 1).has_value());
    }
    const auto before = live.poll();
    EXPECT_EQ(before->series.at("loss").size(), 10U);
    EXPECT_EQ(before->status.checkpoint, Step(9));
    const auto run = writer();
    EXPECT_EQ(run->last_checkpoint()->step, Step(9));
    // From 6, as if the later checkpoint had been damaged.
    EXPECT_EQ(run->begin_attempt(Step(6)).value(), AttemptNumber(2));
    const auto resumed = live.poll();
    EXPECT_EQ(resumed->series.at("loss").size(), 6U);
    EXPECT_GT(resumed->generation, before->generation);
    EXPECT_EQ(resumed->status.step, Step(6));
    EXPECT_EQ(resumed->status.checkpoint, Step(6));
    EXPECT_EQ(resumed->attempts.size(), 2U);
    for (int step = 5; step <= 12; ++step) run->append(Step(step), {{"loss", 2.0}});
    EXPECT_EQ(run->refused_rows(), 2) << "steps 5 and 6 lie before the resume";
    ASSERT_TRUE(run->flush().has_value());
    for (const auto& snapshot : {live.poll(), read()}) {
        const Series& loss = snapshot->series.at("loss");
        ASSERT_EQ(loss.size(), 12U);
        for (std::size_t i = 0; i < 12; ++i) {
            EXPECT_EQ(loss.steps[i], static_cast<std::int64_t>(i + 1));
            EXPECT_EQ(loss.values[i], i < 6 ? 1.0 : 2.0);
        }
        EXPECT_EQ(snapshot->status.latest.at("loss"), 2.0);
    }
    EXPECT_EQ(before->series.at("loss").size(), 10U) << "what was handed out does not change";
}

TEST_F(RunTest, StartingAnewSupersedesEverything) {
    for (const double value : {1.0, 2.0, 3.0}) {
        const auto run = writer();
        ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
        for (int step = 0; step <= 5; ++step) run->append(Step(step), {{"loss", value}});
        ASSERT_TRUE(run->flush().has_value());
        const auto snapshot = read();
        ASSERT_EQ(snapshot->series.at("loss").size(), 6U);
        for (const double shown : snapshot->series.at("loss").values) EXPECT_EQ(shown, value);
    }
}

// Attempts 1: 0-10, 2: from 4 to 7, 3: from 6 to 9; whatever order they are read in, one row a step.
TEST_F(RunTest, SupersededRowsAreNeverDoubled) {
    const std::vector<std::tuple<std::optional<Step>, int, double>> attempts = {
        {std::nullopt, 10, 1}, {Step(4), 7, 2}, {Step(6), 9, 3}};
    for (const auto& [from, to, value] : attempts) {
        const auto run = writer();
        ASSERT_TRUE(run->begin_attempt(from).has_value());
        for (int step = static_cast<int>(from.value_or(Step(0)).value) + 1; step <= to; ++step)
            run->append(Step(step), {{"loss", value}});
    }
    const auto snapshot = read();
    EXPECT_EQ(steps_of("loss"), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
    const std::vector<double> expected = {1, 1, 1, 1, 2, 2, 3, 3, 3};
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), snapshot->series.at("loss").values.begin()));
}

TEST_F(RunTest, StepsThatDoNotGrowAreRefused) {
    const auto run = writer();
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    run->append(Step(5), {{"loss", 1}, {"lr", 1}});
    run->append(Step(5), {{"loss", 2}, {"grad_norm", 3}});
    run->append(Step(4), {{"loss", 3}});
    ASSERT_TRUE(run->flush().has_value());
    EXPECT_EQ(run->refused_rows(), 2);
    const auto snapshot = read();
    EXPECT_EQ(snapshot->series.at("loss").values[0], 1);
    EXPECT_EQ(snapshot->series.at("grad_norm").size(), 1U);
}

TEST_F(RunTest, CommandsAreAcknowledgedAtOnce) {
    const auto run = writer();
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    const std::string id = post_command(folder_, "pause").value();
    const auto start = Clock::now();
    for (const InboxCommand& command : take_commands(folder_).commands) {
        run->command_received(command);
        run->command_acknowledged(command.id);
    }
    RunReader reader(folder_);
    const auto acknowledged = [&] {
        const auto snapshot = reader.poll();
        return !snapshot->commands.empty() && !snapshot->commands[0].acknowledged.empty();
    };
    while (!acknowledged() && Clock::now() - start < std::chrono::seconds(5))
        std::this_thread::sleep_for(milliseconds(1));
    const auto took = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    std::printf("acknowledgement visible after %.1f ms (limit 200)\n", took);
    EXPECT_LT(took, 200);
    EXPECT_EQ(reader.latest()->commands[0].id, id);
    EXPECT_TRUE(reader.latest()->commands[0].done.empty());
    run->command_done(id, "paused after step 7");
    ASSERT_TRUE(run->flush().has_value());
    EXPECT_EQ(reader.poll()->commands[0].answer, "paused after step 7");
}

TEST_F(RunTest, RowsAreCommittedWithinTheInterval) {
    const auto run = writer();
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    RunReader reader(folder_);
    double slowest = 0;
    for (int step = 1; step <= 5; ++step) {
        const auto start = Clock::now();
        run->append(Step(step), {{"loss", 1}});
        while (reader.poll()->status.step < Step(step) && Clock::now() - start < std::chrono::seconds(5))
            std::this_thread::sleep_for(milliseconds(1));
        slowest = std::max(slowest, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    std::printf("a committed step is readable after %.0f ms at most (limit 1000)\n", slowest);
    EXPECT_LT(slowest, 1000);
}

TEST_F(RunTest, WritesAtLeast150kRowsASecond) {
    const auto run = writer();
    constexpr int steps = 60'000;
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    // CPU time of all threads decides: other tests share the machine.
    const std::clock_t cpu_start = std::clock();
    const auto start = Clock::now();
    for (int step = 1; step <= steps; ++step) {
        const double x = step;
        run->append(Step(step), {{"loss", 1 / x},
                                 {"lr", 1e-3},
                                 {"grad_norm", x},
                                 {"tokens", 4096 * x},
                                 {"tokens_per_s", 1e5 + x},
                                 {"time_s", x / 10}});
    }
    const double appended = std::chrono::duration<double>(Clock::now() - start).count();
    ASSERT_TRUE(run->flush().has_value());
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const double cpu_seconds = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    const auto reading = Clock::now();
    const auto snapshot = read();
    const double read_seconds = std::chrono::duration<double>(Clock::now() - reading).count();
    const double rate = 6 * steps / cpu_seconds;
    std::printf(
        "%.0f rows a second of CPU (limit 150000), %.0f of wall time; %.2f us a step of six metrics in the "
        "training loop; %.0f rows/s read\n",
        rate, 6 * steps / seconds, 1e6 * appended / steps, 6 * steps / read_seconds);
    EXPECT_GE(rate, 150'000);
    EXPECT_EQ(snapshot->series.at("loss").size(), static_cast<std::size_t>(steps));
}

// A reader that polls all the time never sees an error and never stops the writer.
TEST_F(RunTest, ReadersNeverLockTheWriterOut) {
    const auto run = writer({.commit_interval = milliseconds(1)});
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    std::atomic<bool> stop{false};
    std::atomic<int> problems{0};
    std::atomic<int> went_back{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i)
        readers.emplace_back([&] {
            RunReader reader(folder_);
            std::size_t seen = 0;
            while (!stop) {
                const auto snapshot = reader.poll();
                if (snapshot->problem) ++problems;
                const auto loss = snapshot->series.find("loss");
                const std::size_t size = loss == snapshot->series.end() ? 0 : loss->second.size();
                if (size < seen) ++went_back;
                seen = size;
            }
        });
    const auto end = Clock::now() + milliseconds(700);
    int step = 0;
    while (Clock::now() < end) {
        for (int i = 0; i < 50; ++i) run->append(Step(++step), {{"loss", 1}, {"lr", 2}});
        std::this_thread::sleep_for(milliseconds(1));
        ASSERT_FALSE(run->problem()) << describe(*run->problem());
    }
    ASSERT_TRUE(run->close(RunState::finished).has_value());
    stop = true;
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(problems, 0);
    EXPECT_EQ(went_back, 0);
    EXPECT_EQ(read()->series.at("loss").size(), static_cast<std::size_t>(step));
}

TEST_F(RunTest, AClosedRunIsOneFileThatCanBeCopied) {
    const auto run = writer();
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    for (int step = 1; step <= 1000; ++step) run->append(Step(step), {{"loss", 1}});
    ASSERT_TRUE(run->close(RunState::finished).has_value());
    EXPECT_FALSE(std::filesystem::exists(folder_.database_file() + "-wal"));
    const std::string copy = temporary_ / "copied";
    std::filesystem::create_directories(copy);
    std::filesystem::copy_file(folder_.plan_file(), copy + "/plan.json");
    std::filesystem::copy_file(folder_.database_file(), copy + "/run.db");
    const auto snapshot = RunReader(RunFolder(copy)).poll();
    EXPECT_EQ(snapshot->status.state, RunState::finished);
    EXPECT_EQ(snapshot->series.at("loss").size(), 1000U);
}

// With somebody watching, too, run.db is complete: the log is written back and cut.
TEST_F(RunTest, AClosedRunIsCompleteWhileItIsWatched) {
    RunReader watching(folder_);
    const auto run = writer();
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    run->append(Step(1), {{"loss", 1}});
    ASSERT_TRUE(run->flush().has_value());
    watching.poll();
    for (int step = 2; step <= 1000; ++step) run->append(Step(step), {{"loss", 1}});
    ASSERT_TRUE(run->close(RunState::finished).has_value());
    const std::string copy = temporary_ / "copied";
    std::filesystem::create_directories(copy);
    std::filesystem::copy_file(folder_.database_file(), copy + "/run.db");
    EXPECT_EQ(RunReader(RunFolder(copy)).poll()->series.at("loss").size(), 1000U);
    EXPECT_EQ(watching.poll()->status.state, RunState::finished);
    EXPECT_EQ(watching.poll()->series.at("loss").size(), 1000U);
}

TEST_F(RunTest, ACallAfterCloseIsAnErrorNotACrash) {
    const auto run = writer();
    ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
    ASSERT_TRUE(run->close(RunState::finished).has_value());
    EXPECT_FALSE(run->flush().has_value());
    EXPECT_FALSE(run->close(RunState::failed).has_value());
}

}  // namespace
}  // namespace braid
