// What is written for Slurm, and what is read of its commands' output. Its real programs: tests/slurm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/launch/command.h"
#include "core/launch/slurm_script.h"
#include "core/launch/slurm_text.h"

namespace braid {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

JobArray small_array() {
    return {.name = "braid-main-1-0a1b2c",
            .folder = "/data/it's \"mine\" 50%/jobs",
            .tasks = 12,
            .command = {"/opt/braid engine", "study", "work", "main", "--task"}};
}

TEST(SlurmScript, HasWhatTheSettingsSay) {
    JobArray array = small_array();
    array.settings.values.set("partition", std::string("gpu"));
    array.settings.values.set("time", std::string("1-12"));
    array.settings.values.set("memory", std::string("64G"));
    array.settings.values.set("gpus_per_job", std::int64_t{2});
    array.settings.values.set("at_once", std::int64_t{4});
    array.settings.sbatch = {"--constraint=h100"};
    array.settings.setup = {"module load cuda"};
    const std::string script = slurm_script(array).value();
    EXPECT_TRUE(script.starts_with("#!/bin/bash\n#SBATCH "));
    for (const char* line :
         {"#SBATCH --array=0-11%4\n", "#SBATCH --partition=\"gpu\"\n", "#SBATCH --time=\"1-12\"\n",
          "#SBATCH --mem=\"64G\"\n", "#SBATCH --gres=gpu:2\n", "#SBATCH --constraint=h100\n",
          "#SBATCH --requeue\n", "#SBATCH --signal=B:USR1@120\n",
          "#SBATCH --chdir=\"/data/it's \\\"mine\\\" 50%/jobs\"\n", "\nmodule load cuda\n",
          "\nexec '/opt/braid engine' study work main --task \"$SLURM_ARRAY_TASK_ID\"\n"})
        EXPECT_THAT(script, HasSubstr(line));
    EXPECT_LT(script.find("module load"), script.find("exec "));
    EXPECT_LT(script.rfind("#SBATCH"), script.find("module load"))
        << "sbatch stops reading at the first command";
}

TEST(SlurmScript, AsksForNothingThatNobodySaid) {
    const std::string script = slurm_script(small_array()).value();
    for (const char* part : {"--partition", "--account", "--qos", "--time", "--mem", "--gres", "%4"})
        EXPECT_THAT(script, Not(HasSubstr(part)));
}

TEST(SlurmScript, RefusesWhatWouldBecomeAnotherLine) {
    JobArray array = small_array();
    array.folder = "/data/a\nb";
    array.settings.values.set("partition", std::string("gpu\n#SBATCH --exclusive"));
    array.settings.values.set("time", std::string("soon"));
    array.settings.values.set("memory", std::string("much"));
    array.settings.sbatch = {"constraint=h100"};
    array.settings.setup = {"a\nb"};
    const Checked<std::string> script = slurm_script(array);
    ASSERT_FALSE(script);
    EXPECT_EQ(script.error().size(), 6U) << to_error(script.error()).message;
}

TEST(ClusterSettings, AreReadWithEveryProblemNamed) {
    const auto read = [](const char* text) { return cluster_settings_from_json(Json::parse(text)); };
    // As version 1 wrote it.
    const auto settings = read(R"({"schema_version": 1, "partition": "gpu", "account": "lab", "qos": "long",
        "time": "12:00:00", "memory": "64G", "gpus_per_job": 1, "cpus_per_job": 8, "at_once": 10,
        "warn_before": 300, "sbatch": ["--constraint=h100"], "setup": ["module load cuda"]})");
    ASSERT_TRUE(settings) << to_error(settings.error()).message;
    EXPECT_EQ(settings->integer("cpus_per_job"), 8);
    EXPECT_EQ(settings->text("qos"), "long");
    EXPECT_EQ(cluster_settings_from_json(to_json(*settings)).value(), *settings);
    const auto bad = read(R"({"schema_version": 1, "time": 3, "gpus_per_job": 65, "cpus_per_job": "x",
                              "sbatch": [1], "queue": "gpu"})");
    ASSERT_FALSE(bad);
    const std::string problems = to_error(bad.error()).message;
    for (const char* part : {"sbatch: must be a list of texts", "queue: is not a known key"})
        EXPECT_THAT(problems, HasSubstr(part));
    const auto limits = read(R"({"schema_version": 1, "time": 3, "gpus_per_job": 65, "cpus_per_job": "x"})");
    ASSERT_FALSE(limits);
    EXPECT_EQ(limits.error().size(), 3U) << to_error(limits.error()).message;
    EXPECT_THAT(to_error(read(R"({"schema_version": 2})").error()).message, HasSubstr("newer Braid"));
    for (const char* time : {"90", "90:00", "2:00:00", "1-12", "1-12:30:00", "infinite"})
        EXPECT_TRUE(read((std::string(R"({"schema_version": 1, "time": ")") + time + "\"}").c_str())) << time;
    for (const char* time : {"1h", "-1", "1:", "1--2", "1:2-3", "1::2", "1:2:3:4", " 1"})
        EXPECT_FALSE(read((std::string(R"({"schema_version": 1, "time": ")") + time + "\"}").c_str()))
            << time;
}

TEST(SlurmText, ReadsTheQueue) {
    const auto tasks = parse_squeue(
        "12|0|RUNNING|node1|None\n12|1|PENDING||(Resources, or so | more)\n  12|2|CANCELLED||None \n"
        "12|3|NODE_FAIL|node2|None\r\n12|4|OUT_OF_MEMORY|node2|None\n12|5|NEW_STATE|n|x\n");
    ASSERT_EQ(tasks.size(), 6U);
    EXPECT_EQ(tasks[0].phase, TaskPhase::working);
    EXPECT_EQ(tasks[0].node, "node1");
    EXPECT_EQ(tasks[0].reason, "");
    EXPECT_EQ(tasks[1].phase, TaskPhase::waiting);
    EXPECT_EQ(tasks[1].reason, "(Resources, or so | more)");
    EXPECT_EQ(tasks[2].phase, TaskPhase::stopped);
    EXPECT_EQ(tasks[3].phase, TaskPhase::lost);
    EXPECT_EQ(tasks[4].phase, TaskPhase::failed);
    EXPECT_EQ(tasks[5].phase, TaskPhase::working) << "a state of a newer Slurm ends nothing";
}

TEST(SlurmText, LeavesOutWhatIsNoTask) {
    for (const char* text :
         {"", "\n\n", "hello", "12|N/A|RUNNING|n|r", "x|1|RUNNING|n|r", "12|-1|RUNNING|n|r", "12|1||n|r",
          "|||||||", "12|99999999999999999999|RUNNING|n|r", "0|1|RUNNING|n|r", "12|1|RUNNING", "\x00\xff|"})
        EXPECT_TRUE(parse_squeue(text).empty()) << text;
    for (const char* text : {"", "12|COMPLETED|n", "12_[3-5]|PENDING|n", "12_1.batch|COMPLETED|n", "12_1||n",
                             "_1|A|n", "12_x|COMPLETED|n", "12_1|COMPLETED"})
        EXPECT_TRUE(parse_sacct(text).empty()) << text;
}

TEST(SlurmText, ReadsTheAccounting) {
    const auto tasks =
        parse_sacct("12_[3-5%2]|PENDING|None assigned\n12_1|CANCELLED by 1000|node1\n12_2|TIMEOUT|node2\n");
    ASSERT_EQ(tasks.size(), 2U);
    EXPECT_EQ(tasks[0].phase, TaskPhase::stopped);
    EXPECT_EQ(tasks[1].phase, TaskPhase::lost);
    EXPECT_EQ(tasks[1].task, 2);
}

TEST(SlurmText, ReadsTheAnswerOfSbatch) {
    EXPECT_EQ(parse_sbatch("4711\n"), "4711");
    EXPECT_EQ(parse_sbatch("4711;cluster\n"), "4711");
    EXPECT_EQ(parse_sbatch("Welcome to 3 clusters\n\n4711\n"), "4711");
    for (const char* text : {"", "\n", "Submitted batch job 4711", "-1", "0", "4711x", ";4711"})
        EXPECT_EQ(parse_sbatch(text), std::nullopt) << text;
}

TEST(SlurmText, SaysWhatToDoAboutARefusal) {
    EXPECT_THAT(hint_for_refusal("sbatch: error: invalid partition specified: nope"), HasSubstr("sinfo -s"));
    EXPECT_THAT(hint_for_refusal("Unable to contact slurm controller (connect failure)"),
                HasSubstr("scontrol ping"));
    EXPECT_THAT(hint_for_refusal(
                    "AssocMaxSubmitJobLimit: Job violates accounting/QOS policy (job submit limit, ...)"),
                HasSubstr("--only"));
    EXPECT_THAT(hint_for_refusal("Requested node configuration is not available"),
                HasSubstr("--gpus-per-job"));
    EXPECT_THAT(hint_for_refusal("something new"), HasSubstr("cluster.json"));
}

TEST(Command, KeepsBothOutputsAndTheCode) {
    const auto result = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"});
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_EQ(result->code, 3);
    EXPECT_EQ(result->out, "out\n");
    EXPECT_EQ(result->err, "err\n");
    EXPECT_EQ(run_command({"sh", "-c", "kill -9 $$"})->code, 137);
    EXPECT_EQ(run_command({"sh", "-c", "yes | head -c 300000"})->out.size(), 300'000U);
    EXPECT_EQ(run_command({"there-is-no-such-program"}).error().kind, ErrorKind::unavailable);
    const auto late = run_command({"sh", "-c", "sleep 60"}, std::chrono::milliseconds(100));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().kind, ErrorKind::busy);
    EXPECT_THAT(late.error().path, HasSubstr("'sleep 60'"));
}

}  // namespace
}  // namespace braid
