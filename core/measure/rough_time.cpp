#include "core/measure/rough_time.h"

#include <algorithm>
#include <cmath>

namespace braid {

std::string rough_time(double seconds) {
    const auto text = [](double number, const char* unit) {
        return std::to_string(std::llround(number)).append(unit);
    };
    constexpr double minute = 60, hour = 3'600, day = 86'400;
    if (seconds < 1.5 * minute) return text(std::max(seconds, 1.0), " s");
    if (seconds < 1.5 * hour) return text(seconds / minute, " min");
    if (seconds < 2 * day) return text(seconds / hour, " h");
    if (seconds < 365 * day) return text(seconds / day, " days");
    return "more than a year";
}

}  // namespace braid
