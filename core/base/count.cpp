#include "core/base/count.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace braid {

Checked<std::int64_t> parse_count(std::string_view text, const std::string& path) {
    std::string digits;
    for (const char c : text)
        if (c != '_' && c != ',') digits += c;
    double factor = 1;
    if (!digits.empty()) {
        switch (digits.back()) {
            case 'k':
            case 'K':
                factor = 1e3;
                break;
            case 'M':
                factor = 1e6;
                break;
            case 'G':
            case 'B':
                factor = 1e9;
                break;
            case 'T':
                factor = 1e12;
                break;
            default:
                break;
        }
        if (factor > 1) digits.pop_back();
    }
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const double value = std::round(number * factor);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() || !(value >= 1) ||
        value > 1e18)
        return tl::unexpected<Diagnostics>({{.path = path,
                                             .rule = "must be a count such as 600, 130K, 2.5M or 1e9",
                                             .found = std::string(text.substr(0, 60))}});
    return static_cast<std::int64_t>(value);
}

std::string bytes_text(std::int64_t bytes) {
    if (bytes < 1024) return std::to_string(bytes) + " B";
    double number = static_cast<double>(bytes);
    for (const char* unit : {" KiB", " MiB", " GiB", " TiB", " PiB"}) {
        number /= 1024;
        if (number >= 1023.5 && unit[1] != 'P') continue;
        char text[32];
        std::snprintf(text, sizeof text, "%.4g", number);
        return std::string(text) + unit;
    }
    return {};
}

}  // namespace braid
