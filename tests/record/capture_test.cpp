#include "core/record/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/file.h"
#include "tests/base/temporary_folder.h"

namespace braid {
namespace {

using ::testing::HasSubstr;

Capture small_capture(std::int64_t step = 400) {
    return {.created = "2026-02-03T04:05:06Z",
            .command = "braid-engine capture a91f --sample 0 --heads 1.0",
            .checkpoint = {.folder = "runs/a91f/checkpoints/step-00000400",
                           .run = "a91f",
                           .step = Step(step),
                           .architecture_hash = "00ff"},
            .tokens_seen = 25600,
            .settings = {{"source", "needle"}, {"sample", 0}, {"heads", {"1.0"}}},
            .source = CaptureSource::needle,
            .tokens = {84, 104, 101, 32, 102},
            .texts = {"T", "h", "e", " ", "f"},
            .needles = {{.span = {1, 3}, .label = "he"}},
            .answer = CaptureSpan{4, 5},
            .documents = {0, 3},
            .trained_context = 4,
            .notes = {"The text is longer than the context of the training."},
            .layers = {{.mixer = "gdn", .heads = 1}, {.mixer = "full", .heads = 2}},
            .heads = {{.layer = 0, .head = 0, .mixer = "gdn", .implied = true, .file = "0.0.att"},
                      {.layer = 1,
                       .head = 0,
                       .mixer = "full",
                       .window = 4,
                       .has_sink = true,
                       .factors = true,
                       .scores = {.needle = 0.5, .entropy = 0.75, .sink = 0.125, .far = 0.25},
                       .file = "1.0.att"},
                      {.layer = 1, .head = 1, .mixer = "full", .finest = 0, .file = "1.1.att"}}};
}

TEST(Capture, RoundTripOnDisk) {
    const TemporaryFolder folder;
    const std::string all = folder / "captures";
    for (const std::int64_t step : {400, 200}) {
        const Capture capture = small_capture(step);
        const std::string one = all + "/" + capture_id(capture);
        ASSERT_TRUE(make_folder(one));
        const Result<void> written = write_capture_description(one, capture);
        ASSERT_TRUE(written) << describe(written.error());
        Result<Capture> read = read_capture(one);
        ASSERT_TRUE(read) << describe(read.error());
        EXPECT_EQ(read->folder, one);
        read->folder.clear();
        EXPECT_EQ(*read, capture);
    }
    EXPECT_EQ(capture_from_json(to_json(small_capture())).value(), small_capture()) << "not by way of text";
    EXPECT_EQ(capture_id(small_capture()).substr(0, 14), "step-00000400.");
    EXPECT_EQ(capture_id(small_capture()).size(), 22U);
    // Unfinished and broken ones do no harm.
    ASSERT_TRUE(make_folder(all + "/.unfinished"));
    ASSERT_TRUE(make_folder(all + "/step-00000300.00000000"));
    std::ofstream(all + "/step-00000300.00000000/capture.json") << "{";
    const CaptureList list = list_captures(all);
    ASSERT_EQ(list.captures.size(), 2U);
    EXPECT_EQ(list.captures[0].checkpoint.step.value, 200);
    ASSERT_EQ(list.problems.size(), 1U);
    EXPECT_THAT(describe(list.problems[0]), HasSubstr("step-00000300"));
    EXPECT_TRUE(list_captures(folder / "nowhere").problems.empty());
    ASSERT_NE(list.captures[1].find(1, 1), nullptr);
    EXPECT_EQ(list.captures[1].find(1, 1)->file, "1.1.att");
    EXPECT_EQ(list.captures[1].find(2, 0), nullptr);
}

TEST(Capture, FilesOfTheFirstSchemaStillOpen) {
    const std::string source = std::getenv("BRAID_SOURCE_DIR");
    const Result<Json> json = read_json(source + "/tests/golden/capture_v1.json");
    ASSERT_TRUE(json) << describe(json.error());
    const Checked<Capture> read = capture_from_json(*json);
    ASSERT_TRUE(read) << describe(to_error(read.error()));
    EXPECT_EQ(*read, small_capture());
}

TEST(Capture, AllProblemsAtOnce) {
    Json json = to_json(small_capture());
    json["colour"] = 1;
    json["source"] = "stars";
    json["tokens"][1] = -3;
    json["needles"][0]["end"] = 99;
    json["answer"] = {{"begin", 3}, {"end", 1}};
    json["documents"] = {3, 0};
    json["heads"][0]["file"] = "../0.0.att";
    json["heads"][1]["layer"] = 7;
    json["heads"][2]["scores"]["far"] = "much";
    json["heads"].push_back(json["heads"][2]);
    json["checkpoint"]["step"] = -1;
    const Checked<Capture> read = capture_from_json(json);
    ASSERT_FALSE(read);
    const std::string all = to_error(read.error()).message;
    for (const char* place :
         {"colour", "source", "tokens[1]", "needles[0].end", "answer.end", "documents", "heads[0].file",
          "heads[1].layer", "heads[2].scores.far", "heads[3]", "checkpoint.step", "texts"})
        EXPECT_THAT(all, HasSubstr(place));
    json = to_json(small_capture());
    json["schema_version"] = 2;
    json["news"] = 1;
    const Checked<Capture> newer = capture_from_json(json);
    ASSERT_FALSE(newer);
    EXPECT_EQ(newer.error().size(), 1U) << "what a newer Braid wrote is not judged further";
}

}  // namespace
}  // namespace braid
