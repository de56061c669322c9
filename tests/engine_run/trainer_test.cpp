#include "core/engine/trainer.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/from_blob.h>

#include <cmath>
#include <limits>
#include <thread>

#include "core/data/corpus.h"
#include "core/engine/checkpoint.h"
#include "core/engine/device.h"
#include "core/engine/longce.h"
#include "core/engine/step_clock.h"
#include "tests/engine_run/run_fixture.h"

namespace braid::testing {
namespace {

std::unique_ptr<Trainer> make_trainer(TrainingSpec training = short_training()) {
    Result<std::unique_ptr<Trainer>> made =
        Trainer::create({.architecture = tiny_architecture(), .training = training, .data = {}},
                        open_device("cpu", training.threads).value());
    EXPECT_TRUE(made) << describe(made.error());
    return std::move(*made);
}

StepResult advance(Trainer& trainer) {
    return **trainer.advance([] { return true; });
}

TEST(Trainer, AccumulationChangesOnlyTheRounding) {
    TrainingSpec whole = short_training();
    whole.micro_batches = 1;
    TrainingSpec parts = short_training();
    parts.micro_batches = 4;
    const auto one = make_trainer(whole);
    const auto four = make_trainer(parts);
    for (int i = 0; i < 3; ++i) {
        const StepResult a = advance(*one);
        const StepResult b = advance(*four);
        EXPECT_NEAR(a.loss, b.loss, 1e-4 * a.loss);
        EXPECT_NEAR(a.grad_norm, b.grad_norm, 1e-3 * a.grad_norm);
    }
}

TEST(Trainer, AStepThatIsGivenUpChangesNothing) {
    const auto trainer = make_trainer();
    advance(*trainer);
    const at::Tensor before = trainer->model().parameters().values().clone();
    int asked = 0;
    const auto given_up = trainer->advance([&] { return ++asked < 2; });
    ASSERT_TRUE(given_up);
    EXPECT_FALSE(given_up->has_value());
    EXPECT_EQ(trainer->step(), Step(1));
    EXPECT_TRUE(at::equal(before, trainer->model().parameters().values()));
}

TEST(Trainer, AStepThatIsNotFiniteChangesNoWeight) {
    const auto trainer = make_trainer();
    advance(*trainer);
    at::Tensor values = trainer->model().parameters().values();
    const Parameter& norm = *trainer->model().parameters().find("model.norm.weight");
    trainer->model().parameters().value(norm).fill_(std::numeric_limits<float>::infinity());
    const at::Tensor before = values.clone();
    const StepResult step = advance(*trainer);
    EXPECT_FALSE(step.applied);
    EXPECT_EQ(step.step, Step(2)) << "the batch is used up";
    EXPECT_TRUE(at::equal(before, values));
    EXPECT_EQ(trainer->optimizer().steps_done(), 1);
}

TEST(Trainer, SetupsAreCheckedAllAtOnce) {
    TrainerSetup setup{.architecture = tiny_architecture(), .training = short_training(), .data = {}};
    setup.architecture.heads = 3;
    setup.training.micro_batches = 3;
    setup.data.kind = "nosuch";
    const auto made = Trainer::create(setup, open_device("cpu", 2).value());
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::invalid_input);
    for (const char* word : {"architecture.", "training.micro_batches", "nosuch"})
        EXPECT_NE(made.error().message.find(word), std::string::npos) << made.error().message;
}

TEST(Trainer, TheDataNeedTheirVocabulary) {
    TrainerSetup setup{.architecture = tiny_architecture(), .training = short_training(), .data = {}};
    setup.architecture.vocab = 48;
    const auto made = Trainer::create(setup, open_device("cpu", 2).value());
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("architecture.vocab: must be at least 64"), std::string::npos)
        << made.error().message;
}

class CheckpointTest : public RunTest {
protected:
    std::string place(const std::string& name = "step-00000002") const { return (folder_ / name).string(); }
};

TEST_F(CheckpointTest, HoldsEverything) {
    const auto trainer = make_trainer();
    advance(*trainer);
    advance(*trainer);
    const auto bytes = save_checkpoint(place(), *trainer, 1.5);
    ASSERT_TRUE(bytes) << describe(bytes.error());
    EXPECT_GT(*bytes, 0);
    const auto other = make_trainer();
    const auto state = load_checkpoint(place(), *other);
    ASSERT_TRUE(state) << describe(state.error());
    EXPECT_EQ(state->step, Step(2));
    EXPECT_EQ(state->tokens, TokenCount(2 * 4 * 128));
    EXPECT_EQ(state->training_seconds, 1.5);
    for (int i = 0; i < 3; ++i) {
        const StepResult a = advance(*trainer);
        const StepResult b = advance(*other);
        EXPECT_EQ(a.loss, b.loss);
        EXPECT_EQ(a.grad_norm, b.grad_norm);
    }
    EXPECT_TRUE(at::equal(trainer->model().parameters().values(), other->model().parameters().values()));
}

TEST_F(CheckpointTest, ForeignAndDamagedOnesAreNamed) {
    const auto trainer = make_trainer();
    advance(*trainer);
    ASSERT_TRUE(save_checkpoint(place(), *trainer, 0));
    const auto error_after = [&](const std::string& file, const std::function<void(std::string&)>& damage) {
        const std::string kept = read_file(place() + "/" + file).value();
        std::string bytes = kept;
        damage(bytes);
        EXPECT_TRUE(write_file_atomically(place() + "/" + file, bytes));
        const auto other = make_trainer();
        const auto state = load_checkpoint(place(), *other);
        EXPECT_TRUE(write_file_atomically(place() + "/" + file, kept));
        return state ? std::string("loaded") : describe(state.error());
    };
    EXPECT_NE(
        error_after("model.safetensors", [](std::string& s) { s.resize(s.size() / 2); }).find("cut short"),
        std::string::npos);
    EXPECT_NE(error_after("model.safetensors", [](std::string& s) { s.back() ^= 1; }).find("not the ones"),
              std::string::npos);
    EXPECT_NE(error_after("optimizer.safetensors", [](std::string& s) { s[s.size() - 9] ^= 1; })
                  .find("not the one that was written"),
              std::string::npos);
    EXPECT_NE(error_after("state.json", [](std::string& s) { s = "{}"; }).find("no schema"),
              std::string::npos);
    EXPECT_NE(error_after("state.json", [](std::string& s) { s.clear(); }).find("not JSON"),
              std::string::npos);
    const auto foreign = Trainer::create(
        {.architecture = tiny_architecture("FS[w=8] x1"), .training = short_training(), .data = {}},
        open_device("cpu", 2).value());
    EXPECT_NE(describe(load_checkpoint(place(), **foreign).error()).find("another architecture"),
              std::string::npos);
}

TEST_F(CheckpointTest, ReplacesAnOlderOneOnlyWhenComplete) {
    const auto trainer = make_trainer();
    advance(*trainer);
    ASSERT_TRUE(save_checkpoint(place(), *trainer, 0));
    const std::string before = read_file(place() + "/model.safetensors").value();
    advance(*trainer);
    trainer->model().parameters().values().fill_(std::numeric_limits<float>::quiet_NaN());
    const auto refused = save_checkpoint(place(), *trainer, 0);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("not finite"), std::string::npos);
    EXPECT_TRUE(before == read_file(place() + "/model.safetensors").value());
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "nothing is left behind";
}

TEST_F(CheckpointTest, InterruptedWritesAreCleanedUp) {
    std::filesystem::create_directories(folder_ / ".unfinished-step-00000004");
    std::filesystem::create_directories(folder_ / ".replaced-step-00000002");
    std::filesystem::create_directories(folder_ / "step-00000010");
    std::filesystem::create_directories(folder_ / "step-x");
    remove_unfinished_checkpoints(folder_.string());
    EXPECT_EQ(list_checkpoints(folder_.string()), (std::vector<Step>{Step(10), Step(2)}))
        << "a checkpoint whose replacement was interrupted comes back";
    EXPECT_FALSE(std::filesystem::exists(folder_ / ".unfinished-step-00000004"));
}

TEST(StepClock, CountsNoPause) {
    StepClock clock;
    clock.continue_from(100);
    clock.begin_step();
    clock.hold();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    clock.release();
    clock.end_step(1000);
    EXPECT_LT(clock.seconds(), 100.04);
    EXPECT_GT(clock.seconds(), 100);
    EXPECT_TRUE(std::isnan(clock.seconds_left(10)));
}

// Documents of a packed sequence that are kept apart: the first step's loss is the mean over documents of
// what each has alone, and the switch is part of the plan.
class SeparateDocumentsTest : public RunTest {
protected:
    std::unique_ptr<Trainer> make(bool separate, const std::string& loss = "mean") const {
        const std::string corpus = (folder_ / "corpus").string();
        if (!std::filesystem::exists(corpus)) {
            std::string lines;
            for (int i = 0; i < 400; ++i)
                lines.append("{\"text\": \"")
                    .append(std::string(std::size_t(5 + i % 37), char('a' + i % 26)))
                    .append(std::to_string(i))
                    .append("\"}\n");
            EXPECT_TRUE(write_file_atomically((folder_ / "texts.jsonl").string(), lines));
            EXPECT_TRUE(build_corpus({(folder_ / "texts.jsonl").string()}, corpus, {}));
        }
        TrainingSpec training = short_training();
        training.context = 64;
        training.loss = loss;
        DataSpec data{.kind = "corpus", .corpus = corpus};
        data.parameters.set("separate", separate);
        ArchitectureSpec spec = tiny_architecture("FL x1");
        spec.vocab = 260;
        auto made = Trainer::create({.architecture = spec, .training = training, .data = data},
                                    open_device("cpu", 2).value());
        EXPECT_TRUE(made) << describe(made.error());
        return std::move(*made);
    }

    // Mean loss over the targets where each document is a sequence of its own.
    static double alone(Trainer& trainer, const Batch& batch) {
        const auto context = std::size_t(batch.context);
        std::vector<std::int32_t> starts(batch.tokens_BT.size());
        document_starts(batch.tokens_BT, batch.context, trainer.data().document_token(), starts);
        double sum = 0;
        std::int64_t targets = 0;
        for (std::size_t begin = 0, end = 0; begin < starts.size(); begin = end) {
            for (end = begin + 1; end % context != 0 && starts[end] == starts[begin];) ++end;
            const auto piece = [&](const std::vector<std::int32_t>& numbers) {
                return at::from_blob(const_cast<std::int32_t*>(numbers.data()) + begin,
                                     {1, std::int64_t(end - begin)}, at::kInt);
            };
            const auto answer = trainer.model().evaluate(piece(batch.tokens_BT), piece(batch.targets_BT));
            sum += answer.loss_BT.sum().item().toDouble();
            for (std::size_t i = begin; i < end; ++i) targets += batch.targets_BT[i] >= 0 ? 1 : 0;
        }
        return sum / double(targets);
    }
};

TEST_F(SeparateDocumentsTest, ATokenSeesItsOwnDocumentAlone) {
    const auto together = make(false), apart = make(true);
    const StepResult a = advance(*together), b = advance(*apart);
    EXPECT_NE(a.loss, b.loss);
    // By hand: every document alone, with the weights before the step.
    const auto fresh = make(false);
    const Batch batch = *fresh->data().batch(Step(0), 0, 4);
    EXPECT_NEAR(b.loss, alone(*fresh, batch), 1e-4 * b.loss);
    const EvaluationSet set = *apart->data().evaluation();
    EXPECT_NEAR(make(true)->evaluate()->at("eval/loss"), alone(*fresh, set.batch), 1e-3);
}

TEST_F(SeparateDocumentsTest, LongceWeightsDoNotKnowOtherDocuments) {
    const auto trainer = make(true, "longce");
    Batch batch = *trainer->data().batch(Step(0), 0, 2);
    const auto view = [](const std::vector<std::int32_t>& numbers) {
        return at::from_blob(const_cast<std::int32_t*>(numbers.data()), {2, 64}, at::kInt);
    };
    std::vector<std::int32_t> starts(batch.tokens_BT.size());
    document_starts(batch.tokens_BT, 64, trainer->data().document_token(), starts);
    const auto weights = [&](const at::Tensor& starts_BT) {
        return longce_weights(trainer->model(), view(batch.tokens_BT), view(batch.targets_BT),
                              {.window = 16, .cap = 5}, starts_BT);
    };
    const std::int64_t last = starts[63];  // of the first sequence; other documents lie before it
    ASSERT_GT(last, 16);
    const at::Tensor apart = weights(view(starts)), together = weights({});
    batch.tokens_BT[std::size_t(last) - 2] ^= 1;
    const auto of_last = [&](const at::Tensor& x) { return x.select(0, 0).narrow(0, last, 64 - last); };
    EXPECT_TRUE(at::equal(of_last(weights(view(starts))), of_last(apart)));
    EXPECT_FALSE(at::equal(of_last(weights({})), of_last(together)));
    EXPECT_TRUE(std::isfinite(advance(*trainer).loss));
}

}  // namespace
}  // namespace braid::testing
