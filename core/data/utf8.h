// Is this text UTF-8?
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace braid {

// Number of places at which the text is not well-formed UTF-8 (Unicode, table 3-7: no overlong forms,
// surrogates, or code points above U+10FFFF); each byte that cannot begin or continue a character counts
// once.
std::int64_t count_invalid_utf8(std::string_view text);

// Largest n <= limit such that the first n bytes do not end inside a character.
std::size_t utf8_boundary(std::string_view text, std::size_t limit);

}  // namespace braid
