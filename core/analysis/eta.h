// How long a run still takes, with an honest range.
#pragma once

#include <cstdint>
#include <optional>

#include "core/analysis/curve.h"

namespace braid {

struct Eta {
    double seconds = 0;
    double plus_minus = 0;  // half width of the 90 % range
};

// `step_over_time`: x = training seconds, y = steps done. Uses the latest points only (a run that became
// slower is not judged by its start) and ignores intervals in which no step was done longer than ten times
// the median, such as a pause. Nothing before two intervals are known, or if target is reached.
std::optional<Eta> estimate_eta(const Curve& step_over_time, double target_step);

}  // namespace braid
