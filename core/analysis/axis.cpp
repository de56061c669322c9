#include "core/analysis/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/analysis/number_format.h"

namespace braid {
namespace {

struct ScaleName {
    AxisScale scale;
    std::string_view name;
};
constexpr std::array<ScaleName, 3> scale_names{
    {{AxisScale::linear, "linear"}, {AxisScale::log, "log"}, {AxisScale::symlog, "symlog"}}};

constexpr double log_of_ten = 2.302585092994046;
constexpr std::size_t most_ticks = 200;  // whatever the range

struct Factor {
    double value;
    std::string_view name;
};
constexpr std::array<Factor, 4> factors{{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "k"}}};

// 1, 2, 2.5 or 5 times a power of ten, so that about `target` steps fill `length`.
double nice_step(double length, int target, bool whole) {
    const double rough = length / std::max(1, target);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double best = power;
    double best_distance = std::numeric_limits<double>::infinity();
    for (const double multiple : {1.0, 2.0, 2.5, 5.0, 10.0}) {
        const double distance = std::abs(std::log(multiple * power / rough));
        if (distance < best_distance) {
            best_distance = distance;
            best = multiple * power;
        }
    }
    return whole ? std::max(1.0, std::round(best)) : best;
}

int decimals_of(double step) {
    for (int decimals = 0; decimals < 12; ++decimals) {
        const double scaled = step * std::pow(10, decimals);
        if (std::abs(scaled - std::round(scaled)) < 1e-6 * std::max(1.0, scaled)) {
            return decimals;
        }
    }
    return 12;
}

Ticks linear_ticks(AxisRange range, const TickOptions& options) {
    Ticks ticks;
    const double step = nice_step(range.size(), options.target, options.whole);
    const double largest = std::max(std::abs(range.lower), std::abs(range.upper));
    if (options.use_factor && largest >= 999.5e12) {  // FLOPs
        const int exponent = static_cast<int>(std::floor(std::log10(largest * 1.0005))) / 3 * 3;
        ticks.factor = std::pow(10, exponent);
        ticks.factor_name = format_power_of_ten(exponent);
    } else if (options.use_factor) {
        for (const Factor& factor : factors) {
            // 0.5 M, but 900 k: the factor that leaves one digit before the point at the far end.
            if (largest >= factor.value * 0.9995) {
                ticks.factor = factor.value;
                ticks.factor_name = factor.name;
                break;
            }
        }
    }
    const bool scientific = ticks.factor == 1 && (largest >= 1e7 || largest < 1e-3);
    const int exponent = scientific ? static_cast<int>(std::floor(std::log10(largest))) : 0;
    const double divide = scientific ? std::pow(10, exponent) : ticks.factor;
    const int decimals = decimals_of(step / divide);
    const double slack = 1e-9 * range.size();
    const double first = std::ceil((range.lower - slack) / step);
    for (std::size_t i = 0; i < most_ticks; ++i) {
        const double multiple = first + static_cast<double>(i);
        double value = multiple * step;
        if (value > range.upper + slack) {
            break;
        }
        value = multiple == 0 ? 0.0 : value;
        std::string label = format_fixed(value / divide, decimals);
        if (scientific && value != 0) {
            label += "e" + std::string(exponent < 0 ? "\u2212" : "") + std::to_string(std::abs(exponent));
        }
        ticks.major.push_back({value, std::move(label)});
    }
    return ticks;
}

// One axis, one notation: 0.01 0.1 1 10, or powers where one of its labels would be too long.
bool plain_powers(double smallest, double largest) { return smallest >= 0.9995e-3 && largest < 1e5; }

std::string log_label(double value, int exponent, bool plain, const TickOptions& options) {
    if (options.use_factor && value >= 1) {
        return format_si(value);
    }
    if (plain) {
        return format_fixed(value, decimals_of(value));
    }
    const double mantissa = value / std::pow(10, exponent);
    const std::string power = format_power_of_ten(exponent);
    return std::abs(mantissa - 1) < 1e-9 ? power : format_fixed(mantissa, 0) + "\u00d7" + power;
}

// Ticks of [lower, upper] with lower > 0, in order.
Ticks log_ticks(AxisRange range, const TickOptions& options) {
    Ticks ticks;
    const double decades = std::log10(range.upper / range.lower);
    if (decades < 0.7) {  // too short for powers: as on a linear axis
        ticks = linear_ticks(range, {.target = options.target, .use_factor = false, .whole = options.whole});
        std::erase_if(ticks.major, [](const Tick& tick) { return tick.value <= 0; });
        if (options.use_factor) {
            for (Tick& tick : ticks.major) {
                tick.label = format_si(tick.value);
            }
        }
        return ticks;
    }
    const int first = static_cast<int>(std::floor(std::log10(range.lower)));
    const int last = static_cast<int>(std::ceil(std::log10(range.upper)));
    const int every = std::max(1, static_cast<int>(std::ceil(decades / (1.5 * std::max(1, options.target)))));
    // Where there are few decades, 2 and 5 (or 3) are labelled as well.
    const double labels_a_decade = options.target / decades;
    for (int exponent = first; exponent <= last; ++exponent) {
        const double power = std::pow(10, exponent);
        for (int multiple = 1; multiple < 10; ++multiple) {
            const double value = multiple * power;
            if (value < range.lower * (1 - 1e-9) || value > range.upper * (1 + 1e-9)) {
                continue;
            }
            const bool label =
                multiple == 1
                    ? ((exponent % every) + every) % every == 0
                    : every == 1 && ((labels_a_decade >= 2.4 && (multiple == 2 || multiple == 5)) ||
                                     (labels_a_decade >= 1.5 && labels_a_decade < 2.4 && multiple == 3));
            if (label) {
                ticks.major.push_back(
                    {value, log_label(value, exponent, plain_powers(range.lower, range.upper), options)});
            } else if (multiple == 1 || every == 1) {
                ticks.minor.push_back({value, {}});
            }
        }
    }
    return ticks;
}

Ticks symlog_ticks(const AxisMap& map, AxisRange range, const TickOptions& options) {
    Ticks ticks;
    const double width = map.linear_width;
    // Powers of ten outside the linear part, on both sides of zero, thinned to the target.
    const double low = std::pow(10, std::floor(std::log10(width) + 0.5));
    const double far = std::max({std::abs(range.lower), std::abs(range.upper), low});
    const int decades = static_cast<int>(std::floor(std::log10(far / low) + 1e-9));
    const int sides = (range.lower < 0 ? 1 : 0) + (range.upper > 0 ? 1 : 0);
    const int every = std::max(1, (decades * sides + options.target - 1) / std::max(1, options.target));
    if (decades < 1) {
        return linear_ticks(range, options);
    }
    const auto add = [&](double value, int exponent) {
        if (value >= range.lower && value <= range.upper) {
            const std::string sign = value < 0 ? "\u2212" : "";
            ticks.major.push_back({value, value == 0 ? "0"
                                                     : sign + log_label(std::abs(value), exponent,
                                                                        plain_powers(low, far), options)});
        }
    };
    for (int k = decades; k >= 0; k -= every) {
        const double value = low * std::pow(10, k);
        add(-value, static_cast<int>(std::lround(std::log10(value))));
    }
    add(0, 0);
    for (int k = decades % every; k <= decades; k += every) {
        const double value = low * std::pow(10, k);
        add(value, static_cast<int>(std::lround(std::log10(value))));
    }
    return ticks;
}

}  // namespace

std::string_view to_text(AxisScale scale) {
    for (const ScaleName& entry : scale_names) {
        if (entry.scale == scale) {
            return entry.name;
        }
    }
    return "linear";
}

std::optional<AxisScale> axis_scale_from_text(std::string_view text) {
    for (const ScaleName& entry : scale_names) {
        if (entry.name == text) {
            return entry.scale;
        }
    }
    return std::nullopt;
}

bool AxisMap::defined(double value) const {
    return std::isfinite(value) && (scale != AxisScale::log || value > 0);
}

double AxisMap::forward(double value) const {
    switch (scale) {
        case AxisScale::linear:
            return value;
        case AxisScale::log:
            return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
        case AxisScale::symlog:
            return std::asinh(value / (2 * linear_width)) / log_of_ten;
    }
    return value;
}

double AxisMap::backward(double place) const {
    switch (scale) {
        case AxisScale::linear:
            return place;
        case AxisScale::log:
            return std::pow(10, place);
        case AxisScale::symlog:
            return 2 * linear_width * std::sinh(place * log_of_ten);
    }
    return place;
}

Ticks make_ticks(const AxisMap& map, AxisRange range, const TickOptions& options) {
    if (!std::isfinite(range.lower) || !std::isfinite(range.upper) || !(range.lower < range.upper) ||
        range.size() <= 1e-13 * std::max(std::abs(range.lower), std::abs(range.upper))) {
        return {};
    }
    switch (map.scale) {
        case AxisScale::linear:
            return linear_ticks(range, options);
        case AxisScale::log:
            return range.lower > 0 ? log_ticks(range, options) : Ticks{};
        case AxisScale::symlog:
            return symlog_ticks(map, range, options);
    }
    return {};
}

AxisRange padded_range(const AxisMap& map, double low, double high, double margin) {
    if (!map.defined(low) || !map.defined(high) || low > high) {
        return map.scale == AxisScale::log ? AxisRange{1, 10} : AxisRange{0, 1};
    }
    double from = map.forward(low);
    double to = map.forward(high);
    if (to - from <= 1e-12 * std::max({1e-300, std::abs(from), std::abs(to)})) {
        const double half = map.scale == AxisScale::linear ? (low == 0 ? 1.0 : std::abs(low) * 0.1) : 0.5;
        from -= half;
        to += half;
    } else {
        const double pad = (to - from) * margin;
        from -= pad;
        to += pad;
    }
    return {map.backward(from), map.backward(to)};
}

}  // namespace braid
