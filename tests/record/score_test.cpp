#include "core/record/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/base/file.h"
#include "core/record/run_copy.h"
#include "core/record/score_draft.h"
#include "tests/record/run_fixture.h"

namespace braid {
namespace {

ScoreRecord small_score(std::int64_t step = 400) {
    return {.kind = "niah",
            .created = "2026-02-03T04:05:06Z",
            .command = "braid-engine eval niah a91f",
            .checkpoint = {.folder = "runs/a91f/checkpoints/step-00000400",
                           .run = "a91f",
                           .step = Step(step),
                           .architecture_hash = "00ff"},
            .settings = {{"seed", 42}, {"samples", 8}},
            .scores = {{.name = "niah",
                        .length = 4096,
                        .depth = 0.25,
                        .value = 83.5,
                        .unit = "%",
                        .samples = 8,
                        .truncated = 1,
                        .standard_error = 2.5},
                       {.name = "qa_1", .unit = "%", .no_data = "needs --qa FILE", .left_out = 3}},
            .summary = {{.name = "NIAH average", .value = 83.5, .unit = "%"}},
            .series = LossSeries{.position = {0.5, 3}, .loss = {2, 1}, .standard_error = {0.1, 0.2}}};
}

std::vector<ScoreAnswer> small_answers() {
    return {{.task = "niah",
             .length = 4096,
             .depth = 0.25,
             .actual_depth = 0.31,
             .index = 0,
             .prompt_tail = "What is it?",
             .expected = {"7", "8"},
             .answer = "7",
             .correct = 0.5},
            {.task = "niah", .index = 1, .answer = "line\nbreak", .correct = 0, .truncated = true}};
}

TEST(Score, RoundTripWithAnswers) {
    const TemporaryFolder folder;
    const Result<std::string> file = write_score(folder / "scores", small_score(), small_answers());
    ASSERT_TRUE(file) << describe(file.error());
    EXPECT_EQ(std::filesystem::path(*file).filename().string(), score_id(small_score()) + ".json");
    const Result<ScoreRecord> read = read_score(*file);
    ASSERT_TRUE(read) << describe(read.error());
    ScoreRecord wanted = small_score();
    wanted.answers = score_id(wanted) + ".jsonl";
    wanted.file = *file;
    EXPECT_EQ(*read, wanted);
    const auto answers = read_answers(*read);
    ASSERT_TRUE(answers) << describe(answers.error());
    EXPECT_EQ(*answers, small_answers());
}

TEST(Score, TheSameSettingsReplaceOtherSettingsDoNot) {
    const TemporaryFolder folder;
    ScoreRecord score = small_score();
    ASSERT_TRUE(write_score(folder.path(), score, small_answers()));
    score.scores[0].value = 90;
    ASSERT_TRUE(write_score(folder.path(), score));
    EXPECT_FALSE(std::filesystem::exists(folder / (score_id(score) + ".jsonl"))) << "of the score replaced";
    score.settings["seed"] = 43;
    ASSERT_TRUE(write_score(folder.path(), score));
    ASSERT_TRUE(write_score(folder.path(), small_score(200)));
    const ScoreList list = read_scores(folder.path());
    EXPECT_TRUE(list.problems.empty());
    ASSERT_EQ(list.scores.size(), 3U);
    EXPECT_EQ(list.scores[0].checkpoint.step.value, 200);
    EXPECT_EQ(score_id(small_score()).substr(0, 19), "step-00000400.niah-");
    EXPECT_EQ(score_id(small_score()).size(), 27U);
}

TEST(Score, WhatIsNotANumberIsNoValue) {
    ScoreRecord score = small_score();
    score.scores[0].value = std::nan("");
    score.scores[0].standard_error = INFINITY;
    const Checked<ScoreRecord> read = score_from_json(Json::parse(to_json(score).dump()));
    ASSERT_TRUE(read);
    EXPECT_FALSE(read->scores[0].value);
    EXPECT_FALSE(read->scores[0].standard_error);
}

TEST(Score, AllProblemsAtOnce) {
    Json json = to_json(small_score());
    json["kind"] = "horoscope";
    json["colour"] = 1;
    json["answers"] = "../../secret.jsonl";
    json["scores"][0]["depth"] = 1.5;
    json["scores"][0]["length"] = 0;
    json["scores"][1]["value"] = "high";
    json["scores"][1].erase("name");
    json["series"]["loss"].push_back(3);
    json["checkpoint"]["step"] = -1;
    json["summary"] = 7;
    const Checked<ScoreRecord> read = score_from_json(json);
    ASSERT_FALSE(read);
    std::string all;
    for (const Diagnostic& problem : read.error()) all += problem.message() + "\n";
    for (const char* place :
         {"kind: must be one of loss", "colour: is not a known key", "answers: must be",
          "scores[0].depth: must be from 0 to 1, got 1.5", "scores[0].length: must be at",
          "scores[1].value: must be a number", "scores[1].name: must be given",
          "series.loss: must have as many", "checkpoint.step: must be at least 0", "summary: must be a list"})
        EXPECT_NE(all.find(place), std::string::npos) << place << "\n" << all;
    EXPECT_EQ(read.error().size(), 10U) << all;
    Json newer = to_json(small_score());
    newer["schema_version"] = score_schema_version + 1;
    ASSERT_FALSE(score_from_json(newer));
    EXPECT_EQ(score_from_json(newer).error().size(), 1U);
}

// Every value of a score replaced by every kind of value, and removed: an answer or problems, never a crash.
TEST(Score, HostileFilesGiveProblems) {
    const Json good = to_json(small_score());
    const std::vector<Json> evil = {nullptr,
                                    true,
                                    -1,
                                    1e300,
                                    "\xff",
                                    Json::array({Json::object()}),
                                    Json::object({{"a", 1}}),
                                    std::string(1'000, 'x'),
                                    UINT64_MAX};
    const Json places = good.flatten();
    for (const auto& [place, ignored] : places.items())
        for (const Json& value : evil) {
            Json bad = good;
            bad[Json::json_pointer(place)] = value;
            const Checked<ScoreRecord> read = score_from_json(bad);
            if (!read) {
                EXPECT_FALSE(read.error().empty()) << place;
            }
        }
    const TemporaryFolder folder;
    std::ofstream(folder / "a.json") << "{\"schema_version\": 1,";
    std::ofstream(folder / "b.json") << "[]";
    std::filesystem::create_directory(folder / "c.json");
    ASSERT_TRUE(write_score(folder.path(), small_score()));
    const ScoreList list = read_scores(folder.path());
    EXPECT_EQ(list.scores.size(), 1U);
    EXPECT_EQ(list.problems.size(), 3U);
    EXPECT_TRUE(read_scores(folder / "nowhere").problems.empty());
}

TEST(Score, BrokenLinesOfAnswersAreNamed) {
    const TemporaryFolder folder;
    const std::string file = write_score(folder.path(), small_score(), small_answers()).value();
    const ScoreRecord record = read_score(file).value();
    std::ofstream(folder / record.answers, std::ios::app) << "{\"answer\": \"x\", \"correct\": 7}\n{\n";
    const auto answers = read_answers(record);
    ASSERT_FALSE(answers);
    EXPECT_EQ(answers.error().kind, ErrorKind::corrupt);
    for (const char* place : {"line 3: correct: must be from 0 to 1", "line 4"})
        EXPECT_NE(answers.error().message.find(place), std::string::npos) << answers.error().message;
}

TEST(Score, BytesOfAnswersThatAreNoTextAreReplaced) {
    const TemporaryFolder folder;
    const std::vector<ScoreAnswer> answers = {{.task = "niah", .answer = "\xff\xfe ok", .correct = 1}};
    const std::string file = write_score(folder.path(), small_score(), answers).value();
    const auto read = read_answers(read_score(file).value());
    ASSERT_TRUE(read) << describe(read.error());
    EXPECT_EQ((*read)[0].answer, "\xef\xbf\xbd\xef\xbf\xbd ok");
}

TEST(ScoreDraft, GoesOnBehindTheAnswersThatAreWhole) {
    const TemporaryFolder folder;
    const std::vector<ScoreAnswer> answers = small_answers();
    {
        auto draft = ScoreDraft::open(folder.path(), "step-1.niah-0", "weights");
        ASSERT_TRUE(draft) << describe(draft.error());
        EXPECT_TRUE(draft->known().empty());
        ASSERT_TRUE(draft->append(std::span(answers).first(1)));
        ASSERT_TRUE(draft->append(std::span(answers).last(1)));
    }
    const std::string file = folder / "step-1.niah-0.part.jsonl";
    std::ofstream(file, std::ios::app) << "{\"answer\": \"torn";
    EXPECT_EQ(ScoreDraft::open(folder.path(), "step-1.niah-0", "weights")->known(), answers);
    auto again = ScoreDraft::open(folder.path(), "step-1.niah-0", "weights");
    ASSERT_TRUE(again->append(answers)) << "behind what is whole, not behind the torn line";
    EXPECT_EQ(ScoreDraft::open(folder.path(), "step-1.niah-0", "weights")->known().size(), 4U);
    EXPECT_TRUE(ScoreDraft::open(folder.path(), "step-1.niah-0", "other weights")->known().empty());
    EXPECT_TRUE(ScoreDraft::open(folder.path(), "step-1.niah-0", "weights")->known().empty()) << "forgotten";
    ScoreDraft::remove(folder.path(), "step-1.niah-0");
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_TRUE(read_scores(folder.path()).problems.empty()) << "a draft is no score";
}

TEST(Score, NamesOfCurves) {
    EXPECT_EQ(score_metric("ruler", "NIAH average"), "score/ruler/niah-average");
    EXPECT_EQ(score_metric("ruler", "RULER <= 4K"), "score/ruler/ruler-up-to-4k");
    EXPECT_EQ(score_metric("ruler", "> 4K"), "score/ruler/above-4k");
    EXPECT_EQ(score_metric("loss", "loss"), "score/loss/loss");
}

TEST_F(RunTest, ACopyOfARunTakesItsScoresAlong) {
    ASSERT_TRUE(write_score(folder_.scores_folder(), small_score(), small_answers()));
    const auto copy = copy_run(folder_, temporary_ / "copy", false);
    ASSERT_TRUE(copy) << describe(copy.error());
    const ScoreList list = read_scores(*copy);
    ASSERT_EQ(list.scores.size(), 1U);
    EXPECT_EQ(read_answers(list.scores[0]).value().size(), 2U);
}

}  // namespace
}  // namespace braid
