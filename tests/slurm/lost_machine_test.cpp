// A job that is started again after its machine is gone: its runs still say that they are being trained
// there.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "core/record/project.h"
#include "core/record/run_reader.h"
#include "core/record/study_jobs.h"
#include "tests/app_engine/program.h"

namespace braid::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(LostMachine, ItsRunGoesOnFromTheCheckpointElsewhere) {
    const Workplace place;
    const Project project = Project::create(place.path("p"), "Lost").value();
    std::ofstream(place.path("p/studies/one.json")) << R"({"schema_version": 2, "name": "one", "title": "One",
        "training": {"schema_version": 2, "context": 32, "batch": 32, "warmup_steps": 5, "steps": 300,
                     "evaluate_every": 0, "checkpoint_every": 20, "device": "cpu"},
        "data": {"kind": "recall", "parameters": {"keys": 8, "values": 4, "asked": 2, "near": 8}},
        "variants": [{"label": "Full", "pattern": "F x2", "scale": "tiny"}],
        "measure": {"metric": "loss", "threshold": 0}})";
    const auto call = [&](std::vector<std::string> words) {
        words.insert(words.end(), {"--project", place.path("p")});
        return Call{.arguments = std::move(words), .environment = {{"XDG_DATA_HOME", place.path("data")}}};
    };
    const Json shown = run(call({"study", "show", "one", "--json"})).json();
    const std::string key = shown["points"][0]["key"].get<std::string>();
    ASSERT_TRUE(write_study_jobs(place.path("p"), "one",
                                 {.submissions = {{.number = 1,
                                                   .scheduler = "slurm",
                                                   .name = "braid-one-1-0a1b2c",
                                                   .job = "4711",
                                                   .device = "cpu",
                                                   .over = true,
                                                   .tasks = {{key}}}}}));
    const std::vector<std::string> work = {"study", "work", "one", "--submission", "1", "--task", "0"};
    Started first = start(call(work));
    std::optional<RunFolder> folder;
    ASSERT_TRUE(within(60s, [&] {
        const std::vector<RunEntry> runs = project.runs();
        if (!runs.empty()) folder = runs[0].folder;
        return folder && runs[0].status.checkpoint && runs[0].status.checkpoint->value >= 40;
    }));
    const pid_t engine = static_cast<pid_t>(read_run_status(*folder)->process.pid);
    first.signal(SIGKILL);
    ::kill(engine, SIGKILL);
    first.wait();
    ASSERT_TRUE(within(10s, [&] { return read_run_status(*folder)->state == RunState::lost; }));
    SQLite::Database(folder->database_file(), SQLite::OPEN_READWRITE)
        .exec("UPDATE attempts SET host = 'node-that-burnt', boot_id = 'another'");
    ASSERT_EQ(read_run_status(*folder)->state, RunState::running) << "nobody can look there";

    // Anybody else waits for it; the job that has the point knows better.
    const Finished done = run(call(work), 100s);
    EXPECT_EQ(done.code, 0) << done.all();
    const auto after = RunReader(*folder).poll();
    EXPECT_EQ(after->status.state, RunState::finished);
    ASSERT_EQ(after->attempts.size(), 2U);
    EXPECT_GE(after->attempts[1].from.value, 40);
    EXPECT_EQ(project.runs().size(), 1U);

    const Finished wrong = run(call({"study", "work", "one", "--submission", "2", "--task", "0"}));
    EXPECT_EQ(wrong.code, 2) << wrong.all();
    EXPECT_THAT(wrong.err, HasSubstr("no such submission or task"));
}

}  // namespace
}  // namespace braid::testing
