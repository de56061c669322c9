// Which points of a study are meant, and which of them one job trains.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/engine/study/study_file.h"
#include "core/base/row_rule.h"

namespace braid::cli {

bool holds_any(const std::vector<RowRule>& rules, const StudyFields& fields);

// `points` (indices of `planned`) in lists: those that branch from one another are one task, trained one
// after the other from the smallest budget, so that no job waits for another; everything else is a task of
// its own. In the order of their first points.
std::vector<std::vector<std::size_t>> tasks_of(const StudySpec& spec,
                                               const std::vector<PlannedPoint>& planned,
                                               const std::vector<std::size_t>& points);

// Folders for those of `points` that have no run yet; `device` empty: as the study says.
Result<void> make_runs(const OpenedStudy& study, StudyState& state, const std::vector<std::size_t>& points,
                       const std::string& device);

}  // namespace braid::cli
