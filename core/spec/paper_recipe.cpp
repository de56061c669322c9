#include "core/spec/paper_recipe.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/spec/phases.h"

namespace braid {
namespace {

struct Row {
    std::string_view scale;
    std::int64_t batch;
    double learning_rate;
};
// Table 8.
constexpr std::array<Row, 5> rows = {{{"S1", 32, 1.953e-3},
                                      {"S2", 16, 9.766e-4},
                                      {"S3", 28, 9.542e-4},
                                      {"S4", 64, 9.766e-4},
                                      {"S5", 64, 9.766e-4}}};
constexpr std::int64_t sequences_at_a_time = 4;
constexpr std::int64_t warmup = 100;

}  // namespace

std::optional<TrainingSpec> paper_training(std::string_view scale, std::int64_t parameters,
                                           double tokens_per_parameter) {
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const Row& one) { return one.scale == scale; });
    if (row == rows.end()) return std::nullopt;
    TrainingSpec training{.context = paper_context,
                          .batch = row->batch,
                          .micro_batches = row->batch / sequences_at_a_time,
                          .learning_rate = row->learning_rate,
                          .evaluate_every = 100,
                          .checkpoint_every = 1'000};
    const double tokens = tokens_per_parameter * static_cast<double>(parameters);
    training.steps =
        std::max<std::int64_t>(1, std::llround(tokens / static_cast<double>(training.tokens_per_step())));
    training.warmup_steps = std::min(warmup, training.steps / 10);
    return training;
}

TrainingPhase paper_extension() {
    TrainingPhase phase{.name = "extend to 32K"};
    phase.set.set("steps", std::int64_t{4'769});
    phase.set.set("context", std::int64_t{32'768});
    phase.set.set("batch", std::int64_t{32});
    phase.set.set("micro_batches", std::int64_t{16});
    phase.set.set("decay_fraction", 1.0);
    phase.set.set("final_lr_ratio", 0.0);
    phase.set.set("full.rope_base", 5e5);
    return phase;
}

}  // namespace braid
