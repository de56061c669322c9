// The parts of a warm-up, stable, decay schedule (WSD), in steps.
#pragma once

#include <cstdint>

#include "core/spec/training.h"

namespace braid {

// Steps of the linear decay at the end: decay_fraction of all, rounded.
std::int64_t decay_steps(const TrainingSpec& spec);

// Steps before the decay begins. Two runs that differ in `steps`, `decay_fraction` and `final_lr_ratio` alone
// are the same, weight by weight, up to the smaller of their stable steps: what a decay can branch from.
std::int64_t stable_steps(const TrainingSpec& spec);

// Without what changes nothing of the result: device, threads, GPUs, which checkpoints are kept.
TrainingSpec computed_alike(TrainingSpec spec);

// Whether two runs are the same as long as neither decays.
bool share_stable_part(const TrainingSpec& a, const TrainingSpec& b);

}  // namespace braid
