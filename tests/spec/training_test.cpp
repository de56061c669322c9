#include "core/spec/training.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> messages(const Diagnostics& problems) {
    std::vector<std::string> result;
    for (const Diagnostic& each : problems) result.push_back(each.message());
    return result;
}

TEST(Training, DefaultsAreValidAndDescribed) {
    EXPECT_THAT(messages(validate(TrainingSpec{})), IsEmpty());
    for (const ParameterDescription& each : training_parameters()) {
        EXPECT_EQ(training_value(TrainingSpec{}, each.key), each.default_value) << each.key;
        EXPECT_FALSE(each.label.empty()) << each.key;
        EXPECT_FALSE(each.help.empty()) << each.key;
        EXPECT_FALSE(check_parameter(each, each.default_value, each.key)) << each.key;
    }
}

TEST(Training, EveryFieldIsReachedByItsKey) {
    TrainingSpec spec;
    for (const ParameterDescription& each : training_parameters()) {
        ParameterValue value = each.maximum;
        if (std::holds_alternative<std::int64_t>(each.default_value))
            value = static_cast<std::int64_t>(each.maximum);
        if (std::holds_alternative<std::string>(each.default_value)) value = each.choices.back();
        if (std::holds_alternative<bool>(each.default_value)) value = !std::get<bool>(each.default_value);
        const TrainingSpec before = spec;
        set_training_value(spec, each.key, value);
        EXPECT_NE(spec, before) << each.key;
        EXPECT_EQ(training_value(spec, each.key), value) << each.key;
    }
    const auto back = training_from_json(to_json(spec));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, spec);
    // A field that is in the struct but not in the list would be lost by JSON.
    EXPECT_EQ(to_json(spec).size(), training_parameters().size() + 1);
}

TEST(Training, AFileOfTheFirstSchemaStillOpens) {
    ASSERT_NE(std::getenv("BRAID_SOURCE_DIR"), nullptr) << "run by ctest";
    const std::string folder = std::getenv("BRAID_SOURCE_DIR");
    const auto json = read_json(folder + "/tests/golden/training_v1.json");
    ASSERT_TRUE(json) << describe(json.error());
    const auto spec = training_from_json(*json);
    ASSERT_TRUE(spec) << to_error(spec.error()).message;
    EXPECT_EQ(spec->steps, 1200);
    EXPECT_EQ(spec->grad_clip, 1.0);  // written as a whole number
    EXPECT_EQ(spec->seed, 4294967297U);
    EXPECT_EQ(spec->init, "normal");
    EXPECT_EQ(spec->keep_checkpoints, TrainingSpec{}.keep_checkpoints);  // came later
    EXPECT_EQ(spec->tokens_per_step(), 8192);
}

TEST(Training, EveryProblemOfAFileAtOnce) {
    EXPECT_THAT(messages(training_from_json(Json::parse(R"({"schema_version": 1, "steps": "many", "seed": -1,
                    "init": 3, "learning": 1, "batch": 2.5, "device": null})"))
                             .error()),
                testing::UnorderedElementsAre("steps: must be a whole number, got \"many\"",
                                              "seed: must be at least 0, got -1", "init: must be text, got 3",
                                              "learning: is not a known key, got 1",
                                              "batch: must be a whole number, got 2.5",
                                              "device: must be a number, text, true or false, got null"));
    EXPECT_EQ(training_from_json(Json::parse(R"({"schema_version": 9, "other": 1})")).error().size(), 1U);
}

TEST(Training, RulesOfAndBetweenFields) {
    TrainingSpec spec;
    spec.steps = 0;
    spec.decay_fraction = 1.5;
    spec.device = "tpu";
    EXPECT_THAT(messages(validate(spec)),
                ElementsAre("steps: must be at least 1, got 0", "decay_fraction: must be at most 1, got 1.5",
                            "device: must be auto, cpu or cuda, got \"tpu\""));
    spec = {};
    spec.micro_batches = 5;
    spec.warmup_steps = 541;
    EXPECT_THAT(
        messages(validate(spec)),
        ElementsAre("micro_batches: must divide the batch of 32 sequences, got 5",
                    "warmup_steps: warm-up and the decay of 60 steps must fit into the 600 steps, got 541"));
    spec.micro_batches = 4;
    spec.warmup_steps = 540;
    EXPECT_THAT(messages(validate(spec)), IsEmpty());
    spec.gpus = 3;
    EXPECT_THAT(messages(validate(spec)),
                ElementsAre("gpus: must divide a micro-batch of 8 sequences, got 3"));
    spec.gpus = 2;
    EXPECT_THAT(messages(validate(spec)), IsEmpty());
    spec.device = "cpu";
    EXPECT_THAT(messages(validate(spec)), ElementsAre("gpus: must be 1 on the CPU, got 2"));
    spec.gpus = 1;
    spec.attention_kernel = "reference";
    spec.recurrence_kernel = "hopper";
    EXPECT_THAT(messages(validate(spec)),
                ElementsAre("kernels.recurrence: must be auto or reference on the CPU, got hopper"));
    spec.device = "auto";
    EXPECT_TRUE(validate(spec).empty());
    spec.activation_memory = 1e-12;
    EXPECT_EQ(activation_memory_bytes(spec), 1) << "a limit is never none";
}

TEST(Training, LearningRateWarmsUpStaysAndDecays) {
    const TrainingSpec spec;  // 600 steps, 50 warm-up, 60 decay, 3e-3 to a tenth
    EXPECT_DOUBLE_EQ(learning_rate_at(spec, 0), 3e-3 / 50);
    EXPECT_DOUBLE_EQ(learning_rate_at(spec, 24), 3e-3 / 2);
    EXPECT_DOUBLE_EQ(learning_rate_at(spec, 49), 3e-3);
    EXPECT_DOUBLE_EQ(learning_rate_at(spec, 539), 3e-3);
    EXPECT_LT(learning_rate_at(spec, 540), 3e-3);
    EXPECT_DOUBLE_EQ(learning_rate_at(spec, 569), 3e-3 * 0.55);
    EXPECT_DOUBLE_EQ(learning_rate_at(spec, 599), 3e-4);
    for (std::int64_t step = 1; step < 600; ++step) {
        const double change = learning_rate_at(spec, step) - learning_rate_at(spec, step - 1);
        EXPECT_TRUE(step < 50 ? change > 0 : step < 540 ? change == 0 : change < 0) << step;
    }
    TrainingSpec constant;
    constant.warmup_steps = 0;
    constant.decay_fraction = 0;
    EXPECT_EQ(learning_rate_at(constant, 0), 3e-3);
    EXPECT_EQ(learning_rate_at(constant, 599), 3e-3);
}

TEST(Training, TracesAreEvenOnALogAxis) {
    EXPECT_TRUE(trace_steps(0, 100).empty());
    EXPECT_EQ(trace_steps(1, 100), (std::vector<std::int64_t>{0}));
    EXPECT_EQ(trace_steps(2, 100), (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(trace_steps(4, 100), (std::vector<std::int64_t>{0, 1, 10, 100}));
    EXPECT_EQ(trace_steps(10'000, 5), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
    const std::vector<std::int64_t> many = trace_steps(40, 600);
    EXPECT_EQ(many.back(), 600);
    for (std::size_t i = 1; i < many.size(); ++i) EXPECT_GT(many[i], many[i - 1]);
}

TEST(Data, JsonAndBack) {
    DataSpec spec;
    EXPECT_EQ(*data_from_json(to_json(spec)), spec);
    spec.kind = "corpus";
    spec.corpus = "corpora/austen";
    spec.parameters.set("keys", std::int64_t{32});
    spec.parameters.set("new_key", 0.3);
    EXPECT_EQ(*data_from_json(to_json(spec)), spec);
    EXPECT_THAT(
        messages(data_from_json(Json::parse(R"({"kind": 1, "parameters": {"a": []}, "b": 2})")).error()),
        testing::UnorderedElementsAre("kind: must be a text, got 1",
                                      "parameters.a: must be a number, text, true or false, got []",
                                      "b: is not a known key, got 2"));
    EXPECT_THAT(messages(data_from_json(Json::parse(R"({"kind": "corpus"})")).error()),
                ElementsAre("corpus: must be given: the folder of the corpus"));
}

}  // namespace
}  // namespace braid
