// Captures as a user and as the window make them: the verb, the method of serve, and bad input to both.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/app_engine/project_test.h"
#include "tests/app_engine/serve_process.h"

namespace braid::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// One project for all tests: a model of the needle task, and one of text.
class CaptureProgram : public ProjectTest {
protected:
    static void SetUpTestSuite() {
        make_project("captures", "capture", {"--threads", "1", "--device", "cpu"});
        fs::create_directories(place_->folder() / "texts");
        for (int file = 0; file < 12; ++file) {
            std::ofstream text(place_->folder() / "texts" / (std::to_string(file) + ".txt"));
            for (int line = 0; line < 60; ++line)
                text << "In chapter " << file << " line " << line * file % 17
                     << " says that the sea was calm.\n";
        }
        must({"corpus", "build", "texts", "--out", "corpus/sea", "--validation", "0.3", "--quiet"});
        needle_ = train("FG[d=8] x1", {"--data", "niah", "--context", "48"});
        text_ = train("FS[w=4] x1", {"--data", "corpus/sea", "--context", "64"});
    }
    static std::string train(const std::string& pattern, const std::vector<std::string>& more) {
        std::vector<std::string> words = {"train", pattern,     "--quiet",       "--set",   "steps=4",
                                          "--set", "threads=1", "--set",         "batch=4", "--device",
                                          "cpu",   "--set",     "warmup_steps=0"};
        words.insert(words.end(), more.begin(), more.end());
        return must(words).last_json()["run"];
    }
    static std::vector<std::string> captures_of(const std::string& run) {
        std::vector<std::string> names;
        std::error_code none;
        for (const auto& entry : fs::directory_iterator(place_->path("runs/" + run + "/captures"), none))
            names.push_back(entry.path().filename().string());
        return names;
    }
    // Tokens of a text that takes a tiny model a while.
    static Json long_text() { return Json(std::vector<int>(40'000, 3)); }

    static std::string needle_, text_;
};
std::string CaptureProgram::needle_, CaptureProgram::text_;

TEST_F(CaptureProgram, ASampleOfNeedlesIsKeptBesideTheRun) {
    const std::vector<std::string> words = {"capture", needle_, "--sample", "1", "--heads", "0.1", "--json"};
    const Json capture = must(words).json();
    EXPECT_EQ(capture["source"], "needle");
    EXPECT_EQ(capture["checkpoint"]["run"], needle_);
    EXPECT_EQ(capture["checkpoint"]["step"], 4);
    EXPECT_EQ(capture["tokens_seen"], 4 * 4 * 48);
    EXPECT_EQ(capture["trained_context"], 48);
    EXPECT_EQ(capture["layers"][1]["mixer"], "gdn");
    EXPECT_EQ(capture["settings"]["compute_type"], "float32");
    EXPECT_EQ(capture["tokens"].size(), capture["texts"].size());
    EXPECT_EQ(capture["needles"].size(), 1U);
    EXPECT_EQ(capture["command"],
              "braid-engine capture '" + needle_ + "@4' --sample 1 --heads 0.1 --device cpu");
    const std::string folder = capture["folder"];
    EXPECT_TRUE(fs::exists(folder + "/capture.json"));
    for (const Json& head : capture["heads"]) {
        EXPECT_TRUE(fs::exists(folder + "/" + head["file"].get<std::string>()));
        EXPECT_EQ(head["factors"], head["layer"] == 0 && head["head"] == 1);
        EXPECT_TRUE(head["scores"]["needle"].is_number());
    }
    const auto before = captures_of(needle_);
    EXPECT_EQ(must(words).json()["heads"], capture["heads"]) << "the same settings give the same answer";
    EXPECT_EQ(captures_of(needle_), before);
    const Finished table = must({"capture", needle_, "--heads", "none"});
    EXPECT_NE(table.out.find("gdn, implied"), std::string::npos) << table.out;
    EXPECT_NE(table.out.find("Kept in "), std::string::npos);
}

TEST_F(CaptureProgram, PromptsAreReadWithTheTokenizerOfTheModel) {
    const Json capture = must({"capture", text_, "--prompt", "The sea was calm\xC3\xA9.", "--json"}).json();
    EXPECT_EQ(capture["source"], "prompt");
    std::string text;
    for (const Json& token : capture["texts"]) text += token.get<std::string>();
    EXPECT_NE(text.find("The sea was calm<0xC3><0xA9>."), std::string::npos) << text;
    EXPECT_TRUE(capture["needles"].empty());
    EXPECT_TRUE(capture["heads"][0]["scores"]["needle"].is_null());
    EXPECT_TRUE(capture["heads"][0]["factors"]) << "softmax heads in detail without being asked for";
    EXPECT_TRUE(capture["notes"].empty());
    const Json same = must({"capture", text_, "--prompt", std::string(60, 'a'), "--json"}).json();
    EXPECT_EQ(same["tokens"].back(), 'a') << "one token repeated";
    const Json longer = must({"capture", text_, "--prompt", std::string(200, 'b'), "--json"}).json();
    ASSERT_EQ(longer["notes"].size(), 1U);
    EXPECT_NE(longer["notes"][0].get<std::string>().find("longer than the context of the training (64)"),
              std::string::npos);
    // RULER's needles in text, from a file, tokens.
    const Json ruler = must({"capture", text_, "--context", "1024", "--depth", "0.2", "--json"}).json();
    EXPECT_EQ(ruler["needles"].size(), 1U);
    EXPECT_EQ(ruler["needles"][0]["label"].get<std::string>().size(), 7U) << ruler["needles"];
    std::ofstream(place_->path("prompt.txt")) << "The sea was calm.";
    EXPECT_EQ(must({"capture", text_, "--prompt-file", "prompt.txt", "--json"}).json()["source"], "prompt");
    const Json tokens = must({"capture", text_, "--tokens", "[84,104,101]", "--json"}).json();
    EXPECT_EQ(tokens["texts"], Json({"T", "h", "e"}));
}

TEST_F(CaptureProgram, BadInputIsNamed) {
    const auto says = [&](const std::vector<std::string>& words, const std::vector<std::string>& parts) {
        const std::string said = refused(words);
        for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << said;
    };
    says({"capture", needle_, "--heads", "0.1,5.0,1.77,x"},
         {"heads: must be layer.head with a layer from 0 to 1", "got \"5.0\"", "got \"1.77\"", "got \"x\""});
    says({"capture", text_, "--prompt", ""}, {"prompt: must have at least one token of text"});
    says({"capture", text_, "--prompt", "a", "--sample", "1", "--depth", "2"},
         {"text: must be one of", "depth: must be from 0 to 1, got 2"});
    says({"capture", text_, "--prompt", "a", "--context", "9"},
         {"context: must not be given but with a sample"});
    says({"capture", needle_, "--prompt", "a"}, {"prompt: must not be given to a model of the task niah"});
    says({"capture", needle_, "--tokens", "[1,99999,-2,\"a\"]"}, {"tokens[1]", "tokens[2]", "tokens[3]"});
    says({"capture", needle_, "--tokens", "none.npy"}, {"none.npy"});
    says({"capture", "nobody"}, {"nobody"});
    std::ofstream(place_->path("long.txt")) << std::string(100'000, 'a');
    says({"capture", text_, "--prompt-file", "long.txt"},
         {"prompt: must have at most 65536 tokens on a CPU", "would take about", "of memory", "--allow-long",
          "--device cuda", "100001"});
    // Without its run nobody knows the tokenizer; without a tokenizer there are still tokens.
    const fs::path run = place_->path("runs/" + text_);
    const fs::path alone = place_->path("alone");
    fs::copy(run / "checkpoints/step-00000004", alone, fs::copy_options::recursive);
    says({"capture", alone.string(), "--prompt", "a"}, {"which tokenizer the model reads with is not known"});
    const Json capture = must({"capture", alone.string(), "--tokens", "[84,104]", "--json"}).json();
    EXPECT_EQ(capture["texts"], Json({"84", "104"}));
    EXPECT_EQ(fs::path(capture["folder"].get<std::string>()).parent_path().filename(), "captures");
    // Another architecture than that of the weights, and weights that are cut off.
    const fs::path other = place_->path("other"), damaged = place_->path("damaged");
    fs::remove_all(alone / "captures");
    fs::copy(alone, other, fs::copy_options::recursive);
    fs::copy(alone, damaged, fs::copy_options::recursive);
    fs::copy_file(fs::path(place_->path("runs/" + needle_)) / "checkpoints/step-00000004/architecture.json",
                  other / "architecture.json", fs::copy_options::overwrite_existing);
    says({"capture", other.string(), "--tokens", "[1,2]"}, {"model.layers.1"});
    fs::resize_file(damaged / "model.safetensors", fs::file_size(damaged / "model.safetensors") / 2);
    says({"capture", damaged.string(), "--tokens", "[1,2]"}, {"model.safetensors"});
    for (const fs::path& folder : {other, damaged})
        EXPECT_TRUE(!fs::exists(folder / "captures") || fs::is_empty(folder / "captures"));
}

TEST_F(CaptureProgram, ServeTellsProgressAndAnswersOthersMeanwhile) {
    ServeProcess serve(place_->path(""));
    serve.send(
        request(7, "capture",
                {{"checkpoint", needle_ + "@4"}, {"sample", 1}, {"heads", {"0.1"}}, {"device", "cpu"}}));
    std::vector<Json> before;
    const Json answer = serve.answer(7, seconds(60), &before);
    ASSERT_TRUE(answer.contains("result")) << answer;
    EXPECT_TRUE(fs::exists(answer["result"]["folder"].get<std::string>() + "/capture.json"));
    EXPECT_GT(answer["result"]["tokens"], 40);
    for (const Json& note : before) {
        EXPECT_EQ(note["method"], "progress");
        EXPECT_EQ(note["params"]["id"], 7);
    }
    ASSERT_FALSE(before.empty());
    // The model is open now; a long text, while a question is answered at once and progress goes on.
    serve.send(request("long", "capture",
                       {{"checkpoint", needle_},
                        {"tokens", long_text()},
                        {"heads", "none"},
                        {"device", "cpu"},
                        {"threads", 1}}));
    before.clear();
    Json progress;
    do progress = serve.next(seconds(60));
    while (!progress.is_null() && progress["params"]["fraction"] == 0);  // inside the pass
    EXPECT_EQ(progress["method"], "progress");
    EXPECT_EQ(progress["params"]["id"], "long");
    EXPECT_TRUE(progress["params"]["fraction"].is_number());
    auto begin = Clock::now();
    serve.send(request(8, "ping"));
    EXPECT_EQ(serve.answer(8, seconds(10), &before)["result"], "pong");
    const double pinged = since(begin);
    EXPECT_LT(pinged, 200);
    serve.send(request("long", "capture", {{"checkpoint", needle_}}));
    EXPECT_EQ(serve.answer("long", seconds(10), &before)["error"]["code"], -32600) << "its id is in use";
    serve.send(request(9, "capture", {{"checkpoint", text_}, {"prompt", "sea"}, {"device", "cpu"}}));
    serve.send(request(10, "cancel", {{"id", 9}}));
    EXPECT_EQ(serve.answer(10, seconds(10), &before)["result"], true);
    EXPECT_EQ(serve.answer(9, milliseconds(200), &before)["error"]["data"]["kind"], "interrupted")
        << "it was waiting";
    // Cancel within 200 ms, also inside a layer.
    begin = Clock::now();
    serve.send(request(11, "cancel", {{"id", "long"}}));
    EXPECT_EQ(serve.answer(11, seconds(10))["result"], true);
    const Json cancelled = serve.answer("long", seconds(10));
    const double stopped = since(begin);
    EXPECT_EQ(cancelled["error"]["data"]["kind"], "interrupted") << cancelled;
    EXPECT_LT(stopped, 200);
    std::printf("    while a long text is captured: ping %.1f ms, cancel %.1f ms\n", pinged, stopped);
    // And it goes on.
    begin = Clock::now();
    serve.send(request(12, "capture", {{"checkpoint", text_}, {"prompt", "sea"}, {"device", "cpu"}}));
    EXPECT_TRUE(serve.answer(12, seconds(60)).contains("result"));
    // The cancelled one left the worker in the middle of its layer.
    std::printf("    the next capture behind it: %.0f ms\n", since(begin));
    EXPECT_LT(since(begin), 1'000);
    // Wherever it is: in the pass, in the tiles of a head, on the disk.
    for (const int wait : {150, 400, 900, 1'600}) {
        const std::string id = "all" + std::to_string(wait);
        serve.send(
            request(id, "capture",
                    {{"checkpoint", needle_}, {"tokens", long_text()}, {"heads", "all"}, {"device", "cpu"}}));
        std::this_thread::sleep_for(milliseconds(wait));
        begin = Clock::now();
        serve.send(request(id + " cancel", "cancel", {{"id", id}}));
        if (!serve.answer(id, seconds(10)).contains("error")) continue;  // a quick machine
        const double acknowledged = since(begin);
        EXPECT_LT(acknowledged, 200);
        serve.send(
            request(id + " next", "capture", {{"checkpoint", text_}, {"prompt", "sea"}, {"device", "cpu"}}));
        EXPECT_TRUE(serve.answer(id + " next", seconds(60)).contains("result"));
        std::printf("    cancelled after %d ms: told in %.1f ms, the next capture is there in %.0f ms\n",
                    wait, acknowledged, since(begin));
        EXPECT_LT(since(begin), 1'000);
    }
    serve.send(request(13, "cancel", {{"id", "long"}}));
    EXPECT_EQ(serve.answer(13, seconds(10))["result"], false) << "it is answered";
    for (const std::string& name : captures_of(needle_)) EXPECT_NE(name[0], '.') << name;
}

TEST_F(CaptureProgram, ServeEndsAtTheFirstSignal) {
    for (const bool busy : {false, true}) {
        ServeProcess serve(place_->path(""));
        serve.send(request(1, "ping"));
        ASSERT_EQ(serve.answer(1, seconds(30))["result"], "pong");
        if (busy) {
            serve.send(request("long", "capture",
                               {{"checkpoint", needle_}, {"tokens", long_text()}, {"device", "cpu"}}));
            ASSERT_EQ(serve.next(seconds(60))["method"], "progress");
        }
        const auto begin = Clock::now();
        serve.terminate();
        EXPECT_EQ(serve.wait(seconds(10)), 0) << (busy ? "busy" : "idle");
        EXPECT_LT(since(begin), 2'000);
        std::printf("    SIGTERM while %s: %.0f ms\n", busy ? "a long text is captured" : "idle",
                    since(begin));
    }
}

TEST_F(CaptureProgram, ServeNamesBadInput) {
    ServeProcess serve(place_->path(""));
    serve.send(request(1, "capture", {{"sample", -1}, {"heads", {3}}, {"colour", "red"}, {"depth", "deep"}}));
    const Json answer = serve.answer(1, seconds(30));
    EXPECT_EQ(answer["error"]["code"], -32602);
    const std::string said = answer["error"]["message"];
    for (const char* part : {"checkpoint", "sample", "heads", "colour", "depth"})
        EXPECT_NE(said.find(part), std::string::npos) << said;
    serve.send(request(2, "capture", {{"checkpoint", "nobody"}, {"device", "cpu"}}));
    EXPECT_EQ(serve.answer(2, seconds(30))["error"]["data"]["kind"], "not_found");
    serve.send(
        request(3, "capture", {{"checkpoint", needle_}, {"heads", {"9.9", "8.8"}}, {"device", "cpu"}}));
    const std::string heads = serve.answer(3, seconds(60))["error"]["message"];
    EXPECT_NE(heads.find("9.9"), std::string::npos) << heads;
    EXPECT_NE(heads.find("8.8"), std::string::npos) << heads;
    serve.send(Json::array({request(4, "capture", {{"checkpoint", needle_}})}));
    EXPECT_EQ(serve.next(seconds(10))[0]["error"]["code"], -32600);
    serve.send({{"jsonrpc", "2.0"}, {"method", "capture"}, {"params", {{"checkpoint", needle_}}}});
    EXPECT_EQ(serve.next(seconds(10))["error"]["code"], -32600);
    serve.send(request(5, "cancel", {{"id", 77}}));
    EXPECT_EQ(serve.answer(5, seconds(10))["result"], false);
    // In the middle of a long text.
    serve.send(
        request("long", "capture", {{"checkpoint", needle_}, {"tokens", long_text()}, {"device", "cpu"}}));
    EXPECT_EQ(serve.next(seconds(60))["method"], "progress");
    const auto begin = Clock::now();
    serve.send(request(6, "shutdown"));
    EXPECT_TRUE(serve.answer(6, seconds(10)).contains("result"));
    EXPECT_TRUE(serve.next(seconds(10)).is_null()) << "nothing more is said";
    EXPECT_LT(since(begin), 2'000);
    std::printf("    shutdown while a long text is captured: %.0f ms\n", since(begin));
}

TEST_F(CaptureProgram, WhatWasAskedForIsDoneBeforeTheEndOfTheInput) {
    const Finished served =
        run({.arguments = {"serve"},
             .folder = place_->path(""),
             .input = request(1, "capture", {{"checkpoint", needle_}, {"device", "cpu"}}).dump() + "\n"});
    EXPECT_EQ(served.code, 0) << served.all();
    EXPECT_TRUE(served.last_json().contains("result")) << served.all();
}

TEST_F(CaptureProgram, AKilledServerLeavesWhatTheNextOneRemoves) {
    const auto unfinished = [&] {
        const auto names = captures_of(needle_);
        return std::count_if(names.begin(), names.end(), [](const auto& name) { return name[0] == '.'; });
    };
    {
        ServeProcess serve(place_->path(""));
        serve.send(
            request(1, "capture", {{"checkpoint", needle_}, {"tokens", long_text()}, {"device", "cpu"}}));
        // Begun, and locked by its writer: only a minute later would one without a lock be taken for left.
        EXPECT_TRUE(within(seconds(60), [&] {
            const auto names = captures_of(needle_);
            return std::any_of(names.begin(), names.end(), [](const auto& name) {
                return name[0] == '.' &&
                       fs::exists(place_->path("runs/" + needle_ + "/captures/" + name + "/lock"));
            });
        }));
        serve.kill();
    }
    EXPECT_EQ(unfinished(), 1);
    const auto before = captures_of(needle_).size();
    must({"capture", needle_, "--sample", "9"});
    EXPECT_EQ(unfinished(), 0);
    EXPECT_EQ(captures_of(needle_).size(), before) << "one more that is whole, one less that is not";
}

}  // namespace
}  // namespace braid::testing
