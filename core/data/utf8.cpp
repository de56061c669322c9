#include "core/data/utf8.h"

#include <cstring>

namespace braid {
namespace {

// Bytes of the well-formed character at `at`; 0 where there is none.
std::size_t character_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        const bool second =
            continues(1) && !(lead == 0xE0 && byte(1) < 0xA0) && !(lead == 0xED && byte(1) > 0x9F);
        return second && continues(2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const bool second =
            continues(1) && !(lead == 0xF0 && byte(1) < 0x90) && !(lead == 0xF4 && byte(1) > 0x8F);
        return second && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

}  // namespace

std::int64_t count_invalid_utf8(std::string_view text) {
    std::int64_t invalid = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        std::uint64_t eight = 0;
        if (at + 8 <= text.size()) {
            std::memcpy(&eight, text.data() + at, 8);
            if ((eight & 0x8080808080808080ULL) == 0) {
                at += 8;
                continue;
            }
        }
        const std::size_t length = character_length(text, at);
        if (length == 0) ++invalid;
        at += length == 0 ? 1 : length;
    }
    return invalid;
}

std::size_t utf8_boundary(std::string_view text, std::size_t limit) {
    if (limit >= text.size()) return text.size();
    for (std::size_t back = 0; back < 4 && back < limit; ++back)
        if ((static_cast<unsigned char>(text[limit - back]) & 0xC0U) != 0x80U) return limit - back;
    return limit;
}

}  // namespace braid
