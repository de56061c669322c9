// Checkpoints scored as a user does it: files of scores, exit codes, what is said about bad input.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/app_engine/project_test.h"

namespace braid::testing {
namespace {

namespace fs = std::filesystem;

// One project for all tests: a model of the needle task, and one of text.
class Eval : public ProjectTest {
protected:
    static void SetUpTestSuite() {
        // One thread: two that wait for each other take minutes where the cores are busy with something else.
        make_project("scores", "eval", {"--threads", "1"});
        fs::create_directories(place_->folder() / "texts");
        for (int file = 0; file < 40; ++file) {
            std::ofstream text(place_->folder() / "texts" / (std::to_string(file) + ".txt"));
            for (int line = 0; line < 60; ++line)
                text << "In chapter " << file << " line " << line * file % 17
                     << " says that the sea was calm.\n";
        }
        must({"corpus", "build", "texts", "--out", "corpus/sea", "--validation", "0.3", "--quiet"});
        must({"corpus", "build", "texts", "--out", "corpus/none", "--validation", "0", "--quiet"});
        needle_ = train({"--data", "niah", "--context", "48"});
        text_ = train({"--data", "corpus/sea", "--context", "64"});
    }
    static std::string train(std::vector<std::string> more) {
        std::vector<std::string> words = {
            "train", "FS[w=4] x1", "--quiet",        "--set",   "steps=12",
            "--set", "threads=1",  "--set",          "batch=4", "--device",
            "cpu",   "--set",      "warmup_steps=0", "--set",   "evaluate_every=12"};
        words.insert(words.end(), more.begin(), more.end());
        return must(words).last_json()["run"];
    }
    static std::size_t scores_of(const std::string& run) {
        std::size_t files = 0;
        std::error_code ignored;
        for (const auto& file : fs::directory_iterator(place_->path("runs/" + run + "/scores"), ignored))
            files += file.path().extension() == ".json" ? 1 : 0;
        return files;
    }

    static std::string needle_, text_;
};
std::string Eval::needle_, Eval::text_;

TEST_F(Eval, NeedlesOfTheTokenTaskMakeAGridOnDisk) {
    const Finished done =
        must({"eval", "niah", needle_, "--lengths", "32,48", "--depths", "3", "--samples", "4", "--json"});
    const Json score = done.json();
    ASSERT_EQ(score["scores"].size(), 6U) << done.all();
    EXPECT_EQ(score["scores"][0]["length"], 32);
    EXPECT_EQ(score["scores"][1]["depth"], 0.5);
    EXPECT_EQ(score["scores"][0]["samples"], 4);
    EXPECT_EQ(score["settings"]["variant"], "tokens");
    EXPECT_EQ(score["summary"][0]["name"], "NIAH accuracy (tokens)");
    EXPECT_EQ(score["scores"][0]["truncated"], 0) << "answers have a fixed length";
    EXPECT_EQ(score["settings"]["compute_type"], "float32");
    EXPECT_EQ(score["checkpoint"]["step"], 12);
    EXPECT_TRUE(fs::exists(score["file"].get<std::string>()));
    std::ifstream answers(score["answers"].get<std::string>());
    std::string line;
    std::getline(answers, line);
    const Json answer = Json::parse(line);
    EXPECT_TRUE(answer["expected"][0].get<std::string>().starts_with("value-")) << line;
    EXPECT_NE(answer["prompt_tail"].get<std::string>().find(" ask key-"), std::string::npos) << line;
    // Again with the same settings: the same file; with others: another one.
    const std::size_t before = scores_of(needle_);
    EXPECT_EQ(
        must({"eval", "niah", needle_, "--lengths", "32,48", "--depths", "3", "--samples", "4", "--json"})
            .json()["scores"],
        score["scores"]);
    EXPECT_EQ(scores_of(needle_), before);
    must({"eval", "niah", needle_ + "@12", "--lengths", "32", "--depths", "3", "--samples", "2", "--seed",
          "7"});
    EXPECT_EQ(scores_of(needle_), before + 1);
    EXPECT_NE(refused({"eval", "niah", needle_, "--lengths", "5"}).find("lengths: must be at least"),
              std::string::npos);
    EXPECT_NE(refused({"eval", "niah", text_, "--variant", "tokens"}).find("--data niah"), std::string::npos);
}

TEST_F(Eval, ALengthBeyondTheTrainingIsOnlyAWarning) {
    const Finished done =
        must({"eval", "niah", needle_, "--lengths", "96", "--depths", "1", "--samples", "1"});
    EXPECT_NE(done.err.find("96 tokens are more than the context of 48"), std::string::npos) << done.err;
}

TEST_F(Eval, LossIsThatOfTheTrainingsEvaluation) {
    const Json score = must({"eval", "loss", text_, "--buckets", "4", "--against", text_, "--json"}).json();
    const std::string csv = must({"run", "metrics", text_, "eval/loss"}).out;
    const double trained = std::stod(csv.substr(csv.rfind(',') + 1));
    EXPECT_NEAR(score["loss"].get<double>(), trained, 1e-5) << csv;
    EXPECT_NEAR(score["ppl"].get<double>(), std::exp(trained), 1e-3);
    EXPECT_EQ(score["series"]["loss"].size(), 4U);
    for (const Json& difference : score["series"]["difference"]) EXPECT_EQ(difference, 0) << "to itself";
    EXPECT_EQ(score["context"], 64);
    const Json logarithmic =
        must({"eval", "loss", text_, "--documents", "long", "--context", "256", "--log", "--json"}).json();
    EXPECT_LT(logarithmic["series"]["position"][0], 2);
    EXPECT_NE(refused({"eval", "loss", text_, "--corpus", "corpus/none"}).find("no validation documents"),
              std::string::npos);
    EXPECT_NE(refused({"eval", "loss", text_, "--documents", "long", "--context", "1000000"})
                  .find("context: must be at most"),
              std::string::npos);
    EXPECT_NE(refused({"eval", "loss", needle_}).find("--corpus DIR"), std::string::npos);
    const std::string small = refused({"eval", "loss", needle_, "--corpus", "corpus/sea"});
    EXPECT_NE(small.find("tokenizer"), std::string::npos) << "260 bytes do not fit the model: " << small;
    EXPECT_NE(refused({"eval", "loss", "nobody"}).find("nobody"), std::string::npos);
}

TEST_F(Eval, RulerSaysWhatHasNoDataAndNeverCountsItAsZero) {
    const Finished done = must({"eval", "ruler", text_, "--lengths", "900", "--samples", "2", "--new-tokens",
                                "8", "--json", "--tasks", "niah_single_1,niah_multikey_1,vt,qa_1"});
    const Json score = done.json();
    ASSERT_EQ(score["scores"].size(), 4U);
    EXPECT_EQ(score["scores"][0]["samples"], 2);
    EXPECT_TRUE(score["scores"][3]["value"].is_null());
    EXPECT_NE(score["scores"][3]["no_data"].get<std::string>().find("--qa FILE"), std::string::npos);
    EXPECT_EQ(score["summary"][0]["name"], "NIAH average (2 of 8)");
    EXPECT_EQ(score["summary"][1]["name"], "Total average (3 of 13)") << score["summary"];
    EXPECT_EQ(score["settings"]["metric"], "ruler");
    EXPECT_FALSE(score["settings"]["haystack"].is_null()) << "the corpus of the run";
    const std::string tiny =
        refused({"eval", "ruler", text_, "--lengths", "20", "--tasks", "vt,niah_single_1"});
    EXPECT_NE(tiny.find("vt: needs a length of at least"), std::string::npos) << tiny;
    EXPECT_NE(refused({"eval", "ruler", text_, "--tasks", "niah_single_9"}).find("niah_single_9"),
              std::string::npos);
}

TEST_F(Eval, QuestionsOfUsers) {
    std::ofstream(place_->path("sea.jsonl"))
        << "{\"context\": \"In chapter 3 line 3 says that\", \"choices\": [\"the sea was calm.\", \"ZZQXJ 77 "
           "@@@@ ####\"], \"answer\": 0}\n"
        << "{\"context\": \"In chapter\", \"choices\": [\"%%%%%%%%%%%\", \"5 line 5\"], \"answer\": 1}\n";
    const Json score = must({"eval", "choices", text_, "--data", "sea.jsonl", "--json"}).json();
    EXPECT_EQ(score["scores"][0]["name"], "sea");
    EXPECT_EQ(score["scores"][0]["value"], 100)
        << "even a model of twelve steps knows which letters there are";
    EXPECT_EQ(score["summary"][0]["name"], "ShortAvg");
    std::ofstream(place_->path("wrong.jsonl")) << "{\"context\": 3}\n{}\n";
    const std::string wrong = refused({"eval", "choices", text_, "--data", "wrong.jsonl"});
    EXPECT_NE(wrong.find("line 1.context"), std::string::npos) << wrong;
    EXPECT_NE(wrong.find("line 2.choices"), std::string::npos) << wrong;

    std::ofstream(place_->path("read.jsonl")) << "{\"context\": \"" << std::string(400, 'x')
                                              << "\", \"input\": \"What?\", \"answers\": [\"sea\"]}\n";
    const Json read = must({"eval", "longbench", text_, "--data", "read.jsonl", "--metric", "f1", "--lengths",
                            "128", "--new-tokens", "8", "--json"})
                          .json();
    EXPECT_EQ(read["scores"][0]["truncated"], 1) << "the prompt lost its middle";
    EXPECT_EQ(read["summary"][0]["name"], "Average (1) f1");
    const Json babi =
        must({"eval", "babilong", text_, "--lengths", "800", "--samples", "2", "--json"}).json();
    EXPECT_EQ(babi["scores"].size(), 2U);
    EXPECT_EQ(babi["summary"][0]["name"], "BABILong average");
    EXPECT_EQ(
        must({"eval", "babilong", text_, "--lengths", "800", "--samples", "1", "--tasks", "qa1", "--json"})
            .json()["summary"][0]["name"],
        "BABILong average (1 of 2)");
    // Two files whose scores would have one name: neither overwrites the other.
    fs::create_directories(place_->path("other"));
    for (const char* name : {"read.jsonl", "sea.jsonl"})
        fs::copy_file(place_->path(name), place_->path("other") + "/" + name);
    for (const std::string& both :
         {refused({"eval", "longbench", text_, "--data", "read.jsonl", "--data", "other/read.jsonl",
                   "--metric", "f1"}),
          refused({"eval", "choices", text_, "--data", "sea.jsonl", "--data", "other/sea.jsonl"})})
        EXPECT_NE(both.find("must be called differently"), std::string::npos) << both;
}

TEST_F(Eval, QuestionsThatDoNotFitAreLeftOutAndOtherContentIsAnotherScore) {
    const auto question = [](int n, const std::string& answer) {
        const std::string text = n == 1 ? std::string(2'000, 'x') : "Town " + std::to_string(n) + ".";
        return Json{{"question", "How many houses has town " + std::to_string(n) + "?"},
                    {"answer", answer},
                    {"supporting_facts", Json::array({Json::array({"T", 0})})},
                    {"context", Json::array({Json::array({"T", Json::array({text})})})}};
    };
    const auto ask = [&](const std::string& answer) {
        std::ofstream(place_->path("towns.json"))
            << Json::array({question(0, answer), question(1, answer), question(2, answer)});
        return must({"eval", "ruler", text_, "--tasks", "qa_2", "--qa", "towns.json", "--lengths", "600",
                     "--samples", "3", "--new-tokens", "4", "--json"});
    };
    const Finished first = ask("7");
    const Json score = first.json();
    EXPECT_EQ(score["scores"][0]["samples"], 2) << first.all();
    EXPECT_EQ(score["scores"][0]["left_out"], 1);
    EXPECT_NE(first.err.find("1 questions do not fit"), std::string::npos) << first.err;
    const Finished table = must({"eval", "ruler", text_, "--tasks", "qa_2", "--qa", "towns.json", "--lengths",
                                 "600", "--samples", "3", "--new-tokens", "4"});
    EXPECT_NE(table.out.find("left out"), std::string::npos) << table.out;
    EXPECT_NE(ask("8").json()["file"], score["file"]) << "the same name and counts, but other answers";
    EXPECT_EQ(ask("7").json()["file"], score["file"]);
}

TEST_F(Eval, NumbersThatMeanNothingAreRefusedByName) {
    std::ofstream(place_->path("classes.jsonl"))
        << R"({"context": "c", "input": "i", "answers": ["x"], "all_classes": ["y", "z"]})"
        << "\n";
    std::ofstream(place_->path("far.json"))
        << R"({"schema_version": 1, "rule": {"context": 4611686018427387904, "short_context": 16, "advance": 8,)"
        << R"( "gain": 2, "sure": 2, "fewest": 1}, "reference": {}, "tokenizer": {}, "corpus": "", "samples": []})";
    ASSERT_EQ(::mkfifo(place_->path("pipe").c_str(), 0600), 0);
    const struct {
        std::vector<std::string> words;
        std::string said;
    } cases[] = {
        {{"eval", "niah", needle_, "--seed", "-1"}, "--seed"},
        {{"eval", "loss", text_, "--context", "1000000"}, "context: must be at most"},
        {{"eval", "longppl", text_, "--keys", "far.json"}, "context: must be at most 16777216"},
        {{"eval", "longbench", text_, "--data", "classes.jsonl", "--metric", "accuracy"},
         "answers: must be among all_classes"},
        {{"eval", "longbench", text_, "--data", "classes.jsonl", "--metric", "f1", "--prompt", "why?"},
         "--prompt: must have {context} or {input}"},
        {{"eval", "longbench", text_, "--data", "pipe", "--metric", "f1"}, "is a pipe"},
        {{"generate", text_, "--prompt", "a", "--temperature", "nan"}, "must be from 0 to 100, got nan"},
        {{"corpus", "build", "texts", "--out", "c2", "--threads", "1000000"}, "--threads"},
        {{"train", "F", "--seed", "-1"}, "--seed"},
        {{"train", "F", "--data", "corpus/sea", "--context", "32", "--tokens", "0.001M", "--phase",
          "steps=2,data.key_tokens=gone.json"},
         "phases[0]: "},
    };
    const auto runs = [] {
        return std::distance(fs::directory_iterator(place_->folder() / "runs"), fs::directory_iterator());
    };
    const auto before = runs();
    for (const auto& each : cases) {
        const std::string said = refused(each.words);
        EXPECT_NE(said.find(each.said), std::string::npos) << said;
    }
    EXPECT_EQ(runs(), before) << "what is refused leaves no run";
    EXPECT_FALSE(fs::exists(place_->path("c2")));
}

TEST_F(Eval, AnswersAreKeptWhereTheScoreCannotBeWritten) {
    const std::vector<std::string> words = {"eval", "niah",      needle_, "--lengths", "32", "--depths",
                                            "2",    "--samples", "3",     "--seed",    "11", "--json"};
    const fs::path file = must(words).json()["file"].get<std::string>();
    fs::path draft = file;
    draft.replace_extension(".part.jsonl");
    EXPECT_FALSE(fs::exists(draft)) << "the score is written";
    fs::remove(file);
    fs::create_directory(file);
    refused(words, 1);
    EXPECT_TRUE(fs::exists(draft)) << "all that there is of the answers";
    fs::remove(file);
    const Finished again = must(words);
    EXPECT_NE(again.err.find("Going on behind 6 answers"), std::string::npos) << again.err;
    EXPECT_FALSE(fs::exists(draft));
}

TEST_F(Eval, KeyTokensOfAReferenceAreFoundOnce) {
    const std::string none = refused({"eval", "longppl", text_, "--reference", text_});
    EXPECT_NE(none.find("must hold a sample with at least 10 key tokens"), std::string::npos) << none;
    EXPECT_NE(none.find("Key tokens kept in"), std::string::npos) << none;
    // A rule that makes every token key.
    const std::vector<std::string> loose = {"eval",   "longppl", text_,    "--reference", text_,
                                            "--gain", "-100",    "--sure", "100",         "--json"};
    const Finished first = must(loose);
    EXPECT_GT(first.json()["key_tokens"], 100) << first.all();
    EXPECT_TRUE(fs::exists(first.json()["file"].get<std::string>()));
    const Finished again = must(loose);
    EXPECT_NE(again.err.find("found before"), std::string::npos) << again.err;
    EXPECT_EQ(again.json()["log_longppl"], first.json()["log_longppl"]);
    EXPECT_EQ(first.json()["texts_cut"], 0);
    // A smaller context than that of the key tokens.
    const Json cut = must({"eval", "longppl", text_, "--keys", first.json()["key_token_file"], "--context",
                           "48", "--json"})
                         .json();
    EXPECT_EQ(cut["texts_cut"], cut["samples_given"]);
    EXPECT_GT(cut["key_spans_lost"], 0);
    EXPECT_EQ(cut["scores"][0]["truncated"], cut["samples_given"]);
    const std::string long_reference =
        refused({"eval", "longppl", text_, "--reference", text_, "--context", "128"});
    EXPECT_NE(long_reference.find("reference: must have been trained with a context of at least 128"),
              std::string::npos)
        << long_reference;
    EXPECT_NE(refused({"eval", "longppl", text_}).find("--keys FILE or --reference"), std::string::npos);
    const std::string no_key =
        refused({"train", "FS[w=4] x1", "--data", "corpus/sea", "--context", "64", "--reference", text_});
    EXPECT_NE(no_key.find("key_tokens: must hold a sample"), std::string::npos) << no_key;
    EXPECT_NE(refused({"train", "FS[w=4] x1", "--data", "niah", "--reference", text_}).find("--data DIR"),
              std::string::npos);
}

TEST_F(Eval, WeightsThatAreNotFiniteAreRefused) {
    const fs::path copy = place_->folder() / "broken";
    fs::copy(place_->path("runs/" + text_ + "/checkpoints/step-00000012"), copy, fs::copy_options::recursive);
    fs::remove(copy / "state.json");  // which has the hashes of what the tensors were
    std::fstream weights(copy / "model.safetensors", std::ios::in | std::ios::out | std::ios::binary);
    weights.seekp(-4, std::ios::end);
    weights.write("\x00\x00\xc0\x7f", 4);
    weights.close();
    const std::string said = refused({"eval", "loss", copy.string(), "--corpus", "corpus/sea"});
    EXPECT_NE(said.find("finite"), std::string::npos) << said;
}

TEST_F(Eval, AStopIsObeyedLeavesNoScoreAndTheAnswersSoFar) {
    const std::size_t before = scores_of(text_);
    const std::vector<std::string> words = {"eval",     "niah",   text_,       "--lengths", "512",
                                            "--depths", "20",     "--samples", "4",         "--batch",
                                            "4",        "--seed", "9",         "--json"};
    Started started = start(call(words));
    const auto draft = [] {
        std::error_code ignored;
        for (const auto& file : fs::directory_iterator(place_->path("runs/" + text_ + "/scores"), ignored))
            if (file.path().string().ends_with(".part.jsonl") && fs::file_size(file) > 2'000) return true;
        return false;
    };
    EXPECT_TRUE(within(std::chrono::seconds(120), draft));
    started.signal(SIGINT);
    const Finished done = started.wait(std::chrono::seconds(30));
    EXPECT_EQ(done.code, 130) << done.all();
    EXPECT_NE(done.err.find("the same command goes on"), std::string::npos) << done.err;
    EXPECT_EQ(scores_of(text_), before);
    const Finished again = run(call(words), std::chrono::seconds(240));
    EXPECT_NE(again.err.find("Going on behind"), std::string::npos) << again.err;
    EXPECT_EQ(again.json()["scores"].size(), 20U);
    EXPECT_EQ(scores_of(text_), before + 1);
    EXPECT_FALSE(draft());
}

}  // namespace
}  // namespace braid::testing
