// How quick the engine is on a device, beside a peer in the same process. All times are medians in
// milliseconds of rounds in which the contestants take turns, after two rounds that do not count. On one CPU
// thread it is CPU time of the process, so that a busy machine disturbs all alike; else it is wall time, on a
// device with the device waited for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/measure/bench/stopwatch.h"
#include "core/mixers/torch/ops.h"
#include "core/spec/architecture.h"
#include "core/spec/scale.h"
#include "core/spec/training.h"

namespace braid {

struct BenchShape {
    std::int64_t batch = 32;
    std::int64_t context = 128;
    std::int64_t rounds = 15;
    bool plain = true;            // time_step(): the plain model too, where it can be
    std::int64_t accumulate = 1;  // micro-batches of `batch` sequences a step
};

struct StepSpeed {
    double forward_backward_ms = 0;  // of a micro-batch
    double update_ms = 0;
    double step_ms = 0;  // all micro-batches and the update
};

struct StepComparison {
    StepSpeed engine = {};
    double forward_ms = 0;                // of the engine, a micro-batch alone
    double first_step_ms = 0;             // from nothing to the end of the first step, the device being open
    std::int64_t peak_bytes = 0;          // of device memory, in steps; 0: not known
    std::string way = {};                 // core/engine/step_runner.h: way()
    std::string activations = {};         // core/engine/activation_plan.h: text()
    std::optional<StepSpeed> plain = {};  // core/measure/bench/plain_model.h, where it knows the model
};

// A training step as training does it by `training`, whose kernels and optimizer count here: forward,
// backward, clipping, update; on a GPU recorded where training records it. The plain model runs on the CPU
// alone and knows softmax attention alone. Errors: out_of_memory, interrupted.
Result<StepComparison> time_step(const ArchitectureSpec& spec, const TrainingSpec& training,
                                 std::shared_ptr<Ops> ops, const BenchShape& shape, const BenchGoOn& go_on);

struct MixerSpeed {
    std::string pattern;
    double forward_backward_ms = 0;
    double of_full = 0;  // as a multiple of the first of the list, full attention
};

// Two layers of every registered mixer at the dimensions of a scale, with a vocabulary of 64.
Result<std::vector<MixerSpeed>> time_mixers(Scale scale, const std::shared_ptr<Ops>& ops,
                                            const BenchShape& shape, const BenchGoOn& go_on);

struct DecodingSpeed {
    double prefill_ms = 0;         // of the whole batch
    double step_ms = 0;            // of one token of every sequence
    std::int64_t state_bytes = 0;  // KV caches and recurrent states, as allocated
};

// Reads `shape.context` tokens of each sequence, then goes on with the likeliest ones, eight at a time and
// `shape.rounds` in all. Always wall time.
Result<DecodingSpeed> time_decoding(const ArchitectureSpec& spec, std::shared_ptr<Ops> ops,
                                    const BenchShape& shape, const BenchGoOn& go_on);

struct LossSpeed {
    double engine_ms = 0;  // head and cross-entropy, forward and backward
    double plain_ms = 0;   // linear, log_softmax, nll_loss and autograd in the compute type; NaN: no memory
};

// The head and its loss for batch x context rows.
Result<LossSpeed> time_loss(std::int64_t d_model, std::int64_t vocab, const std::shared_ptr<Ops>& ops,
                            const BenchShape& shape, const BenchGoOn& go_on);

}  // namespace braid
