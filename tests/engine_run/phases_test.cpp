// Runs in phases: they train what they say, resume across their borders and start from other runs' weights.
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sub.h>

#include <cmath>

#include "core/engine/checkpoint.h"
#include "core/engine/device.h"
#include "core/engine/longce.h"
#include "core/engine/trainer.h"
#include "tests/engine_run/run_fixture.h"

namespace braid::testing {
namespace {

TrainingSpec three_steps() {
    TrainingSpec training = short_training();
    training.steps = 3;
    training.warmup_steps = 1;
    training.decay_fraction = 0.34;
    training.head_norms_every = 1;
    return training;
}

std::unique_ptr<Trainer> make(const std::vector<std::string>& phases, TrainingSpec training = three_steps()) {
    TrainerSetup setup{.architecture = tiny_architecture(), .training = training, .data = {}};
    for (const std::string& text : phases) setup.phases.push_back(*parse_phase(text));
    auto made = Trainer::create(setup, open_device("cpu", training.threads).value());
    EXPECT_TRUE(made) << describe(made.error());
    return std::move(*made);
}

StepResult advance(Trainer& trainer) {
    auto step = trainer.advance([] { return true; });
    EXPECT_TRUE(step) << describe(step.error());
    return **step;
}

class PhasesTest : public RunTest {};

const std::vector<std::string> three_phases = {
    "name=longer,steps=3,context=256,batch=2,micro_batches=1,swa.window=32",
    "name=drope,steps=2,full.position=nope,learning_rate=1e-4"};

TEST_F(PhasesTest, ChangeContextWindowsAndPositions) {
    const auto trainer = make(three_phases);
    std::vector<double> rates;
    for (int i = 0; i < 8; ++i) rates.push_back(advance(*trainer).learning_rate);
    EXPECT_EQ(trainer->step(), trainer->steps());
    EXPECT_EQ(trainer->phase_index(), 2U);
    EXPECT_EQ(trainer->tokens(), TokenCount(3 * 4 * 128 + 5 * 2 * 256));
    EXPECT_EQ(trainer->model().spec().layers[0].groups[0].parameters.find("position")->index(), 3U);
    EXPECT_LT(rates[2], rates[1]) << "the first phase decays";
    EXPECT_EQ(rates[3], rates[1]) << "the second begins at its peak again";
    EXPECT_EQ(rates[6], 1e-4);
    EXPECT_TRUE(trainer->evaluate());
}

// A checkpoint at any step, the last of a phase among them, goes on bit for bit.
TEST_F(PhasesTest, ResumeIsBitExactAcrossTheBorders) {
    const auto straight = make(three_phases);
    std::vector<StepResult> steps;
    for (int i = 0; i < 8; ++i) steps.push_back(advance(*straight));
    for (const int at : {2, 3, 4, 6, 7}) {
        const std::string folder = (folder_ / ("at-" + std::to_string(at))).string();
        const auto before = make(three_phases);
        for (int i = 0; i < at; ++i) advance(*before);
        ASSERT_TRUE(save_checkpoint(folder, *before, 0));
        const auto after = make(three_phases);
        const auto state = load_checkpoint(folder, *after);
        ASSERT_TRUE(state) << at << ": " << describe(state.error());
        EXPECT_EQ(state->tokens, before->tokens());
        for (int i = at; i < 8; ++i) {
            const StepResult step = advance(*after);
            EXPECT_EQ(step.loss, steps[std::size_t(i)].loss) << "resumed at " << at << ", step " << i + 1;
            EXPECT_EQ(step.learning_rate, steps[std::size_t(i)].learning_rate);
        }
        EXPECT_TRUE(at::equal(after->model().parameters().values(), straight->model().parameters().values()))
            << at;
    }
}

TEST_F(PhasesTest, MoreMicroBatchesAfterAResumeChangeOnlyTheRounding) {
    const auto before = make({});
    advance(*before);
    const std::string folder = (folder_ / "one").string();
    ASSERT_TRUE(save_checkpoint(folder, *before, 0));
    TrainingSpec parts = three_steps();
    parts.micro_batches = 4;
    const auto after = make({}, parts);
    ASSERT_TRUE(load_checkpoint(folder, *after));
    for (int i = 0; i < 2; ++i) {
        const double a = advance(*before).loss, b = advance(*after).loss;
        std::printf("micro-batches 2 and 4: loss %.9f and %.9f, relative difference %.1e\n", a, b,
                    std::fabs(a - b) / a);
        EXPECT_NEAR(a, b, 1e-5 * a);
    }
}

TEST_F(PhasesTest, PhasesThatWouldChangeParametersAreRefused) {
    TrainerSetup setup{.architecture = tiny_architecture(),
                       .training = three_steps(),
                       .data = {},
                       .phases = {*parse_phase("steps=2"), *parse_phase("steps=2,full.sink=false")}};
    const auto made = Trainer::create(setup, open_device("cpu", 1).value());
    ASSERT_FALSE(made) << "found before the first step, not at the border";
    EXPECT_EQ(made.error().kind, ErrorKind::invalid_input);
    EXPECT_NE(made.error().message.find("phases[1]: must keep the parameters"), std::string::npos)
        << made.error().message;
}

TEST_F(PhasesTest, WeightsOfAnotherRunAreAStart) {
    const auto first = make({});
    advance(*first);
    const std::string folder = (folder_ / "first").string();
    ASSERT_TRUE(save_checkpoint(folder, *first, 0));
    const auto second = make({});
    ASSERT_TRUE(load_weights(folder, second->model().parameters()));
    EXPECT_TRUE(at::equal(first->model().parameters().values(), second->model().parameters().values()));
    EXPECT_EQ(second->step(), Step(0));

    TrainerSetup other{.architecture = tiny_architecture(), .training = three_steps(), .data = {}};
    other.architecture.ffn_width *= 2;
    const auto wider = std::move(*Trainer::create(other, open_device("cpu", 2).value()));
    const auto refused = load_weights(folder, wider->model().parameters());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_input);
    EXPECT_NE(refused.error().message.find("mlp.gate_proj.weight: must be"), std::string::npos)
        << refused.error().message;
}

TEST_F(PhasesTest, HeadNormsAreThoseOfTheQueryProjections) {
    const auto trainer = make({});
    const StepResult step = advance(*trainer);
    const auto places = trainer->model().query_heads();
    const ArchitectureSpec& spec = trainer->model().spec();
    ASSERT_EQ(places.size(), spec.layers.size() * std::size_t(spec.heads));
    ASSERT_EQ(step.head_norms.size(), places.size());
    double sum = 0;
    for (const double norm : step.head_norms) {
        EXPECT_GT(norm, 0);
        sum += norm * norm;
    }
    // The gradients are still there: all heads of one matrix together are its norm.
    double matrices = 0;
    const ParameterStore& store = trainer->model().parameters();
    for (const Parameter& parameter : store.layout().parameters)
        if (parameter.name.find("q_proj") != std::string::npos)
            matrices += std::pow(store.gradient(parameter).norm().item().toDouble(), 2);
    EXPECT_NEAR(sum, matrices, 1e-5 * matrices);
}

TEST_F(PhasesTest, LongceWeighsWhatGainsFromContext) {
    TrainingSpec training = three_steps();
    training.loss = "longce";
    training.longce_window = 32;
    const auto trainer = make({}, training);
    auto batch = trainer->data().batch(Step(0), 0, 3);
    const auto tokens = at::from_blob(batch->tokens_BT.data(), {3, 128}, at::kInt);
    const auto targets = at::from_blob(batch->targets_BT.data(), {3, 128}, at::kInt);
    Model& model = trainer->model();
    const at::Tensor weights = longce_weights(model, tokens, targets, {.window = 32, .cap = 1.02});
    EXPECT_TRUE(at::equal(weights.narrow(1, 0, 32), at::ones({3, 32})));
    EXPECT_LE(weights.max().item().toDouble(), 1.02 + 1e-6);
    // Position 100 lies in the window [80, 112), position 127 in the last, [96, 128).
    const at::Tensor whole = model.evaluate(tokens, targets).loss_BT;
    for (const auto& [start, position] : {std::pair{80, 100}, {96, 127}}) {
        const at::Tensor part = model.evaluate(tokens.narrow(1, start, 32), targets.narrow(1, start, 32))
                                    .loss_BT.select(1, position - start);
        const at::Tensor expected = at::sub(part, whole.select(1, position)).exp().clamp_max(1.02);
        EXPECT_TRUE(at::allclose(weights.select(1, position), expected, 1e-4)) << position;
    }
    EXPECT_TRUE(std::isfinite(advance(*trainer).loss));
}

}  // namespace
}  // namespace braid::testing
