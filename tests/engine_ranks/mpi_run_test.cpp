// Runs of several ranks on the CPU as a user starts them: mpirun -n 2 braid-engine train ...
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>

#include "core/record/run_reader.h"
#include "tests/app_engine/program.h"

namespace braid::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

class MpiRun : public ::testing::Test {
protected:
    void SetUp() override {
        if (!fs::exists(mpirun) ||
            !fs::exists(fs::path(engine_program()).parent_path().parent_path() / "lib/libbraid_mpi.so"))
            GTEST_SKIP() << "no mpirun, or built without it (Debian: libopenmpi-dev openmpi-bin)";
    }

    Call call(std::vector<std::string> words) const {
        return {.arguments = std::move(words),
                .folder = place_.path(""),
                .environment = {{"XDG_DATA_HOME", place_.path("daten")}, {"OMP_NUM_THREADS", "1"}}};
    }
    // `ranks` processes of braid-engine.
    Call ranks(int count, std::vector<std::string> words) const {
        std::vector<std::string> all = {"--allow-run-as-root", "--oversubscribe", "-n", std::to_string(count),
                                        engine_program()};
        all.insert(all.end(), words.begin(), words.end());
        Call made = call(std::move(all));
        made.program = mpirun;
        // No network, and no busy waiting on few cores.
        made.environment["OMPI_MCA_btl"] = "self,vader";
        made.environment["OMPI_MCA_mpi_yield_when_idle"] = "1";
        made.environment["OMPI_MCA_rmaps_base_oversubscribe"] = "1";
        return made;
    }

    std::vector<std::string> small(int steps, std::vector<std::string> more = {}) const {
        std::vector<std::string> words{"train", "FS[w=4] x1", "--data", "recall",    "--device",
                                       "cpu",   "--seed",     "3",      "--context", "64"};
        for (const std::string& setting :
             {"steps=" + std::to_string(steps), std::string("batch=4"), std::string("micro_batches=2"),
              std::string("evaluate_every=20"), std::string("checkpoint_every=20"), std::string("threads=1"),
              std::string("warmup_steps=0")}) {
            words.emplace_back("--set");
            words.push_back(setting);
        }
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }

    static std::shared_ptr<const RunSnapshot> read(const std::string& folder) {
        return RunReader(RunFolder(folder)).poll();
    }

    static std::vector<double> losses(const std::string& folder) {
        std::vector<double> values;
        const auto snapshot = read(folder);
        const auto found = snapshot->series.find("loss");
        if (found != snapshot->series.end())
            for (std::size_t i = 0; i < found->second.size(); ++i) values.push_back(found->second.values[i]);
        return values;
    }

    std::string wait_for_run(int step) const {
        std::string folder;
        EXPECT_TRUE(within(std::chrono::seconds(40), [&] {
            std::error_code ignored;
            for (const auto& entry :
                 fs::directory_iterator(place_.path("daten/braid/projects/default/runs"), ignored))
                folder = entry.path().string();
            return !folder.empty() && fs::exists(folder + "/run.db") &&
                   read(folder)->status.step.value >= step;
        }));
        return folder;
    }

    static constexpr const char* mpirun = "/usr/bin/mpirun";
    const Workplace place_;
};

TEST_F(MpiRun, TwoRanksTrainWhatOneTrainsAndOneGoesOnWithTheirCheckpoint) {
    const Finished alone = run(call(small(50)));
    ASSERT_EQ(alone.code, 0) << alone.all();
    const Finished both = run(ranks(2, small(50)));
    ASSERT_EQ(both.code, 0) << both.all();
    const std::string folder = both.last_json()["folder"];
    EXPECT_THAT(both.err, HasSubstr("trains on 2 ranks, cpu each, sums by OpenMPI"));
    const std::vector<double> one = losses(alone.last_json()["folder"]), two = losses(folder);
    ASSERT_EQ(one.size(), 50U);
    ASSERT_EQ(two.size(), 50U);
    double worst = 0;
    for (std::size_t i = 0; i < one.size(); ++i) worst = std::max(worst, std::abs(two[i] / one[i] - 1));
    std::printf("    2 ranks against 1: loss differs by at most %.1e over 50 steps\n", worst);
    EXPECT_LT(worst, 1e-3);
    for (const char* metric : {"recall/near", "recall/far"})
        EXPECT_NEAR(both.last_json()["metrics"][metric].get<double>(),
                    alone.last_json()["metrics"][metric].get<double>(), 0.02);

    // The checkpoint of two ranks knows nothing of ranks.
    std::ifstream file(folder + "/plan.json");
    Json plan = Json::parse(file);
    plan["training"]["steps"] = 60;
    plan["training"]["decay_fraction"] = 0.0;
    std::ofstream(folder + "/plan.json") << plan;
    const Finished resumed = run(call({"train", folder}));
    ASSERT_EQ(resumed.code, 0) << resumed.all();
    EXPECT_THAT(resumed.err, HasSubstr("goes on from the checkpoint at step 50"));
    EXPECT_EQ(losses(folder).size(), 60U);
    // And two ranks go on with that of one.
    plan["training"]["steps"] = 70;
    std::ofstream(folder + "/plan.json") << plan;
    const Finished again = run(ranks(2, {"train", folder}));
    ASSERT_EQ(again.code, 0) << again.all();
    EXPECT_THAT(again.err, HasSubstr("goes on from the checkpoint at step 60"));
    EXPECT_EQ(losses(folder).size(), 70U);
}

TEST_F(MpiRun, CommandsHoldForAllRanks) {
    Started started = start(ranks(2, small(100'000)));
    const std::string folder = wait_for_run(3);
    const auto command = [&](const char* kind) {
        const Finished answered = run(call({"run", kind, folder}));
        EXPECT_EQ(answered.code, 0) << answered.all();
    };
    command("pause");
    EXPECT_TRUE(
        within(std::chrono::seconds(10), [&] { return read(folder)->status.state == RunState::paused; }));
    const auto step = read(folder)->status.step;
    command("checkpoint");
    ::usleep(300'000);
    EXPECT_EQ(read(folder)->status.step, step) << "paused";
    command("resume");
    EXPECT_TRUE(within(std::chrono::seconds(10), [&] { return read(folder)->status.step > step; }));
    command("stop");
    const Finished ended = started.wait();
    EXPECT_NE(ended.code, 0);
    const auto after = read(folder);
    EXPECT_EQ(after->status.state, RunState::cancelled) << ended.all();
    EXPECT_TRUE(fs::exists(RunFolder(folder).checkpoint_folder(after->status.step) + "/state.json"))
        << "the work is saved";
}

TEST_F(MpiRun, AKilledRankFailsTheRunAtOnceAndItCanBeResumed) {
    Started started = start(ranks(2, small(100'000)));
    const std::string folder = wait_for_run(25);
    const auto first = read(folder)->status.process.pid;
    // Rank 1: the other child of mpirun.
    pid_t victim = 0;
    std::ifstream children("/proc/" + std::to_string(started.pid()) + "/task/" +
                           std::to_string(started.pid()) + "/children");
    for (pid_t child = 0; children >> child;)
        if (child != first) victim = child;
    ASSERT_GT(victim, 0);
    const auto begin = Clock::now();
    ::kill(victim, SIGKILL);
    const Finished ended = started.wait(std::chrono::seconds(30));
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    std::printf("    all ended %.2f s after rank 1 was killed\n", seconds);
    EXPECT_NE(ended.code, 0);
    const auto after = read(folder);
    EXPECT_EQ(after->status.state, RunState::failed) << ended.all();
    EXPECT_THAT(after->status.message, HasSubstr("rank 1 (process " + std::to_string(victim)));
    EXPECT_THAT(after->status.message, HasSubstr("ended without a word"));
    EXPECT_THAT(after->status.message, HasSubstr("the last good checkpoint is step"));

    std::ifstream file(folder + "/plan.json");
    Json plan = Json::parse(file);
    plan["training"]["steps"] = after->status.step.value + 10;
    std::ofstream(folder + "/plan.json") << plan;
    const Finished resumed = run(call({"train", folder}));
    ASSERT_EQ(resumed.code, 0) << resumed.all();
    EXPECT_THAT(resumed.err, HasSubstr("goes on from the checkpoint at step"));
}

TEST_F(MpiRun, WhatIsWrongIsSaidOnce) {
    const auto count = [](const std::string& text, const std::string& word) {
        std::size_t n = 0;
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
        return n;
    };
    const Finished indivisible = run(ranks(3, small(5)));
    EXPECT_NE(indivisible.code, 0);
    EXPECT_EQ(count(indivisible.err, "must divide by micro_batches x ranks"), 1U) << indivisible.all();
    const Finished invalid = run(ranks(2, {"train", "FZ x2", "--data", "recall"}));
    EXPECT_NE(invalid.code, 0);
    EXPECT_EQ(count(invalid.err, "braid-engine: "), 1U) << invalid.all();

    Call half = call(small(5));
    half.environment["RANK"] = "0";
    half.environment["WORLD_SIZE"] = "2";
    const Finished incomplete = run(half);
    EXPECT_EQ(incomplete.code, 2) << incomplete.all();
    EXPECT_THAT(incomplete.err, HasSubstr("MASTER_ADDR"));

    const Finished gpus = run(call({"train", "F x1", "--gpus", "2", "--device", "cpu"}));
    EXPECT_EQ(gpus.code, 2);
    EXPECT_THAT(gpus.err, HasSubstr("gpus: must be 1 on the CPU"));
    if (!fs::exists("/dev/nvidiactl")) {
        const Finished none = run(call({"train", "F x1", "--gpus", "2", "--device", "cuda"}));
        EXPECT_EQ(none.code, 1);
        EXPECT_THAT(none.err, HasSubstr("the run wants 2 GPUs, there are 0"));
    }
}

}  // namespace
}  // namespace braid::testing
