// RULER's averages, named as in the paper (Table 11).
#pragma once

#include <span>
#include <vector>

#include "core/record/score.h"

namespace braid {

// Of scores by task and length: first the mean over lengths of each task, then over tasks.
//   "NIAH average (8)", "Total average (13)": where tasks have no data the name says over how many of them,
//   "NIAH average (3 of 8)", so that what cannot be compared is not one column.
//   "RULER <= 4K", "RULER > 4K": the same over the lengths up to, and above, 4,096 tokens; "RULER <= 4K (3 of
//   13)" where tasks have no data.
// Without any data in it an average is left out.
std::vector<ScoreSummary> ruler_averages(std::span<const Score> scores);

}  // namespace braid
