// How an axis maps values to places, and where its ticks are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace braid {

enum class AxisScale { linear, log, symlog };

// "linear", "log", "symlog"
std::string_view to_text(AxisScale scale);
std::optional<AxisScale> axis_scale_from_text(std::string_view text);

struct AxisRange {
    double lower = 0;
    double upper = 1;
    double size() const { return upper - lower; }
    bool operator==(const AxisRange&) const = default;
};

// value -> place, strictly increasing where defined. Log: log10, defined for values > 0. Symlog:
// asinh(value / (2 linear_width)) / ln 10: linear within +-linear_width, logarithmic outside.
struct AxisMap {
    AxisScale scale = AxisScale::linear;
    double linear_width = 1;

    bool defined(double value) const;     // finite, and > 0 on a log axis
    double forward(double value) const;   // NaN where not defined
    double backward(double place) const;  // the value at a place
    bool operator==(const AxisMap&) const = default;
};

struct Tick {
    double value = 0;
    std::string label = {};  // empty for a minor tick
    bool operator==(const Tick&) const = default;
};

// Ticks of a range, with labels of equal decimals. Labels are divided by `factor`, whose name ("M", "k") goes
// into the axis title; 1 where no factor helps.
struct Ticks {
    std::vector<Tick> major = {};
    std::vector<Tick> minor = {};  // log and symlog
    double factor = 1;
    std::string factor_name = {};  // "", "k", "M", "B", "T" for counts
};

struct TickOptions {
    int target = 5;           // about so many labels
    bool use_factor = false;  // counts such as tokens: 0.5 1.0 1.5 and "M" in the title
    bool whole = false;       // steps: only whole numbers
};

// Ticks within range (both ends included). An empty or non-finite range gives none.
Ticks make_ticks(const AxisMap& map, AxisRange range, const TickOptions& options = {});

// The range that shows [low, high] with `margin` (a share of its length on the axis) on both sides; of a
// sensible length for one value or none.
AxisRange padded_range(const AxisMap& map, double low, double high, double margin = 0.04);

}  // namespace braid
