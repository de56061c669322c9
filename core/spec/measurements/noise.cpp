#include "core/spec/measurement_kind.h"

namespace braid {

extern const MeasurementKind noise_measurement;
const MeasurementKind noise_measurement = {
    .id = "noise",
    .title = "Noise injection",
    .help = "What noise added to the output of one kind of component costs.",
    .citation = "Wang et al., Fig. 11",
    .figure = "noise_curves",
    .parameters = {text_parameter("sigma", "Noise",
                                  "Standard deviations, in units of the root mean square of the output.",
                                  "0.03,0.1,0.3,1"),
                   samples_parameter(64), context_parameter(), seed_parameter(), keys_parameter(),
                   bootstrap_parameter()},
};

}  // namespace braid
