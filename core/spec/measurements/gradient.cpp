#include "core/spec/measurement_kind.h"
#include "core/spec/task_kind.h"

namespace braid {

extern const MeasurementKind gradient_measurement;
const MeasurementKind gradient_measurement = {
    .id = "gradient",
    .title = "Gradient profile",
    .help = "How much the last predictions depend on a token that lies d tokens back.",
    .citation = "paper D.3, Fig. 5a; Li et al., 2016",
    .figure = "profile",
    .parameters = {count_parameter("positions", "Positions", "Last positions whose mean logits are derived.",
                                   20, 1, 1000000.0),
                   count_parameter("points", "Points",
                                   "Ranges of distances, each longer than the one before.", 64, 2, 100000.0),
                   count_parameter("baseline", "Baseline",
                                   "Distance whose value is the far baseline; 0: twice the largest window.",
                                   0, 0, 100000000.0),
                   samples_parameter(64), context_parameter(), seed_parameter(), bootstrap_parameter()},
};

}  // namespace braid
