#include "core/spec/measurement_kind.h"
#include "core/spec/task_kind.h"

namespace braid {

extern const MeasurementKind heads_measurement;
const MeasurementKind heads_measurement = {
    .id = "heads",
    .title = "Retrieval heads",
    .help =
        "How much of its attention each head puts on the needle that is asked for, and how often it copies "
        "it.",
    .citation = "paper D.4, Figs. 5b and 12; Wu et al., 2025",
    .figure = "head_map",
    .parameters = {layers_parameter(),
                   count_parameter("new_tokens", "New tokens",
                                   "Of an answer, at most, for the score of Wu et al.", 24, 1, 4096),
                   samples_parameter(100), context_parameter(), seed_parameter()},
};

}  // namespace braid
