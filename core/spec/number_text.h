// Numbers and words as the shorthand, --set and messages write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

// Shortest text that reads back to the same number: "1e5", "0.003", "16".
std::string shortest(double value);

// The whole text, with an optional leading '+'; whole numbers also as "1e6" or "2.5e3". Not finite is no
// number.
std::optional<double> read_real(std::string_view text);
std::optional<std::int64_t> read_integer(std::string_view text);

std::string_view trimmed(std::string_view text);
// The parts of "a, b,c", trimmed; one at least, which may be empty.
std::vector<std::string_view> comma_parts(std::string_view text);

// At most `bytes` bytes of the text, cut between UTF-8 characters, and "..." where something was cut.
std::string shortened(std::string_view text, std::size_t bytes);

}  // namespace braid
