// Measurements of mechanism as values: what they are called and their parameters. How each is made is in
// core/measure/mechanism. A new one is its kind in core/spec/measurements/ID.cpp, its measurement in
// core/measure/mechanism/ID.cpp and one line in core/spec/measurements.def.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/parameter.h"

namespace braid {

struct MeasurementKind {
    std::string id;        // "heads": MeasurementRecord::kind, the verb of `braid-engine measure`
    std::string title;     // "Retrieval heads"
    std::string help;      // what is found out, in one or two sentences
    std::string citation;  // "paper D.4; Wu et al., 2025"
    std::string figure;    // the kind of figure that shows it: "head_map"
    std::vector<ParameterDescription> parameters;
};

// In the order of lists and help.
std::span<const MeasurementKind* const> measurements();
const MeasurementKind* find_measurement(std::string_view id);  // null: no such kind

// Parameters that several of them have.
ParameterDescription samples_parameter(std::int64_t value);
ParameterDescription context_parameter();  // 0: that of the training
ParameterDescription seed_parameter();
ParameterDescription bootstrap_parameter();
ParameterDescription keys_parameter();    // file with the key tokens of long texts; empty: none
ParameterDescription layers_parameter();  // "full", "softmax" or "all": whose heads are looked at
ParameterDescription text_parameter(const char* key, const char* label, const char* help,
                                    const char* value = "");

}  // namespace braid
