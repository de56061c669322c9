#include "core/spec/measurement_kind.h"
#include "core/spec/task_kind.h"

namespace braid {

extern const MeasurementKind restrict_measurement;
const MeasurementKind restrict_measurement = {
    .id = "restrict",
    .title = "Receptive field",
    .help = "What the model loses when a layer, or all layers of a kind, see no farther than a horizon.",
    .citation = "paper D.1, Fig. 3",
    .figure = "change_bars",
    .parameters =
        {text_parameter(
             "horizon", "Horizon",
             "How many earlier tokens a token sees; several with commas. Empty: an eighth of the context."),
         count_parameter("stride", "Stride",
                         "Of the windows of recurrent layers, horizon + stride long; 0: half of the horizon.",
                         0, 0, 100000000.0),
         samples_parameter(256), context_parameter(), seed_parameter(), keys_parameter(),
         bootstrap_parameter()},
};

}  // namespace braid
