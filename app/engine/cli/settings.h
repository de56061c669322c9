// Words of the command line that become values: --set key=value, --data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/spec/training.h"

namespace braid::cli {

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
