// Cells of a score, and the questions of the token task.
#include "core/measure/question_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/data/niah.h"
#include "tests/measure/small_model.h"

namespace braid::testing {
namespace {

QuestionCell cell(const char* task, std::int64_t samples, double right) {
    return {
        .task = task, .length = 8, .samples = samples, .new_tokens = 2, .make = [right](std::int64_t index) {
            return Result<AskedQuestion>(AskedQuestion{
                .prompt = {1, 2, static_cast<std::int32_t>(index)},
                .cut = index == 0,
                .mark = [right, index](const std::string&) { return index % 2 == 0 ? right : 0; }});
        }};
}

TEST(QuestionRun, MarksBecomeMeansWithErrors) {
    const auto model = small_model(40);
    std::vector<QuestionCell> cells = {cell("a", 4, 1), cell("b", 1, 0.5), cell("c", 3, 1)};
    cells[2].no_data = "needs a file";
    const auto results =
        ask_questions(*model, cells, {.text = [](auto tokens) { return std::to_string(tokens.size()); }});
    ASSERT_TRUE(results) << describe(results.error());
    ASSERT_EQ(results->scores.size(), 3U);
    EXPECT_EQ(results->scores[0].value, 50);
    EXPECT_NEAR(*results->scores[0].standard_error, 100 * std::sqrt(1.0 / 3 / 4), 1e-9);
    EXPECT_EQ(results->scores[0].truncated, 4) << "nothing ends an answer here";
    EXPECT_EQ(results->scores[1].value, 50);
    EXPECT_FALSE(results->scores[1].standard_error);
    EXPECT_FALSE(results->scores[2].value) << "no data is no zero";
    EXPECT_EQ(results->scores[2].no_data, "needs a file");
    ASSERT_EQ(results->answers.size(), 5U);
    EXPECT_EQ(results->answers[2].index, 2);
    EXPECT_EQ(results->answers[2].answer, "2");
}

TEST(QuestionRun, GoesOnBehindTheAnswersOfAnEarlierRun) {
    const auto model = small_model(40);
    const std::vector<QuestionCell> cells = {cell("a", 6, 1), cell("b", 3, 0.5)};
    std::vector<ScoreAnswer> kept;
    QuestionOptions options{.text = [](auto tokens) { return std::to_string(tokens.size()); },
                            .most_sequences = 2,
                            .keep =
                                [&](std::span<const ScoreAnswer> answers) {
                                    kept.insert(kept.end(), answers.begin(), answers.end());
                                    return kept.size() < 5 ? Result<void>()
                                                           : fail(ErrorKind::no_space, "full");
                                }};
    EXPECT_EQ(ask_questions(*model, cells, options).error().kind, ErrorKind::no_space);
    ASSERT_GE(kept.size(), 5U);
    ASSERT_LT(kept.size(), 9U);
    options.known = kept;
    std::size_t asked = 0;
    options.keep = [&](std::span<const ScoreAnswer> answers) {
        asked += answers.size();
        return Result<void>();
    };
    const auto resumed = ask_questions(*model, cells, options);
    ASSERT_TRUE(resumed) << describe(resumed.error());
    EXPECT_EQ(asked, 9 - kept.size());
    options.known.clear();
    const auto at_once = ask_questions(*model, cells, options);
    EXPECT_EQ(resumed->scores, at_once->scores);
    EXPECT_EQ(resumed->answers, at_once->answers);
}

TEST(QuestionRun, AQuestionThatDoesNotFitIsLeftOut) {
    const auto model = small_model(40);
    std::vector<QuestionCell> cells = {cell("a", 5, 1), cell("b", 2, 1)};
    const auto too_long = [] { return fail(ErrorKind::invalid_input, "a: needs a length of at least 9"); };
    cells[0].make = [make = cells[0].make, too_long](std::int64_t index) -> Result<AskedQuestion> {
        if (index == 1 || index == 2) return too_long();
        return make(index);
    };
    cells[1].make = [too_long](std::int64_t) -> Result<AskedQuestion> { return too_long(); };
    std::int64_t done = 0, all = 0;
    const auto results = ask_questions(*model, cells,
                                       {.text = [](auto) { return std::string(); },
                                        .go_on =
                                            [&](auto d, auto a) {
                                                done = d, all = a;
                                                return true;
                                            }});
    ASSERT_TRUE(results) << describe(results.error());
    EXPECT_EQ(results->scores[0].samples, 3);
    EXPECT_EQ(results->scores[0].left_out, 2);
    EXPECT_NEAR(*results->scores[0].value, 100 * 2.0 / 3, 1e-9) << "0 and 4 of 0, 3, 4";
    EXPECT_FALSE(results->scores[1].value);
    EXPECT_EQ(results->scores[1].left_out, 2);
    EXPECT_EQ(results->scores[1].no_data, "a: needs a length of at least 9");
    ASSERT_EQ(results->answers.size(), 3U);
    EXPECT_EQ(results->answers[1].index, 3);
    EXPECT_EQ(all, 3) << "what is left out is not waited for";
}

TEST(QuestionRun, AnAnswerOfFixedLengthIsNotTruncated) {
    const auto model = small_model(40);
    std::vector<QuestionCell> cells = {cell("a", 4, 1)};
    cells[0].fixed_length = true;
    const auto results = ask_questions(*model, cells, {.text = [](auto) { return std::string(); }});
    ASSERT_TRUE(results) << describe(results.error());
    EXPECT_EQ(results->scores[0].truncated, 1) << "the prompt that was cut";
}

TEST(QuestionRun, AnInterruptionCostsOneBatch) {
    const auto model = small_model(40);
    const std::vector<QuestionCell> cells = {cell("a", 12, 1)};
    std::vector<std::size_t> kept;
    // Room for far less than most_sequences, as at long lengths.
    const QuestionOptions options{.text = [](auto) { return std::string(); },
                                  .state_bytes = 1,
                                  .keep =
                                      [&](std::span<const ScoreAnswer> answers) {
                                          kept.push_back(answers.size());
                                          return Result<void>();
                                      },
                                  .go_on = [&](auto, auto) { return kept.size() < 3; }};
    EXPECT_EQ(ask_questions(*model, cells, options).error().kind, ErrorKind::interrupted);
    EXPECT_EQ(kept, (std::vector<std::size_t>{1, 1, 1}));
}

TEST(QuestionRun, AQuestionThatCannotBeMadeEndsIt) {
    const auto model = small_model(40);
    std::vector<QuestionCell> cells = {cell("a", 2, 1)};
    cells[0].make = [](std::int64_t) -> Result<AskedQuestion> { return fail(ErrorKind::io, "gone"); };
    EXPECT_EQ(ask_questions(*model, cells, {}).error().kind, ErrorKind::io);
    cells[0] = cell("a", 2, 1);
    EXPECT_EQ(ask_questions(*model, cells, {.go_on = [](auto, auto) { return false; }}).error().kind,
              ErrorKind::interrupted);
}

TEST(NiahQuestion, AsksForTheNeedleAtTheDepth) {
    ParameterValues values;
    values.set("asked", std::int64_t{3});
    values.set("value_tokens", std::int64_t{2});
    const NiahParameters parameters = niah_parameters(values);
    for (const double depth : {0.0, 0.3, 1.0})
        for (std::int64_t index = 0; index < 20; ++index) {
            const NiahQuestion question = niah_question(values, 128, depth, 42, index);
            const auto& prompt = question.prompt;
            ASSERT_EQ(question.answer.size(), 2U);
            // prompt and all but the last token of the answer are what training reads
            EXPECT_EQ(prompt.size() + question.answer.size(), 129U);
            EXPECT_EQ(prompt[prompt.size() - 2], 1) << "ask";
            const std::vector<std::int32_t> needle = {0, prompt.back(), question.answer[0],
                                                      question.answer[1]};
            const auto found = std::search(prompt.begin(), prompt.end(), needle.begin(), needle.end());
            ASSERT_NE(found, prompt.end());
            EXPECT_NEAR(question.depth, depth, 0.12) << "needles before it move it";
            EXPECT_LT(*std::max_element(prompt.begin(), prompt.end()), parameters.vocab());
        }
    EXPECT_EQ(niah_question(values, 128, 0.3, 42, 5).prompt, niah_question(values, 128, 0.3, 42, 5).prompt);
    EXPECT_NE(niah_question(values, 128, 0.3, 42, 5).prompt, niah_question(values, 128, 0.3, 42, 6).prompt);
    EXPECT_NE(niah_question(values, 128, 0.3, 42, 5).prompt, niah_question(values, 128, 0.3, 43, 5).prompt);
    EXPECT_EQ(niah_token_text({}, 2), "key-0");
    EXPECT_EQ(niah_token_text({}, 2 + 32 + 5), "value-5");
    EXPECT_EQ(niah_token_text({}, 2 + 64), "filler-0");
    EXPECT_FALSE(check_niah_question(values, 20).empty());
    EXPECT_TRUE(check_niah_question(values, 128).empty());
}

}  // namespace
}  // namespace braid::testing
