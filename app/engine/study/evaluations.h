// What a study asks its finished runs ("evaluations" in its file), and which of it each run has answered.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/record/run_folder.h"

namespace braid::cli {

// "niah --lengths 512,1024 --text \"a b\"" in words; quotes (") keep blanks.
std::vector<std::string> words_of(std::string_view text);

// Those of `asked` that the run has not answered yet. <run>/evaluations.json names the answered ones; without
// it, or where it is damaged, all are asked (scores are replaced, never doubled).
std::vector<std::string> unanswered(const RunFolder& run, const std::vector<std::string>& asked);
Result<void> mark_answered(const RunFolder& run, const std::string& evaluation);

}  // namespace braid::cli
