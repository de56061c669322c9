#include "core/data/utf8.h"

#include <cstring>

namespace braid {
namespace {

// Most text is ASCII: eight bytes at a time are passed over.
bool eight_ascii(std::string_view text, std::size_t at) {
    if (at + 8 > text.size()) return false;
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + at, 8);
    return (eight & 0x8080808080808080ULL) == 0;
}

}  // namespace

std::size_t utf8_character(std::string_view text, std::size_t at) {
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

std::size_t valid_utf8_prefix(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        if (eight_ascii(text, at)) {
            at += 8;
            continue;
        }
        const std::size_t length = utf8_character(text, at);
        if (length == 0) return at;
        at += length;
    }
    return at;
}

char32_t utf8_code_point(std::string_view text, std::size_t at, std::size_t length) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    switch (length) {
        case 1:
            return byte(0);
        case 2:
            return (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU);
        case 3:
            return (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
        default:
            return (byte(0) & 0x07U) << 18U | (byte(1) & 0x3FU) << 12U | (byte(2) & 0x3FU) << 6U |
                   (byte(3) & 0x3FU);
    }
}

void append_utf8(std::string& text, char32_t code_point) {
    const auto put = [&](char32_t value) { text.push_back(static_cast<char>(value)); };
    if (code_point < 0x80) {
        put(code_point);
    } else if (code_point < 0x800) {
        put(0xC0U | code_point >> 6U);
        put(0x80U | (code_point & 0x3FU));
    } else if (code_point < 0x10000) {
        put(0xE0U | code_point >> 12U);
        put(0x80U | (code_point >> 6U & 0x3FU));
        put(0x80U | (code_point & 0x3FU));
    } else {
        put(0xF0U | code_point >> 18U);
        put(0x80U | (code_point >> 12U & 0x3FU));
        put(0x80U | (code_point >> 6U & 0x3FU));
        put(0x80U | (code_point & 0x3FU));
    }
}

std::int64_t count_invalid_utf8(std::string_view text) {
    std::int64_t invalid = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        if (eight_ascii(text, at)) {
            at += 8;
            continue;
        }
        const std::size_t length = utf8_character(text, at);
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
