#include "core/spec/measurement_kind.h"

namespace braid {

extern const MeasurementKind change_measurement;
const MeasurementKind change_measurement = {
    .id = "change",
    .title = "Weight change",
    .help = "How far queries, keys, values and outputs of each layer lie from those of another checkpoint.",
    .citation = "Wang et al., Fig. 15",
    .figure = "layer_heatmap",
    .parameters = {text_parameter("against", "Against",
                                  "Checkpoint to compare with; empty: the first of the run.")},
};

}  // namespace braid
