// The time of day as text.
#pragma once

#include <chrono>
#include <string>

namespace braid {

// ISO 8601, UTC: "2026-02-03T04:05:06Z"; sorts as text.
std::string utc_text(std::chrono::system_clock::time_point time);
// With milliseconds: "2026-02-03T04:05:06.789Z".
std::string utc_text_ms(std::chrono::system_clock::time_point time);

inline std::string utc_now() { return utc_text(std::chrono::system_clock::now()); }
inline std::string utc_now_ms() { return utc_text_ms(std::chrono::system_clock::now()); }

}  // namespace braid
