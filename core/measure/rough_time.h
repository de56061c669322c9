// How long something would take, as roughly as it is known.
#pragma once

#include <string>

namespace braid {

// "12 s", "31 min", "5 h", "8 days", "more than a year".
std::string rough_time(double seconds);

}  // namespace braid
