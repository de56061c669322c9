// Files of scores and measurements: their names and their lists.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/id.h"
#include "core/base/json.h"

namespace braid {

// "step-00000400.niah-1f2e3d4c": the same kind and settings at the same step give the same id.
std::string record_id(Step step, std::string_view kind, const Json& settings);

// The end of it: "1f2e3d4c".
std::string settings_hash(const Json& settings);

// The name of a file that stays in its folder.
bool is_plain_name(const std::string& name);

// The .json files of a folder, by name; one that does not exist has none. A folder that cannot be read is a
// problem.
std::vector<std::string> json_files(const std::string& folder, std::vector<Error>& problems);

// The record in a file, which it is told.
template <class Record, class FromJson>
Result<Record> read_record(const std::string& file, FromJson from_json) {
    return read_json(file).and_then([&](const Json& json) -> Result<Record> {
        Checked<Record> record = from_json(json);
        if (!record) return fail(to_error(record.error(), file));
        record->file = file;
        return std::move(*record);
    });
}

// All records of a folder by step, then by name of file; a file that cannot be read is a problem.
template <class Record>
std::vector<Record> read_records(const std::string& folder, Result<Record> (*read)(const std::string& file),
                                 std::vector<Error>& problems) {
    std::vector<Record> records;
    for (const std::string& file : json_files(folder, problems)) {
        if (Result<Record> record = read(file))
            records.push_back(std::move(*record));
        else
            problems.push_back(std::move(record.error()));
    }
    std::stable_sort(records.begin(), records.end(),
                     [](const Record& a, const Record& b) { return a.checkpoint.step < b.checkpoint.step; });
    return records;
}

}  // namespace braid
