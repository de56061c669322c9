// One measurement of one checkpoint, made and kept.
#pragma once

#include <functional>
#include <string>

#include "app/engine/verbs/eval_target.h"
#include "core/measure/mechanism/measurement.h"

namespace braid::cli {

struct MeasureAnswer {
    MeasurementRecord record = {};
    Json answer = Json::object();  // the short form of --json
    std::string file = {};
};

// Where measurements of the checkpoint are kept.
std::string measurements_folder(const CheckpointChoice& choice);

// Answers and writes the record, `command` in it. `progress` as in MeasureInput. Errors: a place where
// nothing can be written (before any time is spent), those of measure_input() and measure().
Result<MeasureAnswer> measure_checkpoint(const EvalTarget& target, const CheckpointChoice& choice,
                                         const MeasurementKind& kind, ParameterValues values, bool allow_long,
                                         const std::string& command,
                                         std::function<bool(double, const std::string&)> progress);

}  // namespace braid::cli
