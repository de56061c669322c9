// Counts as people write them ("600", "130K", "2.5M", "1,000,000", "1e9") and bytes as they read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace braid {

// Powers of a thousand: k or K, M, G or B (billions), T; `_` and `,` between digits are ignored. At least 1
// and at most 10^18, rounded. Anything else is a diagnostic at `path`.
Checked<std::int64_t> parse_count(std::string_view text, const std::string& path);

std::string bytes_text(std::int64_t bytes);  // "12 B", "1.5 KiB"

}  // namespace braid
