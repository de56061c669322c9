// Words of the command line that become values: --set key=value, --tokens 2.5M.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/spec/training.h"

namespace braid::cli {

// "600", "2_457_600", "2.5M", "1e9"; suffixes k, M, G (or B), T are powers of 1,000.
Checked<std::int64_t> parse_count(std::string_view text, const std::string& path);

// Each "key=value": a training field ("steps=600") or a parameter of the data ("data.keys=32"). Everything
// that is wrong is reported; what is right is set nevertheless.
Diagnostics apply_settings(const std::vector<std::string>& settings, TrainingSpec& training, DataSpec& data);

// Help of --set: the keys with their defaults, one a line.
std::string settings_help();

// "recall, mqar, ..": what --data knows besides folders.
std::string task_ids();

// --data: a task's id, or a corpus folder.
Checked<DataSpec> parse_data(const std::string& text);

}  // namespace braid::cli
