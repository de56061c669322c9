#include "core/spec/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace braid {

std::string shortest(double value) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    std::string text(buffer, end);
    // "1e+05" and "1e-08" are how C writes them; "1e5" and "1e-8" read the same and are what people type.
    if (const auto e = text.find('e'); e != std::string::npos) {
        std::size_t digit = e + 1;
        if (text[digit] == '+') text.erase(digit, 1);
        if (text[digit] == '-') ++digit;
        while (digit + 1 < text.size() && text[digit] == '0') text.erase(digit, 1);
    }
    return text;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n\v\f";
    const auto begin = text.find_first_not_of(blank);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

std::vector<std::string_view> comma_parts(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        parts.push_back(trimmed(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return parts;
}

std::string shortened(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return std::string(text);
    std::size_t end = bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end)) + "...";
}

std::optional<double> read_real(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::optional<std::int64_t> read_integer(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status == std::errc() && end == text.data() + text.size()) return value;
    // "1e6" tokens: whole, and exact as a double.
    const auto real = read_real(text);
    if (!real || std::nearbyint(*real) != *real || std::abs(*real) > 9007199254740992.0) return std::nullopt;
    return static_cast<std::int64_t>(*real);
}

}  // namespace braid
