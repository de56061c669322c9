// Exact level of detail: what of a curve to draw on a given number of pixel columns. Each column shows the
// exact minimum and maximum of all its points, so a one-step spike is visible at every zoom; the answer
// depends on the request alone, so two redraws are equal to the pixel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/analysis/axis.h"
#include "core/analysis/curve.h"

namespace braid {

struct DetailRequest {
    AxisRange x_range = {};  // values at the left and the right edge
    int columns = 0;         // pixel columns between them; on paper: print dots
    AxisMap x_map = {};
    AxisMap y_map = {};
};

// Why a point is not at its place but at the edge of the panel.
enum class EdgeMarkKind { plus_inf, minus_inf, not_positive };

struct EdgeMark {
    double x = 0;
    EdgeMarkKind kind = EdgeMarkKind::plus_inf;
    std::uint32_t count = 0;  // points behind this mark
    bool operator==(const EdgeMark&) const = default;
};

// Lines with gaps where a value is missing. All values are data values, not pixels.
struct Detail {
    std::vector<CurvePoint> points = {};       // of all lines, one after the other
    std::vector<std::size_t> line_begin = {};  // first point of each line; a line has at least two points
    std::vector<CurvePoint> dots = {};         // finite values with a gap on both sides
    std::vector<EdgeMark> marks = {};          // at most one of a kind in a column
    std::size_t in_range = 0;                  // points of the curve in the x range
    std::size_t missing = 0;                   // NaN among them
    std::size_t off_axis = 0;  // points with x <= 0 on a log x axis: they have no place at all
    std::size_t at_edge = 0;   // points behind the marks
    bool operator==(const Detail&) const = default;

    std::size_t line_end(std::size_t line) const {
        return line + 1 < line_begin.size() ? line_begin[line + 1] : points.size();
    }
};

// At most four points a column, in O(columns x log size). The neighbours just outside the range are included,
// so that lines run to the edge.
Detail detail(const Curve& curve, const DetailRequest& request);

// One pixel column of a curve that has nothing but values with a place.
struct DenseColumn {
    int column = 0;
    double low = 0, high = 0;    // exact extremes
    double first = 0, last = 0;  // in order of x: neighbours are joined by a line
    bool operator==(const DenseColumn&) const = default;
};

// The short way for hundreds of curves at once: the columns of `request` that hold points, without neighbours
// outside the range. False (and nothing) if a value is missing or has no place; then detail() knows what to
// do.
bool dense_columns(const Curve& curve, const DetailRequest& request, std::vector<DenseColumn>& columns);

}  // namespace braid
