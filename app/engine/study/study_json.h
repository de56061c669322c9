// A study as JSON, the same in `study show|run --json` and in serve.
#pragma once

#include "app/engine/study/study_file.h"
#include "core/base/json.h"

namespace braid::cli {

Json study_json(const StudySpec& spec, const StudyState& state);

}  // namespace braid::cli
