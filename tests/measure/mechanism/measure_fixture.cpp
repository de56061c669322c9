#include "tests/measure/mechanism/measure_fixture.h"

#include <ATen/TensorOperators.h>

#include <cstdio>

#include "core/engine/ops.h"
#include "core/spec/tasks/niah.h"
#include "core/spec/tasks/recall.h"

namespace braid::test {
namespace {

std::unique_ptr<Model> empty_model(const ArchitectureSpec& spec, bool trainable) {
    return Model::create(spec, make_cpu_ops(at::kDouble), trainable).value();
}

}  // namespace

TinyTask tiny_niah() {
    TinyTask task;
    for (const auto& [key, value] : {std::pair<const char*, std::int64_t>{"needles", 2},
                                     {"keys", 6},
                                     {"values", 8},
                                     {"filler", 10},
                                     {"evaluation_sequences", 12}})
        task.parameters.set(key, value);
    task.vocab = niah_task.vocab(task.parameters);
    return task;
}

TinyTask tiny_recall() {
    TinyTask task{.kind = "recall", .context = 40};
    for (const auto& [key, value] : {std::pair<const char*, std::int64_t>{"keys", 10},
                                     {"values", 8},
                                     {"near", 8},
                                     {"asked", 2},
                                     {"evaluation_sequences", 12}})
        task.parameters.set(key, value);
    task.vocab = recall_task.vocab(task.parameters);
    return task;
}

std::shared_ptr<Model> lively_model(const std::string& pattern, const TinyTask& task, std::uint64_t seed) {
    std::shared_ptr<Model> made =
        model(architecture(pattern, {.d_model = 16, .ffn_width = 48, .vocab = task.vocab}), at::kDouble,
              "fan_in", seed);
    made->parameters().values().mul_(2.5);
    for (const Parameter& parameter : made->parameters().layout().parameters)
        if (parameter.name.ends_with(".sinks")) made->parameters().value(parameter).fill_(0.7);
    return made;
}

MeasureInput tiny_input(const char* kind, const Model& model, const TinyTask& task, ParameterValues values) {
    RunPlan plan{.architecture = model.spec(), .data = {.kind = task.kind, .parameters = task.parameters}};
    plan.training.context = task.context;
    MeasureInput input{.kind = *find_measurement(kind),
                       .values = std::move(values),
                       .checkpoint = {.folder = "checkpoint"},
                       .architecture = model.spec(),
                       .plan = plan,
                       .trained_context = task.context};
    input.open = [&model](const std::string&, bool trainable) -> Result<std::unique_ptr<Model>> {
        std::unique_ptr<Model> copy = empty_model(model.spec(), trainable);
        copy->parameters().values().copy_(model.parameters().values());
        copy->parameters().refresh_compute();
        return copy;
    };
    return input;
}

MeasureInput with_other(MeasureInput input, const Model& other, const TinyTask& task) {
    const auto own = input.open;
    const auto of_other = tiny_input(input.kind.id.c_str(), other, task).open;
    input.open = [own, of_other](const std::string& folder, bool trainable) {
        return folder == "other" ? of_other(folder, trainable) : own(folder, trainable);
    };
    input.find = [](const std::string& text) -> Result<WeightsOrigin> {
        return WeightsOrigin{.folder = text};
    };
    return input;
}

ParameterValues values(std::initializer_list<std::pair<const char*, ParameterValue>> list) {
    ParameterValues all;
    for (const auto& [key, value] : list) all.set(key, value);
    return all;
}

MeasuredRecord must(const MeasureInput& input) {
    Result<MeasuredRecord> measured = measure(input);
    EXPECT_TRUE(measured) << describe(measured.error());
    if (!measured) return {};
    const auto again = measurement_from_json(Json::parse(to_json(measured->record).dump()));
    EXPECT_TRUE(again) << "the answer reads again";
    return std::move(*measured);
}

std::string refused(const MeasureInput& input, ErrorKind kind) {
    const Result<MeasuredRecord> measured = measure(input);
    EXPECT_FALSE(measured);
    if (measured) return {};
    EXPECT_EQ(measured.error().kind, kind) << describe(measured.error());
    return describe(measured.error());
}

const MeasuredArray& array_of(const MeasuredRecord& measured, const std::string& name) {
    static const MeasuredArray none;
    const MeasuredArray* found = measured.record.find(name);
    EXPECT_NE(found, nullptr) << name;
    return found != nullptr ? *found : none;
}

void expect_error(const char* what, double error, double limit) {
    std::printf("    %-44s error %.1e, %.4f of its limit\n", what, error, error / limit);
    EXPECT_LE(error, limit) << what;
}

}  // namespace braid::test
