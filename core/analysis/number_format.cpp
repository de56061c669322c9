#include "core/analysis/number_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace braid {
namespace {

constexpr std::string_view minus = "\u2212";

std::optional<std::string> not_a_number(double value) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value > 0 ? std::string("+\u221e") : std::string(minus) + "\u221e";
    }
    return std::nullopt;
}

// Digits of a non-negative number in C notation, thousands separated.
std::string grouped(std::string digits) {
    const std::size_t whole = std::min(digits.find('.'), digits.size());
    for (std::size_t i = whole; i > 3; i -= 3) {
        digits.insert(i - 3, ",");
    }
    return digits;
}

std::string with_unit(std::string number, std::string_view prefix, std::string_view unit) {
    if (!prefix.empty() || !unit.empty()) {
        number += ' ';
    }
    number += prefix;
    if (!prefix.empty() && !unit.empty()) {
        number += ' ';
    }
    number += unit;
    return number;
}

bool is_zero(std::string_view text) { return text.find_first_of("123456789") == std::string_view::npos; }

}  // namespace

std::string format_count(std::int64_t value) {
    const bool negative = value < 0;
    const auto magnitude =
        negative ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
    return (negative ? std::string(minus) : std::string()) + grouped(fmt::format("{}", magnitude));
}

std::string format_fixed(double value, int decimals) {
    if (auto text = not_a_number(value)) {
        return *text;
    }
    std::string digits = fmt::format("{:.{}f}", std::abs(value), std::max(0, decimals));
    const bool negative = value < 0 && !is_zero(digits);
    return (negative ? std::string(minus) : std::string()) + grouped(std::move(digits));
}

std::string format_significant(double value, int digits) {
    if (auto text = not_a_number(value)) {
        return *text;
    }
    if (value == 0) {
        return "0";
    }
    digits = std::max(1, digits);
    // The exponent after rounding: 9.9996 with 4 digits is 10.00.
    const std::string scientific = fmt::format("{:.{}e}", std::abs(value), digits - 1);
    const std::size_t e = scientific.find('e');
    const int exponent = std::stoi(scientific.substr(e + 1));
    if (exponent >= -3 && exponent < std::max(digits, 6)) {
        return format_fixed(value, std::max(0, digits - 1 - exponent));
    }
    std::string text = value < 0 ? std::string(minus) : std::string();
    text += scientific.substr(0, e) + "e";
    text += exponent < 0 ? std::string(minus) : std::string();
    return text + std::to_string(std::abs(exponent));
}

std::string format_power_of_ten(int exponent) {
    static constexpr std::array<std::string_view, 10> digits{
        "\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074", "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    std::string text = exponent < 0 ? "10\u207b" : "10";
    for (const char digit : std::to_string(std::abs(exponent))) {
        text += digits[static_cast<std::size_t>(digit - '0')];
    }
    return text;
}

std::string format_si(double value, std::string_view unit) {
    if (auto text = not_a_number(value)) {
        return with_unit(*text, "", unit);
    }
    if (std::abs(value) >= 999.5e12) {
        // The exponent after rounding: 9.996e15 is 1.00e16.
        const std::string scientific = fmt::format("{:.2e}", value);
        const std::size_t e = scientific.find('e');
        const double mantissa = std::stod(scientific.substr(0, e));
        return with_unit(
            format_fixed(mantissa, 2) + "\u00d7" + format_power_of_ten(std::stoi(scientific.substr(e + 1))),
            "", unit);
    }
    static constexpr std::array<std::string_view, 5> prefixes{"", "k", "M", "B", "T"};
    double scaled = std::abs(value);
    std::size_t prefix = 0;
    while (prefix + 1 < prefixes.size() && scaled >= 999.5) {
        scaled /= 1000;
        ++prefix;
    }
    const bool whole = prefix == 0 && scaled == std::floor(scaled);
    const int decimals = whole || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
    return with_unit(format_fixed(std::copysign(scaled, value), decimals), prefixes[prefix], unit);
}

std::string format_duration(double seconds) {
    if (!std::isfinite(seconds)) {
        return "unknown";
    }
    seconds = std::max(0.0, seconds);
    if (seconds < 1) {
        return fmt::format("{:.0f} ms", seconds * 1000);
    }
    if (seconds < 9.95) {
        return fmt::format("{:.1f} s", seconds);
    }
    const auto whole = std::llround(seconds);
    if (whole < 60) {
        return fmt::format("{} s", whole);
    }
    if (whole < 3600) {
        return fmt::format("{} min {} s", whole / 60, whole % 60);
    }
    if (whole < 48LL * 3600) {
        return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
    }
    return fmt::format("{:.1f} days", seconds / 86400);
}

std::string format_clock(double seconds) {
    if (!std::isfinite(seconds)) {
        return "--:--";
    }
    const auto whole = std::llround(std::max(0.0, seconds));
    return whole < 3600 ? fmt::format("{:02}:{:02}", whole / 60, whole % 60)
                        : fmt::format("{}:{:02}:{:02}", whole / 3600, whole % 3600 / 60, whole % 60);
}

std::string format_bytes(double bytes) {
    static constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    double scaled = std::max(0.0, bytes);
    std::size_t unit = 0;
    while (unit + 1 < units.size() && scaled >= 1023.5) {
        scaled /= 1024;
        ++unit;
    }
    return with_unit(format_fixed(scaled, unit == 0 || scaled >= 99.95 ? 0 : 1), "", units[unit]);
}

std::string exact_number(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

}  // namespace braid
