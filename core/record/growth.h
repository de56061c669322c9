// How the speed of training changes with the context and with the size of the model, measured on one device:
// what `bench step` with --contexts and --scales finds, as a file that figures draw ("growth").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace braid {

inline constexpr int growth_schema_version = 1;

// One architecture at one size and context.
struct GrowthRow {
    std::string spec = {};        // as it was asked for: "FS[w=512]"
    std::string scale = {};       // "S1"
    std::int64_t context = 0;     // tokens of a sequence
    std::int64_t batch = 0;       // sequences of a step
    std::int64_t parameters = 0;  // all of them
    double flops_per_token = 0;   // of training
    double forward_ms = 0;        // of the whole batch, alone; like the others a median
    double forward_backward_ms = 0;
    double update_ms = 0;
    std::string problem = {};  // why there are no times: they are 0 then

    bool measured() const { return problem.empty(); }
    double step_ms() const { return forward_backward_ms + update_ms; }
    double tokens_per_s() const { return measured() ? 1e3 * double(batch) * double(context) / step_ms() : 0; }
    bool operator==(const GrowthRow&) const = default;
};

struct GrowthRecord {
    std::string device = {};   // "cuda", "cpu"
    std::string title = {};    // "NVIDIA H200"
    std::int64_t threads = 0;  // of the CPU
    std::int64_t rounds = 0;   // of which each time is the median
    std::string braid = {};    // version and commit
    std::string created = {};  // ISO 8601, UTC
    std::string command = {};  // that measures it again
    std::vector<GrowthRow> rows = {};
    bool operator==(const GrowthRecord&) const = default;
};

Json to_json(const GrowthRecord& record);
// Every problem; a newer version is one diagnostic.
Checked<GrowthRecord> growth_from_json(const Json& json);

Result<GrowthRecord> read_growth(const std::string& file);
Result<void> write_growth(const std::string& file, const GrowthRecord& record);

}  // namespace braid
