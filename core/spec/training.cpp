#include "core/spec/training.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <variant>

#include "core/base/json_reader.h"
#include "core/spec/schedule.h"

namespace braid {
namespace {

using Field = std::variant<std::int64_t TrainingSpec::*, double TrainingSpec::*, std::string TrainingSpec::*,
                           std::uint64_t TrainingSpec::*, bool TrainingSpec::*>;

struct Entry {
    ParameterDescription description;  // its default is that of TrainingSpec
    Field field;
};

constexpr double exact_integers = 9007199254740992.0;  // 2^53

ParameterValue value_of(const TrainingSpec& spec, const Field& field) {
    return std::visit(
        [&](auto member) -> ParameterValue {
            using Held = std::remove_cvref_t<decltype(spec.*member)>;
            if constexpr (std::is_same_v<Held, std::uint64_t>)
                return static_cast<std::int64_t>(spec.*member);
            else
                return spec.*member;
        },
        field);
}

// Everything that a form, --set, JSON and the documentation know about a field.
const std::vector<Entry>& entries() {
    static const std::vector<Entry> all = [] {
        std::vector<Entry> list = {
            {{.key = "steps",
              .label = "Steps",
              .help = "Optimizer steps of the whole schedule.",
              .minimum = 1,
              .maximum = 1e9},
             &TrainingSpec::steps},
            {{.key = "context",
              .label = "Context",
              .unit = "tokens",
              .help = "Tokens of a training sequence.",
              .minimum = 2,
              .maximum = std::int64_t{1} << 27},
             &TrainingSpec::context},
            {{.key = "batch",
              .label = "Batch",
              .unit = "sequences",
              .help = "Sequences of an optimizer step, over all devices.",
              .minimum = 1,
              .maximum = 1e6},
             &TrainingSpec::batch},
            {{.key = "micro_batches",
              .label = "Micro-batches",
              .help =
                  "Parts of a batch that are computed one after another, their gradients added: more of them "
                  "need less memory.",
              .minimum = 1,
              .maximum = 1e6},
             &TrainingSpec::micro_batches},
            {{.key = "activation_memory",
              .label = "Memory for activations",
              .unit = "GiB",
              .help =
                  "What a micro-batch may keep for its backward pass. What does not fit is computed again "
                  "there, with the same results: first FFNs, a few percent slower, then whole layers, about "
                  "a quarter. 0: three quarters of what the GPU has free; no limit on the CPU.",
              .minimum = 0,
              .maximum = 1e6},
             &TrainingSpec::activation_memory},
            {{.key = "learning_rate",
              .label = "Learning rate",
              .help = "Peak learning rate of Muon and AdamW.",
              .minimum = 0,
              .maximum = 10},
             &TrainingSpec::learning_rate},
            {{.key = "warmup_steps",
              .label = "Warm-up",
              .unit = "steps",
              .help = "Steps over which the learning rate rises to its peak.",
              .minimum = 0,
              .maximum = 1e9},
             &TrainingSpec::warmup_steps},
            {{.key = "decay_fraction",
              .label = "Decay fraction",
              .help = "Last part of the steps, over which the learning rate falls linearly.",
              .minimum = 0,
              .maximum = 1},
             &TrainingSpec::decay_fraction},
            {{.key = "final_lr_ratio",
              .label = "Final learning rate",
              .unit = "of the peak",
              .help = "Where the decay ends.",
              .minimum = 0,
              .maximum = 1},
             &TrainingSpec::final_lr_ratio},
            {{.key = "grad_clip",
              .label = "Gradient clip",
              .help = "Largest L2 norm of the whole gradient; 0 turns clipping off.",
              .minimum = 0,
              .maximum = 1e6},
             &TrainingSpec::grad_clip},
            {{.key = "weight_decay",
              .label = "Weight decay",
              .help = "Decoupled; never on norms and sinks.",
              .minimum = 0,
              .maximum = 10},
             &TrainingSpec::weight_decay},
            {{.key = "muon_momentum",
              .label = "Muon momentum",
              .help = "Nesterov momentum of the hidden matrices.",
              .minimum = 0,
              .maximum = 0.9999},
             &TrainingSpec::muon_momentum},
            {{.key = "adam_beta1",
              .label = "AdamW beta 1",
              .help = "Decay of the first moment, of embeddings, head, norms and sinks.",
              .minimum = 0,
              .maximum = 0.9999},
             &TrainingSpec::adam_beta1},
            {{.key = "adam_beta2",
              .label = "AdamW beta 2",
              .help = "Decay of the second moment.",
              .minimum = 0,
              .maximum = 0.99999},
             &TrainingSpec::adam_beta2},
            {{.key = "adam_eps",
              .label = "AdamW epsilon",
              .help = "Added to the root of the second moment.",
              .minimum = 1e-15,
              .maximum = 1},
             &TrainingSpec::adam_eps},
            {{.key = "init",
              .label = "Initialisation",
              .help = "fan_in: linear weights U(+-1/sqrt(fan_in)), embeddings N(0, 0.5). normal: all weights "
                      "N(0, 0.02). Large-window laziness depends on it.",
              .choices = {"fan_in", "normal"}},
             &TrainingSpec::init},
            {{.key = "seed",
              .label = "Seed",
              .help = "Decides the weights and, with the step, the data.",
              .minimum = 0,
              .maximum = exact_integers},
             &TrainingSpec::seed},
            {{.key = "device",
              .label = "Device",
              .help = "auto takes a CUDA device where one is found.",
              .choices = {"auto", "cpu", "cuda"}},
             &TrainingSpec::device},
            {{.key = "gpus",
              .label = "GPUs",
              .help = "GPUs of the machine that train together: each computes its part of every micro-batch.",
              .minimum = 1,
              .maximum = 64},
             &TrainingSpec::gpus},
            {{.key = "threads",
              .label = "CPU threads",
              .help = "0 uses all cores.",
              .minimum = 0,
              .maximum = 4096},
             &TrainingSpec::threads},
            {{.key = "evaluate_every",
              .label = "Evaluate every",
              .unit = "steps",
              .help = "0 evaluates only at the end.",
              .minimum = 0,
              .maximum = 1e9},
             &TrainingSpec::evaluate_every},
            {{.key = "checkpoint_every",
              .label = "Checkpoint every",
              .unit = "steps",
              .help = "0 writes a checkpoint only at the end.",
              .minimum = 0,
              .maximum = 1e9},
             &TrainingSpec::checkpoint_every},
            {{.key = "keep_checkpoints",
              .label = "Keep checkpoints",
              .help = "The newest so many stay on disk, the final one among them; 0 keeps all.",
              .minimum = 0,
              .maximum = 1e6},
             &TrainingSpec::keep_checkpoints},
            {{.key = "trace_checkpoints",
              .label = "Trace checkpoints",
              .help = "Keeps the weights alone at so many steps, the first and evenly on a log axis, for "
                      "tracing heads through the training; 0 keeps none.",
              .minimum = 0,
              .maximum = 1e4},
             &TrainingSpec::trace_checkpoints},
            {{.key = "head_norms_every",
              .label = "Head norms every",
              .unit = "steps",
              .help =
                  "Records the gradient norm of the query projection of every head, from the first step on: "
                  "the head of interest is known only at the end. 0 records none.",
              .minimum = 0,
              .maximum = 1e9},
             &TrainingSpec::head_norms_every},
            {{.key = "loss",
              .label = "Loss",
              .help = "mean: every token counts alike. longce: a token counts exp(loss with a short context "
                      "- loss "
                      "with the whole), so that tokens that need long context count more (LongCE).",
              .choices = {"mean", "longce"}},
             &TrainingSpec::loss},
            {{.key = "longce_window",
              .label = "LongCE short context",
              .unit = "tokens",
              .help = "Context of the short loss; 0 takes a quarter of the context.",
              .minimum = 0,
              .maximum = std::int64_t{1} << 27,
              .only_if = "loss=longce"},
             &TrainingSpec::longce_window},
            {{.key = "longce_cap",
              .label = "LongCE cap",
              .help = "Largest weight of a token.",
              .minimum = 1,
              .maximum = 1e3,
              .only_if = "loss=longce"},
             &TrainingSpec::longce_cap},
            {{.key = "deterministic",
              .label = "Deterministic",
              .help = "On CUDA: takes only kernels whose result never varies, so that two runs with one seed "
                      "agree "
                      "bit for bit; slower. On the CPU it is always so."},
             &TrainingSpec::deterministic},
            {{.key = "kernels.attention",
              .label = "Attention kernel",
              .help =
                  "auto takes the quickest kernel that knows the shape. A name forces one, for comparing: "
                  "reference is slow and obvious, on every device; flash, cudnn and hopper are for CUDA.",
              .choices = {"auto", "reference", "flash", "cudnn", "hopper"}},
             &TrainingSpec::attention_kernel},
            {{.key = "kernels.recurrence",
              .label = "Recurrence kernel",
              .help =
                  "The same of Lightning, Mamba-2, Gated DeltaNet and their like: reference is made of plain "
                  "matrix products, on every device; portable and hopper are for CUDA.",
              .choices = {"auto", "reference", "portable", "hopper"}},
             &TrainingSpec::recurrence_kernel},
            {{.key = "kernels.step",
              .label = "Step on the GPU",
              .help = "graph records a micro-batch and the update once and plays them again as CUDA graphs: "
                      "the same numbers, no waiting between kernels; where that is not possible, and with "
                      "launch, the GPU is given one kernel after the other. auto is graph.",
              .choices = {"auto", "launch", "graph"}},
             &TrainingSpec::step_kernels},
        };
        for (Entry& each : list) each.description.default_value = value_of(TrainingSpec{}, each.field);
        return list;
    }();
    return all;
}

const Entry& entry(std::string_view key) {
    for (const Entry& each : entries())
        if (each.description.key == key) return each;
    std::fprintf(stderr, "braid: no training parameter '%.*s'\n", static_cast<int>(key.size()), key.data());
    std::abort();
}

}  // namespace

std::int64_t activation_memory_bytes(const TrainingSpec& spec) {
    if (spec.activation_memory == 0) return 0;
    return std::max(1LL, std::llround(spec.activation_memory * static_cast<double>(std::int64_t{1} << 30)));
}

const std::vector<ParameterDescription>& training_parameters() {
    static const std::vector<ParameterDescription> all = [] {
        std::vector<ParameterDescription> descriptions;
        for (const Entry& each : entries()) descriptions.push_back(each.description);
        return descriptions;
    }();
    return all;
}

ParameterValue training_value(const TrainingSpec& spec, std::string_view key) {
    return value_of(spec, entry(key).field);
}

void set_training_value(TrainingSpec& spec, std::string_view key, const ParameterValue& value) {
    const Entry& target = entry(key);
    const ParameterValue typed = coerced(target.description, value);
    if (typed.index() != target.description.default_value.index()) {
        std::fprintf(stderr, "braid: training parameter '%.*s' set to another type\n",
                     static_cast<int>(key.size()), key.data());
        std::abort();
    }
    std::visit(
        [&](auto member) {
            using Held = std::remove_cvref_t<decltype(spec.*member)>;
            if constexpr (std::is_same_v<Held, std::uint64_t>)
                spec.*member = static_cast<std::uint64_t>(std::get<std::int64_t>(typed));
            else
                spec.*member = std::get<Held>(typed);
        },
        target.field);
}

Json to_json(const TrainingSpec& spec) {
    Json json = Json::object();
    json["schema_version"] = training_schema_version;
    for (const Entry& each : entries()) json[each.description.key] = to_json(value_of(spec, each.field));
    return json;
}

Checked<TrainingSpec> training_from_json(const Json& json) {
    Diagnostics problems;
    TrainingSpec spec;
    JsonReader reader(json, "", problems);
    if (!reader.is_object() || !reader.schema_version(training_schema_version))
        return tl::unexpected(std::move(problems));
    for (const ParameterDescription& each : training_parameters()) {
        const Json* found = reader.find(each.key);
        if (!found) continue;
        auto read = parameter_from_json(*found, "");
        if (!read) {
            reader.add(each.key, std::move(read.error()));
            continue;
        }
        const ParameterValue value = coerced(each, *std::move(read));
        if (value.index() != each.default_value.index())
            reader.report(each.key, "must be " + std::string(type_name(each.default_value)), *found);
        else if (each.key == "seed" && std::get<std::int64_t>(value) < 0)
            reader.report(each.key, "must be at least 0", *found);  // the spec cannot hold it
        else
            set_training_value(spec, each.key, value);
    }
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return spec;
}

Diagnostics validate(const TrainingSpec& spec) {
    Diagnostics problems;
    for (const Entry& each : entries())
        if (auto broken = check_parameter(each.description, value_of(spec, each.field), each.description.key))
            problems.push_back(*std::move(broken));
    if (!problems.empty()) return problems;  // rules between fields need each to be sane
    if (spec.batch % spec.micro_batches != 0)
        problems.push_back({"micro_batches",
                            "must divide the batch of " + std::to_string(spec.batch) + " sequences",
                            std::to_string(spec.micro_batches)});
    else if (spec.batch / spec.micro_batches % spec.gpus != 0)
        problems.push_back(
            {"gpus",
             "must divide a micro-batch of " + std::to_string(spec.batch / spec.micro_batches) + " sequences",
             std::to_string(spec.gpus)});
    if (spec.gpus > 1 && spec.device == "cpu")
        problems.push_back({"gpus", "must be 1 on the CPU", std::to_string(spec.gpus)});
    // Of a GPU only the engine knows what it can.
    for (const auto& [key, kernel] : {std::pair{"kernels.attention", spec.attention_kernel},
                                      std::pair{"kernels.recurrence", spec.recurrence_kernel}})
        if (spec.device == "cpu" && kernel != "auto" && kernel != "reference")
            problems.push_back({key, "must be auto or reference on the CPU", kernel});
    if (spec.loss == "longce" && longce_window(spec) >= spec.context)
        problems.push_back({"longce_window",
                            "must be less than the context of " + std::to_string(spec.context) + " tokens",
                            std::to_string(spec.longce_window)});
    if (spec.warmup_steps + decay_steps(spec) > spec.steps)
        problems.push_back({"warmup_steps",
                            "warm-up and the decay of " + std::to_string(decay_steps(spec)) +
                                " steps must fit into the " + std::to_string(spec.steps) + " steps",
                            std::to_string(spec.warmup_steps)});
    return problems;
}

std::int64_t longce_window(const TrainingSpec& spec) {
    return spec.longce_window > 0 ? spec.longce_window : std::max<std::int64_t>(1, spec.context / 4);
}

std::vector<std::int64_t> trace_steps(std::int64_t count, std::int64_t steps) {
    std::vector<std::int64_t> kept;
    if (count < 1) return kept;
    kept.push_back(0);
    const std::int64_t parts = std::max<std::int64_t>(1, count - 2);
    for (std::int64_t i = 0; i < count - 1; ++i) {
        const double part = static_cast<double>(i) / static_cast<double>(parts);
        const std::int64_t step = std::llround(std::pow(static_cast<double>(steps), part));
        if (step > kept.back()) kept.push_back(step);
    }
    return kept;
}

double learning_rate_at(const TrainingSpec& spec, std::int64_t step) {
    double factor = 1;
    if (step < spec.warmup_steps)
        factor = static_cast<double>(step + 1) / static_cast<double>(spec.warmup_steps);
    const std::int64_t decay = decay_steps(spec);
    if (const std::int64_t into = step - (spec.steps - decay) + 1; into > 0 && decay > 0) {
        const double done = std::min(1.0, static_cast<double>(into) / static_cast<double>(decay));
        factor = std::min(factor, 1 - (1 - spec.final_lr_ratio) * done);
    }
    return spec.learning_rate * factor;
}

Json to_json(const DataSpec& spec) {
    Json json = Json::object();
    json["kind"] = spec.kind;
    if (!spec.corpus.empty()) json["corpus"] = spec.corpus;
    if (!spec.parameters.empty()) {
        json["parameters"] = Json::object();
        for (const auto& [key, value] : spec.parameters) json["parameters"][key] = to_json(value);
    }
    return json;
}

Checked<DataSpec> data_from_json(const Json& json) {
    Diagnostics problems;
    DataSpec spec;
    JsonReader reader(json, "", problems);
    reader.text("kind", spec.kind);
    reader.text("corpus", spec.corpus);
    if (const Json* parameters = reader.find("parameters")) {
        JsonReader inside(*parameters, "parameters", problems);
        if (inside.is_object())
            for (const auto& [name, value] : parameters->items()) {
                if (auto read = parameter_from_json(value, ""))
                    spec.parameters.set(name, *std::move(read));
                else
                    inside.add(name, std::move(read.error()));
            }
    }
    reader.refuse_unknown_keys();
    if (problems.empty() && spec.kind == "corpus" && spec.corpus.empty())
        reader.report("corpus", "must be given: the folder of the corpus");
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return spec;
}

}  // namespace braid
