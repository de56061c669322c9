#include "core/data/tokenizer/byte_alphabet.h"

#include <array>
#include <cstdint>

#include "core/data/utf8.h"

namespace braid {
namespace {

constexpr std::size_t letters = 256 + 68;

constexpr bool stands_for_itself(unsigned byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// byte_of[code point]; -1: no letter.
constexpr std::array<std::int16_t, letters> byte_of = [] {
    std::array<std::int16_t, letters> table{};
    table.fill(-1);
    std::size_t next = 256;
    for (unsigned byte = 0; byte < 256; ++byte)
        table[stands_for_itself(byte) ? byte : next++] = static_cast<std::int16_t>(byte);
    return table;
}();

}  // namespace

std::optional<std::string> from_byte_alphabet(std::string_view entry) {
    std::string bytes;
    for (std::size_t at = 0; at < entry.size();) {
        const std::size_t length = utf8_character(entry, at);
        if (length == 0) return std::nullopt;
        const char32_t letter = utf8_code_point(entry, at, length);
        if (letter >= letters || byte_of[letter] < 0) return std::nullopt;
        bytes.push_back(static_cast<char>(byte_of[letter]));
        at += length;
    }
    return bytes;
}

}  // namespace braid
