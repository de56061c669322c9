#include "core/spec/measurement_kind.h"

#include <array>

#include "core/spec/task_kind.h"

namespace braid {

#define BRAID_MEASUREMENT(id) extern const MeasurementKind id##_measurement;
#include "core/spec/measurements.def"
#undef BRAID_MEASUREMENT

namespace {

constexpr std::array all = {
#define BRAID_MEASUREMENT(id) &id##_measurement,
#include "core/spec/measurements.def"
#undef BRAID_MEASUREMENT
};

}  // namespace

std::span<const MeasurementKind* const> measurements() { return all; }

const MeasurementKind* find_measurement(std::string_view id) {
    for (const MeasurementKind* kind : all)
        if (kind->id == id) return kind;
    return nullptr;
}

ParameterDescription samples_parameter(std::int64_t value) {
    return count_parameter("samples", "Samples", "Texts or sequences that are looked at, at most.", value, 1,
                           1'000'000);
}

ParameterDescription context_parameter() {
    ParameterDescription context =
        count_parameter("context", "Context", "Tokens of a sample; 0: as many as in the training.", 0, 0,
                        double(std::int64_t{1} << 27));
    context.unit = "tokens";
    return context;
}

ParameterDescription seed_parameter() {
    return count_parameter("seed", "Seed", "Of the samples and of everything else that is drawn.", 42, 0,
                           9e15);
}

ParameterDescription bootstrap_parameter() {
    return count_parameter("bootstrap", "Resamples", "Of the samples, for the 95 % intervals.", 1'000, 10,
                           1e6);
}

ParameterDescription keys_parameter() {
    return text_parameter(
        "keys", "Key tokens",
        "File with long texts and their key tokens, for log LongPPL of a model of text; empty: "
        "that of its training.");
}

ParameterDescription layers_parameter() {
    return {.key = "layers",
            .label = "Layers",
            .help =
                "Heads of full attention, of all softmax attention, or of all layers; recurrent ones by "
                "the matrix that their recurrence implies.",
            .default_value = std::string("full"),
            .choices = {"full", "softmax", "all"}};
}

ParameterDescription text_parameter(const char* key, const char* label, const char* help, const char* value) {
    return {.key = key, .label = label, .help = help, .default_value = std::string(value)};
}

}  // namespace braid
