#include "core/spec/measurement_kind.h"

namespace braid {

extern const MeasurementKind trace_measurement;
const MeasurementKind trace_measurement = {
    .id = "trace",
    .title = "Tracing",
    .help =
        "When heads of retrieval form: attention entropy, mass on the needle and distance of queries and "
        "keys from their end, over the checkpoints of a run.",
    .citation = "paper D.4, Fig. 13",
    .figure = "trace_curves",
    .parameters = {layers_parameter(), samples_parameter(50), context_parameter(), seed_parameter()},
};

}  // namespace braid
