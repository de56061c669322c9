// Is this text UTF-8?
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace braid {

// Number of places at which the text is not well-formed UTF-8 (Unicode, table 3-7: no overlong forms,
// surrogates, or code points above U+10FFFF); each byte that cannot begin or continue a character counts
// once.
std::int64_t count_invalid_utf8(std::string_view text);

// Bytes of the well-formed character at `at`; 0 where there is none.
std::size_t utf8_character(std::string_view text, std::size_t at);

// Length of the longest well-formed beginning of the text.
std::size_t valid_utf8_prefix(std::string_view text);

// The code point of the well-formed character of `length` bytes at `at`.
char32_t utf8_code_point(std::string_view text, std::size_t at, std::size_t length);

void append_utf8(std::string& text, char32_t code_point);

// Largest n <= limit such that the first n bytes do not end inside a character.
std::size_t utf8_boundary(std::string_view text, std::size_t limit);

}  // namespace braid
