// What changes a model and scores it again: restriction, ablation, noise.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <cmath>

#include "core/measure/mechanism/interval.h"
#include "core/measure/mechanism/restriction.h"
#include "core/measure/mechanism/score_set.h"
#include "tests/measure/mechanism/measure_fixture.h"
#include "tests/measure/mechanism/slow_model.h"

namespace braid::test {
namespace {

constexpr std::int64_t sequences = 5;

// Mean loss and accuracy in loops.
struct SlowScore {
    double loss = 0, accuracy = 0;
};
SlowScore slow_score(const Model& model, const ScoreSet& set, const SlowChanges& changes) {
    double loss = 0, right = 0, targets = 0;
    for (std::int64_t b = 0; b < set.batch.sequences; ++b) {
        const auto begin = set.batch.tokens_BT.begin() + b * set.batch.context;
        const SlowPass pass = slow_pass(model, {begin, begin + set.batch.context}, changes);
        for (const std::int32_t t : set.positions[std::size_t(b)]) {
            const Vector& logits = pass.logits[std::size_t(t)];
            const auto target = std::size_t(set.batch.targets_BT[std::size_t(b * set.batch.context + t)]);
            loss += log_sum_exp(logits) - logits[target];
            right +=
                std::max_element(logits.begin(), logits.end()) - logits.begin() == std::ptrdiff_t(target);
            targets += 1;
        }
    }
    return {.loss = loss / targets, .accuracy = 100 * right / targets};
}

ScoreSet score_set(const MeasureInput& input) {
    Measured measured;
    return make_score_set(input, measured).value();
}

TEST(Restrict, ChangesAreThoseOfALoop) {
    for (const TinyTask& task : {tiny_niah(), tiny_recall()}) {
        const auto model = lively_model("F S[w=6] F[nope] S[w=30] x1", task);
        const MeasureInput input = tiny_input(
            "restrict", *model, task, values({{"samples", sequences}, {"horizon", std::string("4, 12")}}));
        const MeasuredRecord measured = must(input);
        const ScoreSet set = score_set(input);
        const MeasuredArray &loss = array_of(measured, "change_by_layer"),
                            &accuracy = array_of(measured, "accuracy_change_by_layer"),
                            &kinds = array_of(measured, "change_by_kind");
        const SlowScore base = slow_score(*model, set, {});
        double error = std::abs(measured.answer["base"].get<double>() - base.loss), accuracy_error = 0;
        for (std::size_t h = 0; h < 2; ++h) {
            const std::int64_t horizon = h == 0 ? 4 : 12;
            for (std::size_t l = 0; l < 4; ++l) {
                const SlowScore changed = slow_score(*model, set, {.horizon = {{std::int64_t(l), horizon}}});
                error = std::max(error, std::abs(loss.values[loss.at(h, l)] - (changed.loss - base.loss)));
                accuracy_error = std::max(accuracy_error, std::abs(accuracy.values[loss.at(h, l)] -
                                                                   (changed.accuracy - base.accuracy)));
            }
            const SlowScore full = slow_score(*model, set, {.horizon = {{0, horizon}, {2, horizon}}});
            error = std::max(error, std::abs(kinds.values[kinds.at(h, 0)] - (full.loss - base.loss)));
        }
        expect_error((task.kind + ", change of loss").c_str(), error, 1e-12);
        expect_error((task.kind + ", change of accuracy").c_str(), accuracy_error, 1e-9);
        EXPECT_EQ(loss.values[loss.at(1, 1)], 0) << "a window of 6 sees no farther than 12 anyway";
        EXPECT_LE(loss.low[0], loss.values[0]);
        EXPECT_GE(loss.high[0], loss.values[0]);
    }
}

// Recurrent layers by the definition, a token at a time: for each kept block a state that starts empty at the
// beginning of its window.
TEST(Restrict, RecurrentWindowsAreThoseOfTheDefinition) {
    const TinyTask task = tiny_niah();
    const auto data = batch(2, 47, task.vocab);
    for (const char* pattern : {"L x2", "G x2", "M x2", "G[conv] x1", "{F:2 G:2} x1"}) {
        const auto model = lively_model(pattern, task);
        const Horizon horizon{.tokens = 8, .stride = 5};
        const GroupChoice all = [](std::size_t, std::size_t) { return true; };
        ForwardTaps taps = restricted_taps(model->spec(), horizon, all);
        double error = 0;
        taps.mixed = [&](const GroupTap& tap) {
            if (model->spec().layers[0].groups[std::size_t(tap.group)].mixer == "full") return;
            const std::int64_t tokens = tap.in_BTC.size(1);
            for (std::int64_t t = 0; t < tokens; ++t) {
                // s >= H is the retained block's beginning; before the first block the window begins at 0.
                const std::int64_t block =
                    t < horizon.tokens
                        ? horizon.tokens
                        : horizon.tokens + (t - horizon.tokens) / horizon.stride * horizon.stride;
                MixerState state = tap.mixer.make_state(tap.ops, 2, tokens);
                at::Tensor out = at::empty({2, 1, tap.out_BTC.size(2)}, tap.out_BTC.options());
                for (std::int64_t s = block - horizon.tokens; s <= t; ++s)
                    tap.mixer.step(tap.ops, tap.parameters, tap.in_BTC.narrow(1, s, 1).contiguous(), out,
                                   state, {});
                error = std::max(error, relative_error(tap.out_BTC.narrow(1, t, 1), out));
            }
        };
        model->forward(data.tokens_BT, taps);
        expect_error((std::string(pattern) + ", windows").c_str(), error, 1e-12);
    }
}

TEST(Ablate, ZeroAndMeanAreThoseOfALoop) {
    const TinyTask task = tiny_recall();
    const auto model = lively_model("F S[w=6] x1", task);
    const MeasureInput zero = tiny_input("ablate", *model, task, values({{"samples", sequences}}));
    const ScoreSet set = score_set(zero);
    const SlowScore base = slow_score(*model, set, {});
    const MeasuredRecord measured = must(zero);
    const MeasuredArray& change = array_of(measured, "change");
    double error = 0;
    for (std::size_t l = 0; l < 2; ++l)
        for (std::size_t h = 0; h < 4; ++h) {
            const SlowScore without =
                slow_score(*model, set, {.zeroed = {{std::int64_t(l), std::int64_t(h)}}});
            error = std::max(error, std::abs(change.values[change.at(l, h)] - (without.loss - base.loss)));
        }
    expect_error("zero, each head alone", error, 1e-12);

    const MeasuredRecord means = must(tiny_input(
        "ablate", *model, task,
        values({{"samples", sequences}, {"mode", std::string("mean")}, {"heads", std::string("0.1, 1")}})));
    std::map<std::pair<std::int64_t, std::int64_t>, Vector> mean;
    for (std::int64_t b = 0; b < sequences; ++b) {
        const auto begin = set.batch.tokens_BT.begin() + b * set.batch.context;
        const SlowPass pass = slow_pass(*model, {begin, begin + set.batch.context});
        for (const auto& [layer, head] :
             std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1}, {1, 0}, {1, 1}, {1, 2}, {1, 3}}) {
            Vector& sum = mean[{layer, head}];
            sum.resize(8, 0);
            for (const Vector& output : pass.heads[std::size_t(layer)][std::size_t(head)])
                for (std::size_t i = 0; i < output.size(); ++i)
                    sum[i] += output[i] / double(sequences * set.batch.context);
        }
    }
    const SlowScore with_means = slow_score(*model, set, {.replaced = mean});
    expect_error("mean of five heads",
                 std::abs(array_of(means, "change").values[0] - (with_means.loss - base.loss)), 1e-12);
}

// Of a checkpoint that differs in one layer's mixer alone, patching that layer's heads gives its score.
TEST(Ablate, PatchedHeadsAreThoseOfTheOtherCheckpoint) {
    const TinyTask task = tiny_recall();
    const auto model = lively_model("F S[w=6] x1", task);
    const auto other = lively_model("F S[w=6] x1", task);
    other->parameters().value(*other->parameters().find("model.layers.1.self_attn.v_proj.weight")).mul_(-2);
    const MeasureInput input = with_other(tiny_input("ablate", *model, task,
                                                     values({{"samples", sequences},
                                                             {"mode", std::string("patch")},
                                                             {"from", std::string("other")},
                                                             {"heads", std::string("1")}})),
                                          *other, task);
    const MeasuredRecord measured = must(input);
    const ScoreSet set = score_set(input);
    const double wanted = slow_score(*other, set, {}).loss - slow_score(*model, set, {}).loss;
    EXPECT_GT(std::abs(wanted), 1e-3) << "the test would see nothing";
    expect_error("patch of a layer", std::abs(array_of(measured, "change").values[0] - wanted), 1e-12);
}

// The noise that is added has the size that is asked for, and is the same for the same seed.
TEST(Noise, HasItsSizeAndIsRepeatable) {
    const TinyTask task = tiny_niah();
    const auto model = lively_model("F S[w=6] x1", task);
    const auto given = values({{"samples", sequences}, {"sigma", std::string("0,0.1,3")}});
    const MeasuredRecord one = must(tiny_input("noise", *model, task, given));
    const MeasuredRecord two = must(tiny_input("noise", *model, task, given));
    const MeasuredArray& change = array_of(one, "change");
    ASSERT_EQ(change.axes[0].ticks.size(), 3U) << "full, swa, ffn";
    EXPECT_EQ(change.values, array_of(two, "change").values);
    for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(change.values[change.at(c, 0)], 0) << "no noise, no change";
        EXPECT_NE(change.values[change.at(c, 1)], 0);
        EXPECT_GT(std::abs(change.values[change.at(c, 2)]), std::abs(change.values[change.at(c, 1)]));
    }
}

TEST(Interval, OfMeansSharesAndRatios) {
    const Interval share = share_interval(8, 10);  // Wilson's of a textbook
    EXPECT_NEAR(share.low, 0.4901, 1e-4);
    EXPECT_NEAR(share.high, 0.9433, 1e-4);
    const std::vector<double> numbers = {1, 2, 3, 4, 5, 6, 7, 8};
    const Interval mean = mean_interval(numbers);
    EXPECT_DOUBLE_EQ(mean.value, 4.5);
    EXPECT_NEAR(mean.high - mean.value, 1.959964 * std::sqrt(6.0 / 8), 1e-6);
    const Interval drawn = bootstrap_ratio(numbers, std::vector<double>(8, 2), 4'000, 1);
    EXPECT_DOUBLE_EQ(drawn.value, 2.25);
    EXPECT_NEAR(drawn.low, 2.25 - 0.5 * 1.96 * std::sqrt(5.25 / 8), 0.06);
    EXPECT_NEAR(drawn.high, 2.25 + 0.5 * 1.96 * std::sqrt(5.25 / 8), 0.06);
    EXPECT_EQ(bootstrap_ratio(numbers, numbers, 100, 1).low, 1);
    EXPECT_TRUE(std::isnan(mean_interval({}).value));
    EXPECT_TRUE(std::isnan(bootstrap_ratio(std::vector<double>{1}, std::vector<double>{1}, 10, 1).low));
}

}  // namespace
}  // namespace braid::test
