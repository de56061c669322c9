#include "core/record/growth.h"

#include <cmath>

#include "core/base/file.h"
#include "core/record/record_json.h"

namespace braid {
namespace {

// Described once: what is written is what is read.
template <class Row, class Visit>
void times_of(Row& row, Visit&& visit) {
    visit("forward_ms", row.forward_ms);
    visit("forward_backward_ms", row.forward_backward_ms);
    visit("update_ms", row.update_ms);
}

Json to_json(const GrowthRow& row) {
    Json json = {
        {"spec", row.spec},   {"scale", row.scale},           {"context", row.context},
        {"batch", row.batch}, {"parameters", row.parameters}, {"flops_per_token", row.flops_per_token}};
    if (!row.measured()) {
        json["problem"] = row.problem;
        return json;
    }
    times_of(row, [&](const char* key, double value) { json[key] = value; });
    // For people and scripts; what is read follows from the times.
    json["step_ms"] = row.step_ms();
    json["tokens_per_s"] = row.tokens_per_s();
    return json;
}

void read_time(JsonReader& reader, const char* key, double& value) {
    const Json* json = reader.require(key);
    if (json == nullptr) return;
    reader.number(key, value);
    if (json->is_number() && !(std::isfinite(value) && value >= 0))
        reader.report(reader.place(key), "must be a finite number from 0", *json);
}

GrowthRow row_from(const Json& json, const std::string& place, Diagnostics& problems) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    GrowthRow row;
    JsonReader reader(json, place, problems);
    for (const char* key : {"spec", "scale", "context", "batch", "parameters"}) reader.require(key);
    reader.text("spec", row.spec);
    reader.text("scale", row.scale);
    reader.integer("context", row.context, 1, most);
    reader.integer("batch", row.batch, 1, most);
    reader.integer("parameters", row.parameters, 1);
    read_time(reader, "flops_per_token", row.flops_per_token);
    reader.text("problem", row.problem);
    for (const char* derived : {"step_ms", "tokens_per_s"}) reader.find(derived);
    if (row.measured()) {
        const std::size_t before = problems.size();
        times_of(row, [&](const char* key, double& value) { read_time(reader, key, value); });
        if (problems.size() == before && !(row.step_ms() > 0))
            reader.report(reader.place("forward_backward_ms"), "must be above 0", row.forward_backward_ms);
    }
    reader.refuse_unknown_keys();
    return row;
}

}  // namespace

Json to_json(const GrowthRecord& record) {
    Json json = {{"schema_version", growth_schema_version},
                 {"kind", "growth"},
                 {"device", record.device},
                 {"title", record.title},
                 {"threads", record.threads},
                 {"rounds", record.rounds},
                 {"braid", record.braid},
                 {"created", record.created},
                 {"command", record.command},
                 {"rows", Json::array()}};
    for (const GrowthRow& row : record.rows) json["rows"].push_back(to_json(row));
    return json;
}

Checked<GrowthRecord> growth_from_json(const Json& json) {
    Diagnostics problems;
    GrowthRecord record;
    JsonReader reader(json, "", problems);
    if (!reader.is_object() || !reader.schema_version(growth_schema_version))
        return tl::unexpected<Diagnostics>(std::move(problems));
    std::string kind;
    reader.require("kind");
    reader.text("kind", kind);
    if (!kind.empty() && kind != "growth") reader.report("kind", "must be growth", kind);
    reader.text("device", record.device);
    reader.text("title", record.title);
    reader.integer("threads", record.threads, 0);
    reader.integer("rounds", record.rounds, 0);
    reader.text("braid", record.braid);
    reader.text("created", record.created);
    reader.text("command", record.command);
    reader.require("rows");
    each_item(reader, "rows", [&](const Json& row, const std::string& place) {
        record.rows.push_back(row_from(row, place, problems));
    });
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected<Diagnostics>(std::move(problems));
    return record;
}

Result<GrowthRecord> read_growth(const std::string& file) {
    const Result<Json> json = read_json(file);
    if (!json) return fail(json.error());
    Checked<GrowthRecord> record = growth_from_json(*json);
    if (!record) return fail(to_error(record.error(), file));
    return std::move(*record);
}

Result<void> write_growth(const std::string& file, const GrowthRecord& record) {
    return write_json_atomically(file, to_json(record));
}

}  // namespace braid
