// Training as in the paper's appendix C and Table 8: the preset of a scale.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/spec/training.h"

namespace braid {

inline constexpr std::int64_t paper_context = 16'384;

// Sequences of 16,384 tokens, batch and learning rate of the scale, 100 warm-up steps, 90 % stable, linear
// decay to a tenth, clip 1, weight decay 0.1; so many steps that the run sees tokens_per_parameter x
// parameters tokens (D/N; the paper's budgets are 100, 200, 300, 400, 500 and 1000). `parameters`: N, without
// embedding and head. Micro-batches hold four sequences. Nothing for a scale that the table does not have.
std::optional<TrainingSpec> paper_training(std::string_view scale, std::int64_t parameters,
                                           double tokens_per_parameter);

// Context extension: 4,769 steps of 32 sequences of 32,768 tokens, the learning rate falling to 0, RoPE base
// 5e5 in the full layers. On the command line: --phase paper-32k.
inline constexpr std::string_view paper_extension_name = "paper-32k";
struct TrainingPhase;
TrainingPhase paper_extension();

}  // namespace braid
