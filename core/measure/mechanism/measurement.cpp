#include "core/measure/mechanism/measurement.h"

#include <ATen/ops/empty.h>

#include <cmath>
#include <limits>

#include "core/engine/guard.h"
#include "core/measure/rough_time.h"
#include "core/mixers/builtin.h"
#include "core/spec/cost.h"
#include "core/spec/number_text.h"

namespace braid {
namespace {

constexpr double cpu_flops = 5e10;  // a guess at what two usual cores do a second

std::string estimate(const MeasureInput& input, std::int64_t context) {
    const ArchitectureCost total = cost(input.architecture, builtin_mixers(), context);
    const double seconds = total.forward_flops_per_token * double(context) / cpu_flops;
    return rough_time(seconds).append(" a sample");
}

using Measure = Result<Measured> (*)(const MeasureInput&);

Measure function_of(std::string_view id) {
#define BRAID_MEASUREMENT(name) \
    if (id == #name) return measure_##name;
#include "core/spec/measurements.def"
#undef BRAID_MEASUREMENT
    return nullptr;
}

}  // namespace

Result<MeasuredRecord> measure(const MeasureInput& input) {
    if (const Diagnostics problems =
            check_parameters(input.values, input.kind.parameters, input.kind.title, input.kind.id);
        !problems.empty())
        return fail(to_error(problems));
    return guarded("measure " + input.kind.id, [&]() -> Result<MeasuredRecord> {
        Result<Measured> measured = function_of(input.kind.id)(input);
        if (!measured) return fail(std::move(measured.error()));
        MeasuredRecord answer{.record = {.kind = input.kind.id, .checkpoint = input.checkpoint}};
        MeasurementRecord& record = answer.record;
        for (const ParameterDescription& parameter : input.kind.parameters)
            record.settings[parameter.key] = to_json(input.values.get(parameter.key, input.kind.parameters));
        record.settings.update(measured->settings);
        record.settings["mixers"] = mixers_json(input.architecture);
        record.arrays = std::move(measured->arrays);
        record.summary = std::move(measured->summary);
        record.notes = std::move(measured->notes);
        answer.answer = std::move(measured->answer);
        return answer;
    });
}

Result<std::int64_t> sample_context(const MeasureInput& input, Measured& measured) {
    const std::int64_t given = input.integer("context");
    if (given == 0 && !input.trained_context)
        return fail(ErrorKind::invalid_input, "in which context the model was trained is not known",
                    input.checkpoint.folder, "Give --context TOKENS");
    const std::int64_t context = given > 0 ? given : *input.trained_context;
    if (input.on_cpu && context > longest_on_cpu && !input.allow_long)
        return fail(to_error({{.path = "context",
                               .rule = "must be at most " + std::to_string(longest_on_cpu) +
                                       " on a CPU (it would take about " + estimate(input, context) +
                                       "); give --allow-long to do it all the same, or --device cuda",
                               .found = std::to_string(context)}}));
    measured.settings["context"] = context;
    if (input.trained_context && context > *input.trained_context)
        measured.notes.push_back("The context of " + std::to_string(context) +
                                 " tokens is longer than that of the training (" +
                                 std::to_string(*input.trained_context) + ").");
    return context;
}

Diagnostics as_of_measurement(Diagnostics problems) {
    for (Diagnostic& problem : problems)
        if (problem.path == "training.context") problem.path = "context";
    return problems;
}

Result<void> check_tokenizer(const MeasureInput& input) {
    if (input.tokenizer) return {};
    return fail(ErrorKind::invalid_input, "which tokenizer the model reads with is not known",
                input.checkpoint.folder, "Give --tokenizer FILE (or byte), or --corpus DIR");
}

Error stopped() { return {.kind = ErrorKind::interrupted, .message = "stopped; nothing was recorded"}; }

Checked<std::vector<double>> parse_numbers(const std::string& text, const std::string& key, double least,
                                           double most) {
    std::vector<double> numbers;
    Diagnostics problems;
    for (const std::string_view part : comma_parts(text)) {
        const std::string word(part);
        const std::optional<double> number = read_real(word);
        if (number && *number >= least && *number <= most)
            numbers.push_back(*number);
        else
            problems.push_back({.path = key,
                                .rule = "must be numbers from " + shortest(least) + " to " + shortest(most) +
                                        " with commas between them",
                                .found = "\"" + word + "\""});
    }
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return numbers;
}

MeasuredAxis count_axis(const char* name, std::int64_t count) {
    MeasuredAxis axis{.name = name};
    for (std::int64_t i = 0; i < count; ++i) axis.ticks.emplace_back(double(i));
    return axis;
}

MeasuredAxis layer_axis(const ArchitectureSpec& spec) {
    return count_axis("layer", std::int64_t(spec.layers.size()));
}

MeasuredAxis number_axis(const char* name, const char* unit, const std::vector<double>& ticks) {
    return {.name = name, .unit = unit, .ticks = {ticks.begin(), ticks.end()}};
}

MeasuredArray empty_array(const char* name, const char* unit, std::vector<MeasuredAxis> axes) {
    MeasuredArray array{.name = name, .unit = unit, .axes = std::move(axes)};
    array.values.assign(array.size(), std::numeric_limits<double>::quiet_NaN());
    return array;
}

std::string mixers_of(const ArchitectureSpec& spec, std::size_t layer) {
    std::string text;
    for (const HeadGroup& group : spec.layers[layer].groups)
        text.append(text.empty() ? "" : "+").append(group.mixer);
    return text;
}

Json mixers_json(const ArchitectureSpec& spec) {
    Json mixers = Json::array();
    for (std::size_t l = 0; l < spec.layers.size(); ++l) mixers.push_back(mixers_of(spec, l));
    return mixers;
}

at::Tensor token_tensor(const std::vector<const std::vector<std::int32_t>*>& texts) {
    const auto length = std::int64_t(texts.front()->size());
    at::Tensor tokens_BT = at::empty({std::int64_t(texts.size()), length}, at::kLong);
    auto* to = tokens_BT.mutable_data_ptr<std::int64_t>();
    for (const auto* text : texts) to = std::copy(text->begin(), text->end(), to);
    return tokens_BT;
}

}  // namespace braid
