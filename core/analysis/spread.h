// Labels that want to stand beside their lines without covering each other.
#pragma once

#include <vector>

namespace braid {

// Positions (of centres, in the order of `wanted`) at least `distance` apart inside [low, high], with the
// smallest sum of squared shifts. Order is kept; where the labels do not fit they are spread evenly.
std::vector<double> spread_apart(const std::vector<double>& wanted, double distance, double low, double high);

}  // namespace braid
