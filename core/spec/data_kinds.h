// What data a run may read, as values: the synthetic tasks (core/spec/task_kind.h) and corpora. Reading them
// is core/data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/spec/parameter.h"
#include "core/spec/training.h"

namespace braid {

inline constexpr std::string_view corpus_kind = "corpus";  // DataSpec::kind of a corpus folder

const std::vector<ParameterDescription>& corpus_parameters();
// Rules between them. Paths start with "data".
Diagnostics check_corpus_parameters(const ParameterValues& values);

// Of a task or of "corpus"; null: no such kind.
const std::vector<ParameterDescription>* data_parameters(const std::string& kind);

// Everything wrong with the data of a run, without opening a corpus: unknown task, parameter out of range,
// context too short for the task. Paths start with "data" or "training".
Diagnostics validate(const DataSpec& data, const TrainingSpec& training);

}  // namespace braid
