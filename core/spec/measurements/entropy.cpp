#include "core/spec/measurement_kind.h"

namespace braid {

extern const MeasurementKind entropy_measurement;
const MeasurementKind entropy_measurement = {
    .id = "entropy",
    .title = "Entropy and hits",
    .help = "How spread out each head looks, against how often its strongest key lies in the needle.",
    .citation = "Wang et al., Figs. 12 and 21",
    .figure = "head_scatter",
    .parameters = {layers_parameter(), samples_parameter(100), context_parameter(), seed_parameter()},
};

}  // namespace braid
