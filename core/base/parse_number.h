// Numbers in cells of tables.
#pragma once

#include <optional>
#include <string_view>

namespace braid {

// A finite or infinite number as C writes it, blanks around it allowed, nothing else; none otherwise ("1,5",
// "12 M", "").
std::optional<double> parse_number(std::string_view text);

}  // namespace braid
