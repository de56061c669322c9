// Prefill and decoding of batches whose sequences have different lengths.
#include "core/engine/inference.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/engine/continuation.h"
#include "tests/engine/tiny.h"

namespace braid::test {
namespace {

constexpr std::int64_t capacity = 60;

at::Tensor logits_behind(Model& model, const at::Tensor& tokens_T, std::int64_t position) {
    return model.logits(tokens_T.unsqueeze(0), at::tensor({std::int64_t{0}, position}).view({1, 2}))
        .squeeze(0);
}

class Inference : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Patterns, Inference,
                         testing::Values("FS[w=5] x1", "LMG x1", "{S[w=7]:2 G[conv]:2} F[nope,logn=16] x1",
                                         "F[bias,qknorm,rotary=0.5] x1"),
                         [](const auto& each) { return "p" + std::to_string(each.index); });

TEST_P(Inference, SequencesOfDifferentLengthsGoOnTogether) {
    const auto model = test::model(architecture(GetParam()), at::kDouble);
    Generator generator(*model, 8);
    const std::int64_t lengths[] = {3, 21, 40};
    std::vector<at::Tensor> texts;
    std::vector<InferenceState> states;
    for (std::int64_t i = 0; i < 3; ++i) {
        texts.push_back(batch(1, capacity, 19, std::uint64_t(i + 1)).tokens_BT.squeeze(0));
        states.push_back(generator.start(1, capacity));
        const at::Tensor last =
            generator.prefill(states.back(), texts.back().narrow(0, 0, lengths[i]).unsqueeze(0));
        EXPECT_LE(relative_error(last.squeeze(0), logits_behind(*model, texts.back(), lengths[i] - 1)),
                  1e-11);
    }
    InferenceState state = InferenceState::stack(states);
    ASSERT_EQ(state.lengths(), (std::vector<std::int64_t>{3, 21, 40}));
    const auto follow = [&](const std::vector<std::int64_t>& who, int steps) {
        for (int step = 0; step < steps; ++step) {
            std::vector<at::Tensor> next;
            const std::vector<std::int64_t> at = state.lengths();
            for (std::size_t i = 0; i < who.size(); ++i) next.push_back(texts[std::size_t(who[i])][at[i]]);
            const at::Tensor got = generator.step(state, at::stack(next));
            for (std::size_t i = 0; i < who.size(); ++i)
                EXPECT_LE(relative_error(got[std::int64_t(i)],
                                         logits_behind(*model, texts[std::size_t(who[i])], at[i])),
                          1e-11)
                    << "sequence " << who[i] << " at " << at[i];
        }
    };
    follow({0, 1, 2}, 10);
    // The second has ended; the first comes twice.
    state = state.select(std::vector<std::int64_t>{2, 0, 0});
    follow({2, 0, 0}, 5);
}

TEST_P(Inference, TheLikeliestTokensAreThoseOfSingleSteps) {
    const auto model = test::model(architecture(GetParam()), at::kDouble);
    Generator generator(*model, 8);
    const at::Tensor tokens = batch(2, 13, 19).tokens_BT;
    InferenceState state = generator.start(2, capacity), same = generator.start(2, capacity);
    at::Tensor next_B = generator.prefill(state, tokens).argmax(-1);
    const at::Tensor first_B = generator.prefill(same, tokens).argmax(-1);
    const at::Tensor found_nB = generator.greedy(state, next_B, 9);
    ASSERT_EQ(found_nB.sizes(), (std::vector<std::int64_t>{9, 2}));
    EXPECT_EQ(state.lengths(), (std::vector<std::int64_t>{22, 22}));
    next_B = first_B;
    for (std::int64_t i = 0; i < 9; ++i) {
        next_B = generator.step(same, next_B).argmax(-1);
        EXPECT_TRUE(next_B.equal(found_nB[i])) << i;
    }
    // One state after the other, each from where it was.
    const at::Tensor more_nB = generator.greedy(state, found_nB[8], 2);
    EXPECT_TRUE(generator.step(same, next_B).argmax(-1).equal(more_nB[0]));
    EXPECT_THROW(generator.greedy(state, next_B, capacity), std::invalid_argument);
}

TEST(Inference, RefusesWhatHasNoRoom) {
    const auto model = test::model(architecture("FG x1"), at::kFloat);
    Generator generator(*model);
    InferenceState state = generator.start(2, 10);
    const at::Tensor tokens = batch(2, 11, 19).tokens_BT;
    EXPECT_THROW(generator.prefill(state, tokens), std::invalid_argument);
    EXPECT_THROW(generator.prefill(state, tokens.narrow(0, 0, 1)), std::invalid_argument);
    EXPECT_THROW(generator.start(0, 10), std::invalid_argument);
    generator.prefill(state, tokens.narrow(1, 0, 10));
    EXPECT_THROW(generator.step(state, tokens.select(1, 0)), std::invalid_argument);
    EXPECT_THROW(state.select(std::vector<std::int64_t>{2}), std::invalid_argument);
    InferenceState ragged[] = {generator.start(1, 10), generator.start(1, 10)};
    generator.prefill(ragged[0], tokens.narrow(0, 0, 1).narrow(1, 0, 2));
    generator.prefill(ragged[1], tokens.narrow(0, 0, 1).narrow(1, 0, 3));
    InferenceState both = InferenceState::stack(ragged);
    EXPECT_THROW(generator.prefill(both, tokens.narrow(1, 0, 2)), std::invalid_argument);
}

TEST(Inference, APrefillEndsWhereItsReceiverSaysSo) {
    const std::unique_ptr<Model> model = test::model(architecture("FS[w=4] x1"), at::kDouble);
    const at::Tensor tokens = batch(1, 12, 19).tokens_BT;
    Generator generator(*model, 4);
    InferenceState state = generator.start(1, 12);
    std::int64_t calls = 0;
    generator.prefill(state, tokens, [&](std::int64_t, const at::Tensor&) { return ++calls < 2; });
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(state.lengths().front(), 8) << "no chunk behind the one that was refused";
    // The error of a text's receiver is what comes back.
    const std::vector<std::int64_t> text(12, 1);
    calls = 0;
    const Result<void> full =
        text_logits(*model, text, [&](std::int64_t, std::span<const float>) -> Result<void> {
            ++calls;
            return fail(ErrorKind::no_space, "the disk is full");
        });
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().kind, ErrorKind::no_space);
    EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace braid::test
