#include "core/spec/measurement_kind.h"
#include "core/spec/task_kind.h"

namespace braid {

extern const MeasurementKind attention_measurement;
const MeasurementKind attention_measurement = {
    .id = "attention",
    .title = "Attention rows",
    .help =
        "Exact attention of one head over a text; of a recurrent head the matrix that its recurrence "
        "implies.",
    .citation = "paper Fig. 12",
    .figure = "attention_map",
    .parameters = {count_parameter("layer", "Layer", "From 0.", 0, 0, 1000000.0),
                   count_parameter("head", "Head", "Of the layer, from 0.", 0, 0, 1000000.0),
                   text_parameter("tokens", "Tokens",
                                  "NumPy file of token numbers [T]; empty: a sample of needles."),
                   text_parameter(
                       "out", "Out",
                       "NumPy file to write, float32 [T, T]; with a sink its share as a last extra column."),
                   context_parameter(), seed_parameter()},
};

}  // namespace braid
