// Runs as a user makes and breaks them.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <fstream>

#include "core/base/npy.h"
#include "tests/app_engine/program.h"

namespace braid::testing {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

class Training : public ::testing::Test {
protected:
    // The default project in a data folder of our own.
    Call call(std::vector<std::string> words) const {
        return {.arguments = std::move(words),
                .folder = place_.path(""),
                .environment = {{"XDG_DATA_HOME", place_.path("daten")}}};
    }
    Finished engine(std::vector<std::string> words) const { return run(call(std::move(words))); }

    // A small run of `steps` steps; more words may follow.
    std::vector<std::string> small(int steps, std::vector<std::string> more = {}) const {
        std::vector<std::string> words{"train",    "FS[w=4] x1", "--data", "recall",
                                       "--device", "cpu",        "--seed", "3"};
        for (const std::string& setting :
             {"steps=" + std::to_string(steps), std::string("batch=4"), std::string("evaluate_every=10"),
              std::string("checkpoint_every=10"), std::string("threads=1"), std::string("warmup_steps=0")}) {
            words.push_back("--set");
            words.push_back(setting);
        }
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }

    Json show(const std::string& id) const { return engine({"run", "show", id, "--json"}).json(); }
    std::string runs_folder() const { return place_.path("daten/braid/projects/default/runs"); }

    // The folder of the only run, as soon as it has trained some steps.
    std::string wait_for_run(int step) const {
        std::string folder;
        EXPECT_TRUE(within(std::chrono::seconds(40), [&] {
            std::error_code ignored;
            for (const auto& entry : fs::directory_iterator(runs_folder(), ignored))
                folder = entry.path().string();
            return !folder.empty() && fs::exists(folder + "/run.db") &&
                   show(folder)["status"].value("step", 0) >= step;
        }));
        return folder;
    }

    const Workplace place_;
};

TEST_F(Training, TrainsAndSaysWhatCameOut) {
    const auto begin = Clock::now();
    const Finished trained = engine(small(20, {"--name", "mein Lauf"}));
    ASSERT_EQ(trained.code, 0) << trained.all();
    std::printf("train of 20 steps: %.2f s\n", std::chrono::duration<double>(Clock::now() - begin).count());
    const Json last = trained.last_json();
    for (const char* key : {"run", "folder", "state", "tokens", "loss", "tokens_per_s", "seconds"})
        EXPECT_TRUE(last.contains(key)) << key;
    EXPECT_EQ(last["tokens"], 20 * 4 * 128);
    EXPECT_NE(trained.err.find("default project"), std::string::npos) << trained.err;
    const std::string id = last["run"];

    const Json listed = engine({"run", "list", "--json"}).json();
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0]["id"], id);
    EXPECT_EQ(listed[0]["status"]["state"], "finished");
    EXPECT_EQ(show(id)["plan"]["name"], "mein Lauf");

    const Finished csv = engine({"run", "metrics", id, "loss", "recall/far"});
    EXPECT_EQ(csv.code, 0);
    EXPECT_TRUE(csv.out.starts_with("step,loss,recall/far\n1,")) << csv.out.substr(0, 60);
    EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 21);
    const Finished unknown = engine({"run", "metrics", id, "lss", "rcall"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_NE(unknown.err.find("lss"), std::string::npos);
    EXPECT_NE(unknown.err.find("rcall"), std::string::npos);
    EXPECT_EQ(engine({"run", "metrics", id, "--json"}).json()["series"]["loss"]["value"].size(), 20U);
    EXPECT_NE(engine({"run", "tail", id, "-n", "3"}).out.find("step 20"), std::string::npos);

    EXPECT_EQ(engine({"run", "pause", id}).code, 1) << "nothing works on it";
    EXPECT_EQ(engine({"run", "rm", id}).code, 0);
    EXPECT_EQ(engine({"run", "list", "--json"}).json().size(), 0U);
}

TEST_F(Training, AKilledRunIsLostAndGoesOnWithoutDoubledSteps) {
    Started started = start(call(small(400)));
    const std::string folder = wait_for_run(12);
    started.signal(SIGKILL);
    EXPECT_EQ(started.wait().code, 128 + SIGKILL);
    const Json lost = show(folder);
    EXPECT_EQ(lost["status"]["state"], "lost") << lost["status"];
    const int rows = lost["status"]["step"];
    EXPECT_GE(rows, 12) << "committed rows stay";

    // Only the plan's length is changed, so that the test ends soon: as the plan of a shorter run.
    std::ifstream file(folder + "/plan.json");
    Json plan = Json::parse(file);
    plan["training"]["steps"] = rows + 10;
    std::ofstream(folder + "/plan.json") << plan;
    const Finished resumed = engine({"train", folder});
    ASSERT_EQ(resumed.code, 0) << resumed.all();
    const Json after = show(folder);
    EXPECT_EQ(after["status"]["state"], "finished");
    EXPECT_EQ(after["attempts"].size(), 2U);
    EXPECT_EQ(after["attempts"][1]["from"].get<int>() % 10, 0) << "from a checkpoint";
    const Json loss = engine({"run", "metrics", folder, "loss", "--json"}).json()["series"]["loss"];
    ASSERT_EQ(loss["step"].size(), static_cast<std::size_t>(rows + 10));
    for (std::size_t i = 0; i < loss["step"].size(); ++i) EXPECT_EQ(loss["step"][i], i + 1);
}

// What other software needs to train the same: the weights of step 0 and the batches.
TEST_F(Training, WeightsAndBatchesForOtherSoftware) {
    const Finished trained = engine(small(5, {"--set", "trace_checkpoints=2"}));
    ASSERT_EQ(trained.code, 0) << trained.all();
    const std::string id = trained.last_json()["run"];
    const Finished written =
        engine({"run", "batches", id, "--steps", "3", "--out", place_.path("three.npy"), "--json"});
    ASSERT_EQ(written.code, 0) << written.all();
    EXPECT_EQ(written.json()["shape"], (std::vector<int>{3, 2, 4, 128}));
    const auto three = read_npy_integers(place_.path("three.npy"));
    ASSERT_TRUE(three) << describe(three.error());
    EXPECT_EQ(three->shape, (std::vector<std::int64_t>{3, 2, 4, 128}));
    for (std::size_t t = 0; t + 1 < 128; ++t)
        EXPECT_EQ(three->values[4 * 128 + t], three->values[t + 1]) << "a target is the next token";
    // The rest begins where three steps are done, and the whole is both.
    EXPECT_EQ(engine({"run", "batches", id, "--first", "3", "--out", place_.path("rest.npy")}).code, 0);
    EXPECT_EQ(engine({"run", "batches", id, "--out", place_.path("all.npy")}).code, 0);
    std::vector<std::int64_t> joined = three->values;
    const std::vector<std::int64_t> rest = read_npy_integers(place_.path("rest.npy"))->values;
    joined.insert(joined.end(), rest.begin(), rest.end());
    EXPECT_EQ(read_npy_integers(place_.path("all.npy"))->values, joined);
    EXPECT_EQ(engine({"run", "batches", id, "--first", "5", "--out", place_.path("none.npy")}).code, 2);
    EXPECT_EQ(engine({"run", "batches", id, "--steps", "6", "--out", place_.path("none.npy")}).code, 2);
    EXPECT_FALSE(fs::exists(place_.path("none.npy")));
    EXPECT_EQ(engine({"export", "safetensors", id + "@0", place_.path("start")}).code, 0);
}

TEST_F(Training, SignalsSaveAndEndWith130) {
    Started started = start(call(small(100'000)));
    const std::string folder = wait_for_run(3);
    started.signal(SIGINT);
    const Finished ended = started.wait();
    EXPECT_EQ(ended.code, 130) << ended.all();
    EXPECT_EQ(ended.last_json()["state"], "cancelled");
    const Json shown = show(folder);
    EXPECT_EQ(shown["status"]["state"], "cancelled");
    EXPECT_EQ(shown["status"]["checkpoint"], shown["status"]["step"]) << "the work is saved";
}

TEST_F(Training, ADetachedRunObeysWithin200Milliseconds) {
    const Finished detached = engine(small(100'000, {"--detach"}));
    ASSERT_EQ(detached.code, 0) << detached.all();
    const std::string id = detached.last_json()["run"];
    const std::string folder = wait_for_run(3);
    for (const char* kind : {"pause", "checkpoint", "resume", "stop"}) {
        const Finished answered = engine({"run", kind, id, "--json"});
        ASSERT_EQ(answered.code, 0) << kind << answered.all();
        const double ms = answered.json()[0]["acknowledged_ms"];
        std::printf("run %s acknowledged after %.0f ms\n", kind, ms);
        EXPECT_LT(ms, 200) << kind;
    }
    EXPECT_TRUE(within(std::chrono::seconds(20), [&] { return show(id)["status"]["state"] == "cancelled"; }));
    EXPECT_GT(fs::file_size(folder + "/engine.log"), 0U);
}

TEST_F(Training, ALiveRunIsExportedWholeAndTheCopyGoesOn) {
    const Finished detached = engine(small(100'000, {"--detach"}));
    ASSERT_EQ(detached.code, 0) << detached.all();
    const std::string id = detached.last_json()["run"];
    wait_for_run(25);
    const Finished exported = engine({"run", "export", id, "--out", place_.path("kopie"), "--json"});
    ASSERT_EQ(exported.code, 0) << exported.all();
    EXPECT_EQ(exported.json()["status"]["state"], "cancelled");
    EXPECT_EQ(show(id)["status"]["state"], "running");
    EXPECT_EQ(engine({"run", "stop", id}).code, 0);
    const Json copy = show(place_.path("kopie"));
    EXPECT_GE(copy["status"]["step"], 20);
    EXPECT_EQ(engine({"run", "export", id, "--out", place_.path("kopie")}).code, 1)
        << "nothing is overwritten";
    // Its plan is the same; it trains on from the copied checkpoint, in its own folder.
    const Call again = call({"train", place_.path("kopie")});
    Started going = start(again);
    EXPECT_TRUE(within(std::chrono::seconds(40), [&] {
        return show(place_.path("kopie"))["status"]["step"].get<int>() >
               copy["status"]["step"].get<int>() + 5;
    }));
    going.signal(SIGINT);
    EXPECT_EQ(going.wait().code, 130);
}

TEST_F(Training, ASecondEngineIsBusyAndNamesTheFirst) {
    const Finished detached = engine(small(100'000, {"--detach"}));
    ASSERT_EQ(detached.code, 0) << detached.all();
    const Json last = detached.last_json();
    wait_for_run(1);
    const Finished second = engine({"train", last["folder"]});
    EXPECT_EQ(second.code, 1);
    EXPECT_NE(second.err.find(std::to_string(last["pid"].get<int>())), std::string::npos) << second.err;
    EXPECT_EQ(engine({"run", "rm", last["run"]}).code, 1) << "a run that works is not removed";
    EXPECT_EQ(engine({"run", "stop", last["run"]}).code, 0);
}

TEST_F(Training, ACorruptDatabaseIsNamed) {
    const Finished trained = engine(small(5));
    ASSERT_EQ(trained.code, 0) << trained.all();
    const std::string folder = trained.last_json()["folder"];
    for (const char* name : {"/run.db-wal", "/run.db-shm"}) fs::remove(folder + name);
    std::ofstream(folder + "/run.db", std::ios::binary) << std::string(8192, 'x');
    const Finished again = engine({"train", folder});
    EXPECT_EQ(again.code, 2);
    EXPECT_NE(again.err.find("run.db"), std::string::npos) << again.err;
    EXPECT_EQ(engine({"run", "show", folder}).code, 2);
    EXPECT_EQ(engine({"run", "list"}).code, 0) << "the list is not harmed";
    const Finished set = engine({"train", folder, "--set", "steps=9", "--seed", "7"});
    EXPECT_EQ(set.code, 2);
    for (const char* option : {"--set: is for a new run", "--seed: is for a new run"})
        EXPECT_NE(set.err.find(option), std::string::npos) << set.err;
    fs::remove(folder + "/run.db");
    ASSERT_EQ(::mkfifo((folder + "/run.db").c_str(), 0600), 0);
    EXPECT_EQ(engine({"run", "list"}).code, 0) << "nobody waits for a pipe";
    EXPECT_EQ(engine({"run", "show", folder}).code, 2);
    EXPECT_EQ(engine({"train", folder}).code, 2);
    std::ofstream(folder + "/plan.json") << "{}";
    const std::string listed = engine({"run", "list"}).out;
    EXPECT_GT(listed.find("plan.json"), listed.find("broken")) << listed;
    EXPECT_EQ(std::count(listed.begin(), listed.end(), '\n'), 2) << "a run is a line\n" << listed;
}

TEST_F(Training, ARefusedKernelLeavesNoRunAndAResumeCanChooseAnother) {
    const Finished refused = engine(small(5, {"--set", "kernels.recurrence=hopper"}));
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("kernels.recurrence: must be auto or reference on the CPU, got hopper"),
              std::string::npos)
        << refused.all();
    EXPECT_FALSE(fs::exists(runs_folder()));
    const Finished stopped = engine(small(100'000, {"--detach"}));
    ASSERT_EQ(stopped.code, 0) << stopped.all();
    const std::string run = stopped.last_json()["run"];
    wait_for_run(1);
    EXPECT_EQ(engine({"run", "stop", run}).code, 0);
    EXPECT_EQ(engine({"run", "resume", run, "--set", "steps=7"}).code, 2)
        << "that would train something else";
    EXPECT_EQ(engine({"run", "resume", run, "--set", "kernels.attention=reference"}).code, 0);
    wait_for_run(2);
    EXPECT_EQ(engine({"run", "stop", run}).code, 0);
}

TEST_F(Training, ACheckpointWhoseStateCannotBeReadIsPassedOverAndOneOfAnotherPlanIsKept) {
    const Finished trained = engine(small(20));
    ASSERT_EQ(trained.code, 0) << trained.all();
    const std::string folder = trained.last_json()["folder"], last = folder + "/checkpoints/step-00000020";
    fs::resize_file(last + "/state.json", 100);
    const Finished again = engine({"train", folder});
    EXPECT_EQ(again.code, 0) << again.all();
    EXPECT_NE(again.err.find("step 20 is passed over"), std::string::npos) << again.err;
    std::ifstream file(folder + "/plan.json");
    Json plan = Json::parse(file);
    plan["architecture"]["ffn_width"] = 96;
    std::ofstream(folder + "/plan.json") << plan;
    const auto written = fs::last_write_time(last + "/model.safetensors");
    const Finished other = engine({"train", folder});
    EXPECT_EQ(other.code, 2) << other.all();
    EXPECT_NE(other.err.find("another architecture than the plan's"), std::string::npos) << other.err;
    EXPECT_EQ(fs::last_write_time(last + "/model.safetensors"), written) << "nothing is trained over";
}

TEST_F(Training, ATruncatedCheckpointIsPassedOver) {
    const Finished trained = engine(small(20));
    ASSERT_EQ(trained.code, 0) << trained.all();
    const std::string folder = trained.last_json()["folder"];
    fs::resize_file(folder + "/checkpoints/step-00000020/model.safetensors", 100);
    const Finished again = engine({"train", folder});
    EXPECT_EQ(again.code, 0) << again.all();
    EXPECT_NE(again.err.find("step 20 is passed over"), std::string::npos) << again.err;
    EXPECT_NE(again.err.find("step 10"), std::string::npos) << again.err;
}

TEST_F(Training, TrainsOnACorpusOfText) {
    std::ofstream(place_.path("text.txt")) << [] {
        std::string text;
        for (int i = 0; i < 4'000; ++i) text += "Zeile " + std::to_string(i) + ": the quick brown fox.\n";
        return text;
    }();
    std::ofstream(place_.path("notes.jsonl")) << "{\"text\": \"one\"}\nbroken\n{\"text\": \"two\"}\n";
    const Finished built = engine({"corpus", "build", place_.path("text.txt"), place_.path("notes.jsonl"),
                                   "--out", place_.path("korpus"), "--json"});
    ASSERT_EQ(built.code, 0) << built.all();
    EXPECT_EQ(engine({"corpus", "show", place_.path("korpus"), "--verify"}).code, 0);
    const Finished trained =
        engine({"train", "FS[w=8] x1", "--data", place_.path("korpus"), "--context", "64", "--set", "batch=2",
                "--set", "steps=4", "--set", "threads=1", "--device", "cpu"});
    ASSERT_EQ(trained.code, 0) << trained.all();
    EXPECT_TRUE(trained.last_json()["metrics"].contains("eval/loss")) << trained.out;
    // For other software: where each token's document begins, if they do not see each other.
    const std::string apart =
        engine({"train", "FS[w=8] x1", "--data", place_.path("korpus"), "--context", "64", "--set", "batch=2",
                "--set", "steps=2", "--set", "data.separate=true", "--set", "threads=1", "--device", "cpu"})
            .last_json()["run"];
    EXPECT_EQ(engine({"run", "batches", apart, "--out", place_.path("apart.npy")}).code, 0);
    const auto batches = read_npy_integers(place_.path("apart.npy"));
    ASSERT_TRUE(batches) << describe(batches.error());
    ASSERT_EQ(batches->shape, (std::vector<std::int64_t>{2, 3, 2, 64}));
    for (std::size_t t = 0, step = 3 * 2 * 64, begin = 2 * 2 * 64; t < 64; ++t) {
        const std::int64_t start = batches->values[step + begin + t];
        ASSERT_LE(start, std::int64_t(t));
        EXPECT_EQ(batches->values[step + begin + std::size_t(start)], start) << "a document has one start";
    }
    const Finished large = engine({"train", "FS[w=8] x1", "--data", place_.path("korpus"), "--context", "64",
                                   "--set", "batch=100000", "--set", "steps=4", "--device", "cpu"});
    EXPECT_EQ(large.code, 2);
    EXPECT_NE(large.err.find("training.batch: must be at most"), std::string::npos) << large.err;
}

TEST_F(Training, TrainsATokenizerACorpusWithItAndAModelOnThat) {
    std::ofstream(place_.path("text.txt")) << [] {
        std::string text;
        for (int i = 0; i < 4'000; ++i)
            text += "Zeile " + std::to_string(i * 7919 % 4'001) + ": the quick brown fox.\n";
        return text;
    }();
    const std::string model = place_.path("own.model");
    const Finished made =
        engine({"tokenizer", "train", place_.path("text.txt"), "--vocab", "290", "--out", model, "--json"});
    ASSERT_EQ(made.code, 0) << made.all();
    const Finished encoded = engine({"tokenizer", "encode", model, "the gr\xC3\xBCn fox", "--json"});
    ASSERT_EQ(encoded.code, 0) << encoded.all();
    EXPECT_NE(encoded.out.find("\"exact\": true"), std::string::npos) << encoded.out;
    EXPECT_EQ(engine({"tokenizer", "show", model}).code, 0);
    EXPECT_EQ(engine({"tokenizer", "show", place_.path("text.txt")}).code, 2);
    const Finished built = engine({"corpus", "build", place_.path("text.txt"), "--tokenizer", model, "--out",
                                   place_.path("korpus"), "--json"});
    ASSERT_EQ(built.code, 0) << built.all();
    const Finished trained =
        engine({"train", "FS[w=8] x1", "--data", place_.path("korpus"), "--context", "64", "--set", "batch=2",
                "--set", "steps=4", "--set", "threads=1", "--device", "cpu"});
    ASSERT_EQ(trained.code, 0) << trained.all();
    const Finished small =
        engine({"train", "FS[w=8] x1", "--vocab", "289", "--data", place_.path("korpus"), "--context", "64",
                "--set", "batch=2", "--set", "steps=4", "--device", "cpu"});
    EXPECT_EQ(small.code, 2);
    EXPECT_NE(small.err.find("vocab: must be at least 290"), std::string::npos) << small.err;
}

TEST_F(Training, EveryTaskTrains) {
    for (const char* task : {"mqar", "niah", "copy", "induction", "babi"}) {
        const Finished trained = engine(
            {"train", "FS[w=8] x1", "--data", task, "--context", "64", "--set", "batch=2", "--set", "steps=2",
             "--set", "data.evaluation_sequences=4", "--set", "threads=1", "--device", "cpu"});
        ASSERT_EQ(trained.code, 0) << trained.all();
        const Json last = trained.last_json();
        bool scored = false;
        for (const auto& [metric, value] : last.at("metrics").items())
            scored = scored || metric.starts_with(std::string(task) + "/");
        EXPECT_TRUE(scored) << trained.out;
    }
}

}  // namespace
}  // namespace braid::testing
