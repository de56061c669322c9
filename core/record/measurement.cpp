#include "core/record/measurement.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/csv.h"
#include "core/base/file.h"
#include "core/record/record_files.h"
#include "core/record/record_json.h"
#include "core/spec/measurement_kind.h"
#include "core/spec/number_text.h"

namespace braid {
namespace {

constexpr std::size_t most_values = std::size_t{1} << 26;  // of an array in a file

Json to_json(const MeasuredArray& array) {
    Json json = {{"name", array.name},
                 {"unit", array.unit},
                 {"axes", Json::array()},
                 {"values", numbers_json(array.values)},
                 {"samples", array.samples}};
    for (const MeasuredAxis& axis : array.axes) {
        Json ticks = Json::array();
        for (const AxisTick& tick : axis.ticks)
            std::visit([&](const auto& value) { ticks.push_back(value); }, tick);
        json["axes"].push_back({{"name", axis.name}, {"unit", axis.unit}, {"ticks", std::move(ticks)}});
    }
    if (!array.low.empty()) json["low"] = numbers_json(array.low);
    if (!array.high.empty()) json["high"] = numbers_json(array.high);
    if (!array.missing.empty()) json["missing"] = array.missing;
    return json;
}

MeasuredAxis axis_from(const Json& json, const std::string& place, Diagnostics& problems) {
    MeasuredAxis axis;
    JsonReader reader(json, place, problems);
    reader.require("name");
    reader.text("name", axis.name);
    reader.text("unit", axis.unit);
    reader.require("ticks");
    each_item(reader, "ticks", [&](const Json& tick, const std::string& where) {
        if (tick.is_number())
            axis.ticks.emplace_back(tick.get<double>());
        else if (tick.is_string())
            axis.ticks.emplace_back(tick.get<std::string>());
        else
            reader.report(where, "must be a number or a text", tick);
    });
    reader.refuse_unknown_keys();
    return axis;
}

void check_sizes(JsonReader& reader, const MeasuredArray& array) {
    const std::size_t wanted = array.size();
    const auto check = [&](const char* key, std::size_t size, bool may_lack) {
        if (size == wanted || (may_lack && size == 0)) return;
        reader.report(reader.place(key),
                      "must have as many entries as the axes give (" + std::to_string(wanted) + ")", size);
    };
    check("values", array.values.size(), false);
    check("low", array.low.size(), true);
    check("high", array.high.size(), true);
    if (array.samples.size() != 1) check("samples", array.samples.size(), true);
}

MeasuredArray array_from(const Json& json, const std::string& place, Diagnostics& problems) {
    MeasuredArray array;
    const std::size_t before = problems.size();
    JsonReader reader(json, place, problems);
    reader.require("name");
    reader.text("name", array.name);
    reader.text("unit", array.unit);
    reader.require("axes");
    each_item(reader, "axes", [&](const Json& axis, const std::string& where) {
        array.axes.push_back(axis_from(axis, where, problems));
    });
    reader.require("values");
    read_numbers(reader, "values", array.values);
    read_numbers(reader, "low", array.low);
    read_numbers(reader, "high", array.high);
    each_item(reader, "samples", [&](const Json& count, const std::string& where) {
        const bool large =
            count.is_number_unsigned() && count.get<std::uint64_t>() > std::uint64_t(INT64_MAX);
        if (count.is_number_integer() && !large && count.get<std::int64_t>() >= 0)
            array.samples.push_back(count.get<std::int64_t>());
        else
            reader.report(where, "must be a whole number from 0", count);
    });
    reader.text("missing", array.missing);
    reader.refuse_unknown_keys();
    if (problems.size() == before) check_sizes(reader, array);
    return array;
}

}  // namespace

std::size_t MeasuredArray::size() const {
    std::size_t product = 1;
    for (const MeasuredAxis& axis : axes)
        product = axis.ticks.size() > most_values / std::max<std::size_t>(product, 1)
                      ? most_values + 1
                      : product * axis.ticks.size();
    return product;
}

const MeasuredArray* MeasurementRecord::find(std::string_view array) const {
    const auto at = std::find_if(arrays.begin(), arrays.end(),
                                 [&](const MeasuredArray& each) { return each.name == array; });
    return at == arrays.end() ? nullptr : &*at;
}

Json to_json(const MeasurementRecord& record) {
    Json json = head_json(measurement_schema_version, record);
    json["arrays"] = json["summary"] = Json::array();
    json["notes"] = record.notes;
    for (const MeasuredArray& array : record.arrays) json["arrays"].push_back(to_json(array));
    for (const ScoreSummary& one : record.summary) json["summary"].push_back(to_json(one));
    return json;
}

Checked<MeasurementRecord> measurement_from_json(const Json& json) {
    Diagnostics problems;
    MeasurementRecord record;
    JsonReader reader(json, "", problems);
    if (!reader.is_object() || !reader.schema_version(measurement_schema_version))
        return tl::unexpected(std::move(problems));
    std::vector<std::string_view> ids;
    for (const MeasurementKind* kind : measurements()) ids.emplace_back(kind->id);
    read_head(reader, ids, record);
    reader.require("arrays");
    std::set<std::string> names;
    each_item(reader, "arrays", [&](const Json& item, const std::string& place) {
        record.arrays.push_back(array_from(item, place, problems));
        if (!names.insert(record.arrays.back().name).second)
            reader.report(place + ".name", "must be different from those before it",
                          record.arrays.back().name);
    });
    each_item(reader, "summary", [&](const Json& item, const std::string& place) {
        record.summary.push_back(summary_from_json(item, place, problems));
    });
    read_texts(reader, "notes", record.notes);
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return record;
}

std::string measurement_id(const MeasurementRecord& record) {
    return record_id(record.checkpoint.step, record.kind, record.settings);
}

Result<MeasurementRecord> read_measurement(const std::string& file) {
    return read_record<MeasurementRecord>(file, measurement_from_json);
}

Result<std::string> write_measurement(const std::string& folder, const MeasurementRecord& record) {
    if (Result<void> made = make_folder(folder); !made) return fail(std::move(made.error()));
    std::string file = folder;
    file.append("/").append(measurement_id(record)).append(".json");
    if (Result<void> written = write_json_atomically(file, to_json(record)); !written)
        return fail(std::move(written.error()));
    return file;
}

MeasurementList read_measurements(const std::string& folder) {
    MeasurementList list;
    list.records = read_records<MeasurementRecord>(folder, read_measurement, list.problems);
    return list;
}

MeasurementList read_measurements(const RunFolder& run) {
    return read_measurements(run.measurements_folder());
}

std::string csv(const MeasuredArray& array) {
    const auto number = [](double value) { return std::isfinite(value) ? shortest(value) : std::string(); };
    std::string text;
    for (const MeasuredAxis& axis : array.axes) text.append(csv_field(axis.name)).append(",");
    text.append(csv_field(array.name)).append(",low,high,samples\n");
    for (std::size_t i = 0; i < array.values.size(); ++i) {
        std::string ticks;
        std::size_t rest = i;
        for (std::size_t axis = array.axes.size(); axis-- > 0;) {
            const auto& all = array.axes[axis].ticks;
            const AxisTick& tick = all[rest % all.size()];
            rest /= all.size();
            const std::string* name = std::get_if<std::string>(&tick);
            ticks.insert(0, (name != nullptr ? csv_field(*name) : number(std::get<double>(tick))) + ",");
        }
        text.append(ticks).append(number(array.values[i])).append(",");
        text.append(array.low.empty() ? "" : number(array.low[i])).append(",");
        text.append(array.high.empty() ? "" : number(array.high[i])).append(",");
        if (!array.samples.empty())
            text.append(std::to_string(array.samples.size() == 1 ? array.samples[0] : array.samples[i]));
        text.append("\n");
    }
    return text;
}

}  // namespace braid
