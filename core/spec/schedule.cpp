#include "core/spec/schedule.h"

#include <algorithm>
#include <cmath>

namespace braid {
namespace {

// What two runs with one stable part must have in common.
TrainingSpec of_stable_part(TrainingSpec spec) {
    const TrainingSpec standard;
    spec.steps = standard.steps;
    spec.decay_fraction = standard.decay_fraction;
    spec.final_lr_ratio = standard.final_lr_ratio;
    return computed_alike(spec);
}

}  // namespace

std::int64_t decay_steps(const TrainingSpec& spec) {
    return std::clamp<std::int64_t>(std::llround(spec.decay_fraction * static_cast<double>(spec.steps)), 0,
                                    spec.steps);
}

std::int64_t stable_steps(const TrainingSpec& spec) { return spec.steps - decay_steps(spec); }

TrainingSpec computed_alike(TrainingSpec spec) {
    const TrainingSpec standard;
    spec.device = standard.device;
    spec.threads = standard.threads;
    spec.gpus = standard.gpus;
    spec.activation_memory = standard.activation_memory;
    spec.checkpoint_every = standard.checkpoint_every;
    spec.keep_checkpoints = standard.keep_checkpoints;
    spec.trace_checkpoints = standard.trace_checkpoints;
    return spec;
}

bool share_stable_part(const TrainingSpec& a, const TrainingSpec& b) {
    return of_stable_part(a) == of_stable_part(b);
}

}  // namespace braid
