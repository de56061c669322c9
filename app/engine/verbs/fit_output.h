// What `fit` and `study fit` tell, for people and as JSON.
#pragma once

#include <string>

#include "core/analysis/scaling_report.h"
#include "core/base/json.h"

namespace braid::cli {

std::string fit_text(const ScalingReport& report);
// One curve: {form, a, alpha, b, beta, E, intervals, r2_train, r2_heldout, points, excluded, ..}; with groups
// an array of these as "groups". A parameter that is not identified is null; "curve" has the numbers all the
// same.
Json fit_json(const ScalingReport& report);

}  // namespace braid::cli
