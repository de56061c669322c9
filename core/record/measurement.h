// Answers of measurements of mechanism, as they lie on disk: one file <run folder>/measurements/<id>.json for
// each kind and each choice of settings; of a checkpoint that belongs to no run in <its
// folder>/measurements/. Every view, figure and export reads this and nothing else.
//
//   {"schema_version": 1, "kind": "heads", "created": .., "command": .., "checkpoint": {"run", "step", ..},
//    "settings": {everything that fixes the answer},
//    "arrays": [{"name": "mass", "unit": "", "axes": [{"name": "layer", "unit": "", "ticks": [0, 1]}, ..],
//                "values": [.., null], "low": [..], "high": [..], "samples": [100], "missing": "no
//                attention"}],
//    "summary": [{"name", "value", "unit"}], "notes": ["one sentence", ..]}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/record/run_folder.h"
#include "core/record/run_plan.h"
#include "core/record/score.h"

namespace braid {

inline constexpr int measurement_schema_version = 1;

using AxisTick = std::variant<double, std::string>;

struct MeasuredAxis {
    std::string name = {};  // "layer", "head", "distance", "tokens", "sigma"
    std::string unit = {};
    std::vector<AxisTick> ticks = {};
    bool operator==(const MeasuredAxis&) const = default;
};

// Row-major over its axes, the last one fastest. NaN: no value, for which `missing` is the reason.
struct MeasuredArray {
    std::string name = {};  // "mass"; unique in a record
    std::string unit = {};  // "nats", "%", or nothing
    std::vector<MeasuredAxis> axes = {};
    std::vector<double> values = {};
    std::vector<double> low = {}, high = {};  // ends of the 95 % interval of each value, or empty
    std::vector<std::int64_t> samples = {};   // behind each value, or one number for all
    std::string missing = {};                 // "no attention"
    std::size_t size() const;                 // product of the ticks
    std::size_t at(std::size_t i, std::size_t j) const { return i * axes.at(1).ticks.size() + j; }
    bool operator==(const MeasuredArray&) const = default;  // never where a value is NaN
};

struct MeasurementRecord {
    std::string kind = {};  // MeasurementKind::id
    std::string created = {};
    std::string command = {};
    WeightsOrigin checkpoint = {};
    Json settings = Json::object();
    std::vector<MeasuredArray> arrays = {};
    std::vector<ScoreSummary> summary = {};
    std::vector<std::string> notes = {};  // "prompt longer than the trained context"
    std::string file = {};                // where it was read from; no part of the content
    const MeasuredArray* find(std::string_view array) const;  // null: it has none of this name
};

Json to_json(const MeasurementRecord& record);
// Syntax, types, sizes that do not agree, unknown keys, a kind that is not known: all problems at once.
Checked<MeasurementRecord> measurement_from_json(const Json& json);

// "step-00000400.heads-1f2e3d4c": measuring again with the same settings replaces the file.
std::string measurement_id(const MeasurementRecord& record);

Result<MeasurementRecord> read_measurement(const std::string& file);
// Writes <folder>/<id>.json at once; returns that file.
Result<std::string> write_measurement(const std::string& folder, const MeasurementRecord& record);

struct MeasurementList {
    std::vector<MeasurementRecord> records = {};  // by step, then by file name
    std::vector<Error> problems = {};             // of files that could not be read
};
MeasurementList read_measurements(const std::string& folder);
MeasurementList read_measurements(const RunFolder& run);

// One row a value: the ticks of its axes, the value, low, high, samples. Numbers read back exactly.
std::string csv(const MeasuredArray& array);

}  // namespace braid
