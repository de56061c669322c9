// What a study has measured, one row a point: what is fitted, exported, drawn.
#pragma once

#include <string>
#include <vector>

#include "core/base/csv_table.h"
#include "core/record/study_state.h"

namespace braid {

// Columns: curve (architecture and axes: what one scaling law goes through), architecture, scale, budget and
// the axes where the study has them, seed, parameters (N, without
// embeddings), tokens (D, as seen so far), run, state, and every metric that a run of the study has recorded
// (its last value; empty where a run has none), the headline numbers of scores of its last step among them.
// Lines count from 2, as in the file that to_csv() makes. Points without a run have empty cells from `tokens`
// on, but for `state`: planned.
CsvTable study_table(const StudySpec& spec, const StudyState& state);

}  // namespace braid
