// How a model is trained, as a value (paper, appendix C). Fields are described once, in training.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/spec/parameter.h"

namespace braid {

struct TrainingSpec {
    std::int64_t steps = 600;
    std::int64_t context = 128;      // T, tokens of a sequence
    std::int64_t batch = 32;         // sequences a step, over all devices
    std::int64_t micro_batches = 1;  // accumulation: batch / micro_batches sequences at a time
    double learning_rate = 3e-3;     // peak, of Muon and AdamW
    std::int64_t warmup_steps = 50;  // linear from 0
    double decay_fraction = 0.1;     // last part of the steps, linear to final_lr_ratio x peak (WSD)
    double final_lr_ratio = 0.1;
    double grad_clip = 1.0;     // global L2 norm; 0: off
    double weight_decay = 0.1;  // decoupled; never on norms, sinks
    double muon_momentum = 0.95;
    double adam_beta1 = 0.9;
    double adam_beta2 = 0.95;
    double adam_eps = 1e-8;
    std::string init =
        "fan_in";  // "fan_in": linear U(+-1/sqrt(fan_in)), embedding N(0, 0.5); "normal": all N(0, 0.02)
    std::uint64_t seed = 1;                 // weights and, with the step, data
    std::string device = "auto";            // "auto", "cpu", "cuda"
    std::int64_t gpus = 1;                  // of one machine, that share each micro-batch
    std::int64_t threads = 0;               // CPU threads; 0: all cores
    std::int64_t evaluate_every = 20;       // steps; 0: only at the end
    std::int64_t checkpoint_every = 200;    // steps; 0: only at the end
    std::int64_t keep_checkpoints = 3;      // the newest, the final one among them; 0: all
    std::int64_t trace_checkpoints = 0;     // weights kept for tracing, see trace_steps(); 0: none
    std::int64_t head_norms_every = 10;     // steps, the first included; 0: never
    std::string loss = "mean";              // "mean"; "longce": tokens that gain from long context count more
    std::int64_t longce_window = 0;         // tokens of the short context; 0: a quarter of the context
    double longce_cap = 5;                  // largest weight of a token
    double activation_memory = 0;           // GiB for what a backward pass needs; 0: as much as there is
    bool deterministic = false;             // on CUDA: two runs with one seed agree bit for bit
    std::string attention_kernel = "auto";  // "auto", or a kernel by name: key kernels.attention
    std::string recurrence_kernel = "auto";  // likewise: key kernels.recurrence
    std::string step_kernels = "auto";       // "auto", "launch", "graph": key kernels.step
    bool operator==(const TrainingSpec&) const = default;

    std::int64_t tokens_per_step() const { return context * batch; }
};
std::int64_t activation_memory_bytes(const TrainingSpec& spec);  // 0: no limit

inline constexpr int training_schema_version = 2;

// In the order in which forms and help show them.
const std::vector<ParameterDescription>& training_parameters();
ParameterValue training_value(const TrainingSpec& spec, std::string_view key);
// key must be described; the value must have the described type.
void set_training_value(TrainingSpec& spec, std::string_view key, const ParameterValue& value);

Json to_json(const TrainingSpec& spec);
Checked<TrainingSpec> training_from_json(const Json& json);
// All rules, also those between fields (batch divisible by micro_batches x gpus, warm-up within the steps).
Diagnostics validate(const TrainingSpec& spec);

// Steps after which the weights are kept for tracing: 0 and the rest evenly on a log axis from 1 to the last
// of `steps`, whole and each once, so fewer than `count` where steps are few.
std::vector<std::int64_t> trace_steps(std::int64_t count, std::int64_t steps);

// Learning rate of the step with index `step` in [0, steps): the warm-up rises by peak / warmup_steps a step
// and reaches the peak at its last one; the decay reaches final_lr_ratio x peak at the last step.
double learning_rate_at(const TrainingSpec& spec, std::int64_t step);

// Tokens of LongCE's short context.
std::int64_t longce_window(const TrainingSpec& spec);

// What data a run reads: a synthetic task by id with its parameters, or a corpus folder.
struct DataSpec {
    std::string kind = "recall";      // a task id, or "corpus"
    std::string corpus = {};          // folder; relative to the project where inside it
    ParameterValues parameters = {};  // of the task
    bool operator==(const DataSpec&) const = default;
};
Json to_json(const DataSpec& spec);
Checked<DataSpec> data_from_json(const Json& json);

}  // namespace braid
