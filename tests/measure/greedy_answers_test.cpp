// Many prompts at once give what each gives alone.
#include "core/measure/greedy_answers.h"

#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/data/batch.h"
#include "tests/measure/small_model.h"

namespace braid::testing {
namespace {

constexpr std::int64_t vocab = 40;

std::vector<GreedyPrompt> some_prompts(std::int64_t count) {
    Random random(3, "test/prompts");
    std::vector<GreedyPrompt> prompts;
    for (std::int64_t i = 0; i < count; ++i) {
        GreedyPrompt prompt{.new_tokens = 1 + static_cast<std::int64_t>(random.below(20))};
        const std::uint64_t length = 1 + random.below(50);
        for (std::uint64_t t = 0; t < length; ++t)
            prompt.tokens.push_back(static_cast<std::int32_t>(random.below(vocab)));
        prompts.push_back(std::move(prompt));
    }
    return prompts;
}

// With the whole sequence read anew for each token: nothing of the states is used.
std::vector<std::int32_t> by_reading_anew(Model& model, const GreedyPrompt& prompt, std::int32_t stop) {
    std::vector<std::int32_t> ids = prompt.tokens, answer;
    while (static_cast<std::int64_t>(answer.size()) < prompt.new_tokens) {
        std::vector<std::int32_t> targets(ids.size(), no_target);
        const auto rows = [&](std::vector<std::int32_t>& n) {
            return at::from_blob(n.data(), {1, static_cast<std::int64_t>(n.size())}, at::kInt);
        };
        const at::Tensor top = model.evaluate(rows(ids), rows(targets)).top_BT;
        const auto next =
            static_cast<std::int32_t>(top[0][static_cast<std::int64_t>(ids.size()) - 1].item<std::int64_t>());
        if (next == stop) break;
        ids.push_back(next);
        answer.push_back(next);
    }
    return answer;
}

class EveryMixer : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryMixer, AnswersDoNotDependOnTheBatch) {
    const auto model = small_model(vocab, GetParam());
    const std::vector<GreedyPrompt> prompts = some_prompts(17);
    // A token that some answers end with.
    std::int32_t stop = -1;
    for (const GreedyPrompt& prompt : prompts)
        if (const auto answer = by_reading_anew(*model, prompt, -1); answer.size() > 3) stop = answer[2];
    ASSERT_GE(stop, 0);
    GreedyOptions options;
    options.stops.assign(vocab, false);
    options.stops[static_cast<std::size_t>(stop)] = true;
    std::int64_t ended = 0;
    for (const std::int64_t batch : {1, 5, 64}) {
        options.most_sequences = batch;
        const auto answers = greedy_answers(*model, prompts, options);
        ASSERT_TRUE(answers) << describe(answers.error());
        ASSERT_EQ(answers->size(), prompts.size());
        for (std::size_t i = 0; i < prompts.size(); ++i) {
            EXPECT_EQ((*answers)[i].tokens, by_reading_anew(*model, prompts[i], stop))
                << "batch " << batch << ", prompt " << i;
            const bool full = static_cast<std::int64_t>((*answers)[i].tokens.size()) == prompts[i].new_tokens;
            EXPECT_EQ((*answers)[i].truncated, full);
            ended += full ? 0 : 1;
        }
    }
    EXPECT_GT(ended, 0);
    options.state_bytes = 1;  // one at a time, however large its state is
    EXPECT_EQ(greedy_answers(*model, prompts, options)->at(3).tokens,
              by_reading_anew(*model, prompts[3], stop));
}
INSTANTIATE_TEST_SUITE_P(Greedy, EveryMixer, ::testing::Values("FS[w=4] x1", "LF x1", "MF x1", "GF x1"));

// Its frequencies depend on how long a text becomes: on the prompt's own length, not on its neighbours'.
TEST(GreedyAnswers, OfDynamicScalingDoNotDependOnTheBatch) {
    const auto model = small_model(vocab, "F[rope_scaling=dynamic,rope_context=8,rope_factor=8] x2");
    std::vector<GreedyPrompt> prompts = some_prompts(16);
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        prompts[i].new_tokens = 12;
        prompts[i].tokens.resize(i % 2 == 0 ? 9 : 20 + i, static_cast<std::int32_t>(i));
    }
    const auto alone = greedy_answers(*model, prompts, {.most_sequences = 1});
    const auto together = greedy_answers(*model, prompts, {.most_sequences = 64});
    ASSERT_TRUE(alone && together);
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        EXPECT_EQ(together->at(i).tokens, alone->at(i).tokens) << i;
        const std::vector<GreedyPrompt> one = {prompts[i]};
        EXPECT_EQ(greedy_answers(*model, one)->at(0).tokens, alone->at(i).tokens) << i;
    }
}

TEST(GreedyAnswers, TheTokenThatEndsAnAnswerIsAPartOfIt) {
    const auto model = small_model(vocab);
    std::vector<GreedyPrompt> prompts = some_prompts(6);
    for (GreedyPrompt& prompt : prompts) prompt.new_tokens = 3;
    prompts[2].new_tokens = 2;
    const auto answers =
        greedy_answers(*model, prompts, {.ended = [](auto answer) { return answer.size() == 3; }});
    ASSERT_TRUE(answers) << describe(answers.error());
    EXPECT_EQ(answers->at(0).tokens, by_reading_anew(*model, prompts[0], -1));
    EXPECT_EQ(answers->at(0).tokens.size(), 3U);
    EXPECT_FALSE(answers->at(0).truncated) << "it ended, at the limit";
    EXPECT_TRUE(answers->at(2).truncated);
}

TEST(GreedyAnswers, AreHandedOverBatchByBatch) {
    const auto model = small_model(vocab);
    const std::vector<GreedyPrompt> prompts = some_prompts(7);
    std::vector<std::size_t> batches;
    std::vector<std::vector<std::int32_t>> taken(prompts.size());
    GreedyOptions options{.most_sequences = 3, .batch_done = [&](auto indices, auto answers) {
                              batches.push_back(indices.size());
                              for (std::size_t i = 0; i < indices.size(); ++i)
                                  taken[indices[i]] = answers[i].tokens;
                              return Result<void>();
                          }};
    const auto answers = greedy_answers(*model, prompts, options);
    ASSERT_TRUE(answers) << describe(answers.error());
    EXPECT_EQ(batches, (std::vector<std::size_t>{3, 3, 1}));
    for (std::size_t i = 0; i < prompts.size(); ++i) EXPECT_EQ(taken[i], answers->at(i).tokens) << i;
    options.batch_done = [](auto, auto) -> Result<void> { return fail(ErrorKind::no_space, "full"); };
    EXPECT_EQ(greedy_answers(*model, prompts, options).error().kind, ErrorKind::no_space);
}

TEST(GreedyAnswers, StopsWhenAsked) {
    const auto model = small_model(vocab);
    int asked = 0;
    const auto answers = greedy_answers(*model, some_prompts(6), {.go_on = [&](const GreedyProgress& now) {
        EXPECT_EQ(now.answers, 6);
        return ++asked < 5;
    }});
    ASSERT_FALSE(answers);
    EXPECT_EQ(answers.error().kind, ErrorKind::interrupted);
    EXPECT_EQ(asked, 5);
}

TEST(GreedyAnswers, EveryBadPromptIsNamed) {
    const auto model = small_model(vocab);
    const std::vector<GreedyPrompt> prompts = {{.tokens = {}, .new_tokens = 1},
                                               {.tokens = {40}, .new_tokens = 1},
                                               {.tokens = {1}, .new_tokens = 0},
                                               {.tokens = {-1}, .new_tokens = 1}};
    const auto answers = greedy_answers(*model, prompts);
    ASSERT_FALSE(answers);
    for (const char* place : {"prompts[0]: must have a token", "prompts[1]: must have tokens below",
                              "prompts[2].new_tokens", "prompts[3]"})
        EXPECT_NE(answers.error().message.find(place), std::string::npos) << answers.error().message;
    EXPECT_TRUE(greedy_answers(*model, {})->empty());
}

}  // namespace
}  // namespace braid::testing
