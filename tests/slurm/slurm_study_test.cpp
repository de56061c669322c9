// Studies as jobs of a cluster: submitted, watched, interrupted in every way, and never trained twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "core/record/run_reader.h"
#include "core/record/study_jobs.h"
#include "tests/slurm/slurm_cluster.h"

namespace braid::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

class SlurmStudy : public ::testing::Test {
protected:
    static void SetUpTestSuite() { cluster_ = SlurmCluster::start(why_); }
    static void TearDownTestSuite() { cluster_.reset(); }
    void SetUp() override {
        if (!cluster_) GTEST_SKIP() << why_;
        std::ofstream(place_.path("project.json")) << R"({"schema_version": 1, "title": "Cluster"})";
        fs::create_directories(place_.path("studies"));
        study_ = Json::parse(R"({"schema_version": 2, "name": "grid", "title": "Grid",
            "training": {"schema_version": 2, "context": 32, "batch": 32, "warmup_steps": 5,
                         "evaluate_every": 0, "checkpoint_every": 20, "device": "cpu"},
            "data": {"kind": "recall", "parameters": {"keys": 8, "values": 4, "asked": 2, "near": 8}},
            "variants": [{"label": "Full", "pattern": "F"}, {"label": "Window", "pattern": "S[w=4]F"}],
            "scales": [{"name": "a", "sizes": {"layers": 2, "d_model": 16, "ffn_width": 24, "heads": 2,
                        "kv_heads": 1, "head_dim": 8, "vocab": 64}}],
            "budgets": [4, 8], "measure": {"metric": "loss", "threshold": 0}})");
    }
    void TearDown() override {
        if (!cluster_) return;
        cluster_->call("scancel", {"--me"});
        within(20s, [] { return cluster_->call("squeue", {"--noheader"}).out.empty(); });
    }

    void write_study() const { std::ofstream(place_.path("studies/grid.json")) << study_; }
    // Two runs of one variant each, `budget` tokens a parameter: 100 take some seconds.
    void make_long(double budget) {
        study_["budgets"] = {budget};
        write_study();
    }
    Call call(std::vector<std::string> words) const {
        Call made{
            .arguments = std::move(words), .folder = place_.path(""), .environment = cluster_->environment()};
        made.environment["XDG_DATA_HOME"] = place_.path("data");
        return made;
    }
    Finished engine(std::vector<std::string> words) const { return run(call(std::move(words)), 100s); }
    Finished must(std::vector<std::string> words) const {
        Finished done = engine(std::move(words));
        EXPECT_EQ(done.code, 0) << done.all() << logs();
        return done;
    }
    Json submit() const {
        return must({"study", "run", "grid", "--on", "slurm", "--detach", "--json"}).json();
    }
    std::string logs() const {
        std::string text;
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(place_.path("jobs"), ignored))
            if (entry.path().extension() == ".log") {
                std::ifstream file(entry.path());
                text += entry.path().filename().string() + ":\n" +
                        std::string((std::istreambuf_iterator<char>(file)), {});
            }
        return text;
    }
    std::vector<std::shared_ptr<const RunSnapshot>> runs() const {
        std::vector<std::shared_ptr<const RunSnapshot>> found;
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(place_.path("runs"), ignored))
            found.push_back(RunReader(RunFolder(entry.path().string())).poll());
        return found;
    }
    // Until both runs have trained so far.
    bool wait_for_step(std::int64_t step, std::size_t count = 2) const {
        return within(60s, [&] {
            const auto all = runs();
            return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& run) {
                       return run->status.step.value >= step;
                   })) >= count;
        });
    }
    StudyJobs jobs() const { return read_study_jobs(place_.path(""), "grid").value(); }
    // Every step of every run once, whatever happened on the way.
    void expect_whole() const {
        for (const auto& run : runs()) {
            EXPECT_EQ(run->status.state, RunState::finished) << run->status.message << logs();
            const Series& loss = run->series.at("loss");
            EXPECT_EQ(static_cast<std::int64_t>(loss.size()), run->status.step.value);
            for (std::size_t i = 1; i < loss.size(); ++i) ASSERT_EQ(loss.steps[i], loss.steps[i - 1] + 1);
        }
    }

    Workplace place_;
    Json study_;
    static inline std::unique_ptr<SlurmCluster> cluster_;
    static inline std::string why_;
};

TEST_F(SlurmStudy, IsTrainedWithItsBranchesAndScoresAndNothingTwice) {
    study_["data"] = {{"kind", "niah"}};
    study_["training"]["context"] = 64;
    study_["training"]["batch"] = 16;
    study_["evaluations"] = {"niah --samples 2 --depths 2"};
    write_study();
    const Finished done =
        must({"study", "run", "grid", "--on", "slurm", "--remember", "--time", "10", "--json"});
    EXPECT_EQ(done.json()["states"]["finished"], 4) << done.all();
    EXPECT_THAT(done.err, HasSubstr("4 runs submitted as job "));
    EXPECT_THAT(done.err, HasSubstr("in 2 tasks")) << "a budget waits for the one it branches from";
    expect_whole();
    std::size_t branches = 0;
    const Json shown = must({"study", "show", "grid", "--json"}).json();
    for (const Json& point : shown["points"]) {
        const Json plan = Json::parse(std::ifstream(point["folder"].get<std::string>() + "/plan.json"));
        branches += plan.contains("branch_from") ? 1 : 0;
    }
    EXPECT_EQ(branches, 2U);
    EXPECT_THAT(must({"study", "export", "grid"}).out, HasSubstr("score/niah/"));
    EXPECT_TRUE(jobs().open().empty());

    const Finished again = must({"study", "run", "grid", "--on", "slurm"});
    EXPECT_THAT(again.err, Not(HasSubstr("submitted"))) << "nothing is missing";
    const Json kept = Json::parse(std::ifstream(place_.path("cluster.json")));
    EXPECT_EQ(kept["time"], "10");
}

TEST_F(SlurmStudy, SurvivesTheLossOfANode) {
    make_long(100);
    ASSERT_EQ(submit()["jobs"].size(), 1U);
    ASSERT_TRUE(wait_for_step(20)) << logs();
    const Finished here = engine({"study", "run", "grid"});
    EXPECT_EQ(here.code, 1) << "its points are the cluster's: " << here.all();
    EXPECT_THAT(here.err, HasSubstr("jobs of a cluster train this study"));

    cluster_->kill_node("node1", SlurmCluster::Loss::node);
    const Finished done = must({"study", "run", "grid", "--on", "slurm", "--json"});
    EXPECT_THAT(done.err, HasSubstr("2 runs are submitted already"));
    EXPECT_EQ(done.json()["states"]["finished"], 2) << done.all();
    EXPECT_TRUE(cluster_->start_node("node1"));
    expect_whole();
    EXPECT_EQ(runs().size(), 2U);
    std::int64_t resumed = 0;
    for (const auto& run : runs())
        for (const Attempt& attempt : run->attempts) resumed += attempt.from.value > 0 ? 1 : 0;
    EXPECT_GE(resumed, 1) << "went on from its checkpoint";
}

TEST_F(SlurmStudy, AnEngineThatOutlivesItsNodeDaemonIsNotTrainedBesides) {
    make_long(100);
    submit();
    ASSERT_TRUE(wait_for_step(20)) << logs();
    cluster_->kill_node("node1", SlurmCluster::Loss::daemon);
    const Finished done = must({"study", "run", "grid", "--on", "slurm", "--json"});
    EXPECT_EQ(done.json()["states"]["finished"], 2) << done.all();
    EXPECT_TRUE(cluster_->start_node("node1"));
    expect_whole();
    EXPECT_EQ(runs().size(), 2U);
}

TEST_F(SlurmStudy, GoesOnFromTheCheckpointWhenItIsQueuedAgain) {
    make_long(100);
    const std::string job = submit()["jobs"][0].get<std::string>();
    ASSERT_TRUE(wait_for_step(20)) << logs();
    // One by its administrator, the other because its time is nearly over.
    EXPECT_EQ(cluster_->call("scontrol", {"requeue", job + "_0"}).code, 0);
    EXPECT_EQ(cluster_->call("scancel", {"--batch", "--signal=USR1", job + "_1"}).code, 0);
    const Finished done = must({"study", "run", "grid", "--on", "slurm", "--json"});
    EXPECT_EQ(done.json()["states"]["finished"], 2) << done.all();
    EXPECT_THAT(logs(), HasSubstr("the time is nearly over; the work is saved"));
    expect_whole();
    for (const auto& run : runs()) {
        ASSERT_EQ(run->attempts.size(), 2U);
        EXPECT_GE(run->attempts[1].from.value, 20) << "nothing was lost";
    }
}

TEST_F(SlurmStudy, IsDetachedFromStoppedAndGoesOnHere) {
    make_long(100);
    Started watching = start(call({"study", "run", "grid", "--on", "slurm"}));
    ASSERT_TRUE(wait_for_step(20)) << logs();
    watching.signal(SIGINT);
    const Finished detached = watching.wait();
    EXPECT_EQ(detached.code, 130);
    EXPECT_THAT(detached.err, HasSubstr("no longer watched; jobs "));
    EXPECT_THAT(detached.err, HasSubstr("study stop grid"));
    EXPECT_EQ(jobs().open().size(), 1U);

    const Finished stopped = must({"study", "stop", "grid"});
    EXPECT_THAT(stopped.out, HasSubstr("is told to end"));
    ASSERT_TRUE(within(30s, [] { return cluster_->call("squeue", {"--noheader"}).out.empty(); }));
    for (const auto& run : runs()) {
        EXPECT_EQ(run->status.state, RunState::cancelled) << run->status.message;
        EXPECT_EQ(run->status.checkpoint, run->status.step) << "the work is saved";
    }
    const Finished here = must({"study", "run", "grid", "--json"});
    EXPECT_EQ(here.json()["states"]["finished"], 2) << here.all();
    expect_whole();
    EXPECT_EQ(runs().size(), 2U);
}

TEST_F(SlurmStudy, ARefusalLosesNothing) {
    write_study();
    const Finished refused = engine({"study", "run", "grid", "--on", "slurm", "--partition", "nowhere"});
    EXPECT_EQ(refused.code, 1) << refused.all();
    for (const char* part : {"Slurm refuses. sbatch --parsable ", "invalid partition specified: nowhere",
                             "sinfo -s", "the runs are planned in the project"})
        EXPECT_THAT(refused.err, HasSubstr(part));
    EXPECT_TRUE(jobs().submissions.empty());
    EXPECT_EQ(runs().size(), 4U);
    const Finished bad =
        engine({"study", "run", "grid", "--on", "slurm", "--time", "soon", "--cpus-per-job", "0"});
    EXPECT_EQ(bad.code, 2) << bad.all();
    EXPECT_THAT(bad.err, HasSubstr("--cpus-per-job"));
    EXPECT_EQ(engine({"study", "run", "grid", "--partition", "main"}).code, 2) << "without --on slurm";

    Call absent = call({"study", "run", "grid", "--on", "slurm"});
    absent.environment["PATH"] = "/nowhere";
    const Finished missing = run(absent);
    EXPECT_EQ(missing.code, 1);
    EXPECT_THAT(missing.err, HasSubstr("there is no sbatch on this machine"));
    EXPECT_THAT(missing.err, HasSubstr("login node"));

    Call silent = call({"study", "run", "grid", "--on", "slurm"});
    std::ifstream conf(silent.environment["SLURM_CONF"]);
    std::string text((std::istreambuf_iterator<char>(conf)), {});
    const std::size_t port = text.find("SlurmctldPort=");
    text.replace(port, text.find('\n', port) - port, "SlurmctldPort=1\nMessageTimeout=2");
    std::ofstream(place_.path("silent.conf")) << text;
    silent.environment["SLURM_CONF"] = place_.path("silent.conf");
    const Finished alone = run(silent, 60s);
    EXPECT_EQ(alone.code, 1);
    EXPECT_THAT(alone.err, HasSubstr("nable to contact slurm controller"));
    EXPECT_THAT(alone.err, HasSubstr("scontrol ping"));

    // What was planned is trained here.
    EXPECT_EQ(must({"study", "run", "grid", "--json"}).json()["states"]["finished"], 4);
    EXPECT_EQ(runs().size(), 4U);
    expect_whole();
}

}  // namespace
}  // namespace braid::testing
