#include "core/spec/measurement_kind.h"

namespace braid {

extern const MeasurementKind ablate_measurement;
const MeasurementKind ablate_measurement = {
    .id = "ablate",
    .title = "Ablation of heads",
    .help = "What is lost when heads give zero, their mean, or what they give in another checkpoint.",
    .citation = "paper 5; Wang et al.",
    .figure = "head_map",
    .parameters =
        {text_parameter(
             "heads", "Heads",
             "Layer.head from 0, as in 3.1,3.2; 3 alone: all heads of layer 3. Empty: each head alone."),
         {.key = "mode",
          .label = "Mode",
          .help = "What takes the place of their output.",
          .default_value = std::string("zero"),
          .choices = {"zero", "mean", "patch"}},
         {.key = "from",
          .label = "From",
          .help = "Checkpoint of the same architecture whose outputs are patched in.",
          .default_value = std::string(),
          .only_if = "mode=patch"},
         samples_parameter(128),
         context_parameter(),
         seed_parameter(),
         keys_parameter(),
         bootstrap_parameter()},
};

}  // namespace braid
