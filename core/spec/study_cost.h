// What a study takes before anything is started.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/spec/study_plan.h"

namespace braid {

struct PointCost {
    std::int64_t steps = 0;  // of the whole run
    // Steps that have to be trained for it: those behind the branch where a smaller budget of the study has
    // the same stable part.
    std::int64_t own_steps = 0;
    std::optional<std::size_t> trunk = {};  // index of the point it branches from
    std::int64_t tokens = 0;                // D: seen by the model, those before the branch too
    std::int64_t own_tokens = 0;
    double flops = 0;             // of its own tokens, forward and backward
    std::int64_t disk_bytes = 0;  // checkpoints that stay
};

struct StudyCost {
    std::vector<PointCost> points = {};  // of the planned ones
    std::int64_t tokens = 0;             // trained
    std::int64_t tokens_saved = 0;       // by branching
    double flops = 0;
    std::int64_t disk_bytes = 0;
};

StudyCost study_cost(const StudySpec& spec, std::span<const PlannedPoint> points,
                     const MixerCatalog& catalog);

// Bytes of one checkpoint with its optimizer: float32 weights, one momentum of matrices (Muon), two of the
// rest (AdamW).
std::int64_t checkpoint_bytes(const ArchitectureSpec& spec, const MixerCatalog& catalog);

// About what training takes on a GPU: weights (float32 and bf16), gradients and optimizer, the activations of
// one micro-batch in bf16, and what CUDA itself needs. Within a fifth of what was measured at S1 with
// contexts of 16,384.
std::int64_t training_memory_bytes(const ArchitectureSpec& spec, const TrainingSpec& training,
                                   const MixerCatalog& catalog);

// Whether `late` can go on from a checkpoint of the stable part of `early`: alike in everything but the
// budget, whose stable part is no longer than its own.
bool can_branch(const PlannedPoint& late, const PlannedPoint& early);

}  // namespace braid
