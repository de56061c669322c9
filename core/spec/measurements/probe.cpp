#include "core/spec/measurement_kind.h"

namespace braid {

extern const MeasurementKind probe_measurement;
const MeasurementKind probe_measurement = {
    .id = "probe",
    .title = "Layer probing",
    .help =
        "Which of eight values was hidden in the text, read from the last token behind each layer with a "
        "linear classifier.",
    .citation = "paper D.2, Fig. 4; Belinkov, 2022",
    .figure = "layer_heatmap",
    .parameters =
        {samples_parameter(2000),
         context_parameter(),
         seed_parameter(),
         {.key = "cost",
          .label = "Cost",
          .help = "Of an error of the classifier, against the size of its weights (liblinear's C).",
          .default_value = 1.0,
          .minimum = 1e-6,
          .maximum = 1e6},
         {.key = "classifier",
          .label = "Classifier",
          .help = "Logistic regression, or one of the classifiers that the paper compares with it; all: "
                  "logistic regression, and the others beside it.",
          .default_value = std::string("logistic"),
          .choices = {"logistic", "mlp", "forest", "knn", "bayes", "all"}},
         {.key = "test_share",
          .label = "Test share",
          .help = "Of the samples of each class, kept for the accuracy.",
          .default_value = 0.2,
          .minimum = 0.05,
          .maximum = 0.9}},
};

}  // namespace braid
