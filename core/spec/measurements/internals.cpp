#include "core/spec/measurement_kind.h"

namespace braid {

extern const MeasurementKind internals_measurement;
const MeasurementKind internals_measurement = {
    .id = "internals",
    .title = "Recurrent states",
    .help =
        "Decays and write strengths of recurrent layers, how long their states remember, and how large they "
        "grow.",
    .citation = "paper B.2 to B.4",
    .figure = "layer_heatmap",
    .parameters = {samples_parameter(16), context_parameter(), seed_parameter()},
};

}  // namespace braid
