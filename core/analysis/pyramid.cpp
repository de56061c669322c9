#include "core/analysis/pyramid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace braid {
namespace {

// Collects lines, dots and marks from points and gaps that come in order of x.
class Emitter {
public:
    explicit Emitter(const AxisMap& y_map) : y_map_(y_map) {}

    bool drawable(double y) const { return y_map_.defined(y); }

    void drawn(double x, double y) { out_.points.push_back({x, y}); }

    void reserve(std::size_t points) { out_.points.reserve(points); }

    void point(double x, double y) {
        if (!drawable(y)) {
            gap();
            return;
        }
        out_.points.push_back({x, y});
    }

    void gap() {
        const std::size_t count = out_.points.size() - line_begin_;
        if (count == 1) {
            out_.dots.push_back(out_.points.back());
            out_.points.pop_back();
        } else if (count > 1) {
            out_.line_begin.push_back(line_begin_);
        }
        line_begin_ = out_.points.size();
    }

    void marks(int column, double x, const CurveSummary& summary) {
        mark(column, x, EdgeMarkKind::plus_inf, summary.plus_inf);
        mark(column, x, EdgeMarkKind::minus_inf, summary.minus_inf);
        if (y_map_.scale == AxisScale::log) {
            mark(column, x, EdgeMarkKind::not_positive, summary.not_positive);
        }
        out_.missing += summary.nan;
    }

    Detail take() {
        gap();
        return std::move(out_);
    }

private:
    void mark(int column, double x, EdgeMarkKind kind, std::uint32_t count) {
        if (count == 0) {
            return;
        }
        out_.at_edge += count;
        auto& last = last_mark_[static_cast<std::size_t>(kind)];
        if (last.column == column) {
            out_.marks[last.index].count += count;
            return;
        }
        last = {column, out_.marks.size()};
        out_.marks.push_back({x, kind, count});
    }

    struct LastMark {
        int column = -1;
        std::size_t index = 0;
    };

    AxisMap y_map_;
    Detail out_;
    std::size_t line_begin_ = 0;
    LastMark last_mark_[3];
};

// The same as add_column for points side by side in memory that all stand at their place; false: they do not.
bool add_plain_column(const Curve::Stretch& part, double middle, const AxisMap& y_map, Emitter& emit) {
    double low = part.y[0];
    double high = part.y[0];
    double all = 0;  // becomes NaN with the first value that is not finite
    for (const double y : part.y) {
        low = y < low ? y : low;
        high = y > high ? y : high;
        all += y - y;
    }
    if (all != 0 || !y_map.defined(low)) {
        return false;
    }
    const std::size_t last = part.y.size() - 1;
    const double x = std::clamp(middle, part.x[0], part.x[last]);
    emit.drawn(part.x[0], part.y[0]);
    if (low != part.y[0] && low != part.y[last]) {
        emit.drawn(x, low);
    }
    if (high != part.y[0] && high != part.y[last]) {
        emit.drawn(x, high);
    }
    emit.drawn(part.x[last], part.y[last]);
    return true;
}

// How many of the sorted values lie below `edge`. Steps are mostly regular: guessed from the first two.
std::size_t count_below(std::span<const double> values, double edge) {
    if (values.empty() || values[0] >= edge) {
        return 0;
    }
    std::size_t count = values.size();
    if (values.size() > 1 && values.back() >= edge) {
        const double guess = (edge - values[0]) / (values[1] - values[0]);
        count = guess < static_cast<double>(values.size()) ? static_cast<std::size_t>(guess) : 1;
        while (count > 1 && values[count - 1] >= edge) {
            --count;
        }
        while (count < values.size() && values[count] < edge) {
            ++count;
        }
    }
    return count;
}

// Points [begin, end) of one column, all at most a pixel apart.
void add_column(const Curve& curve, std::size_t begin, std::size_t end, int column, double middle,
                const AxisMap& y_map, Emitter& emit) {
    const CurveSummary summary = curve.summarize(begin, end);
    const bool log = y_map.scale == AxisScale::log;
    emit.marks(column, std::clamp(middle, curve.x(begin), curve.x(end - 1)), summary);
    if (end - begin <= 4) {
        for (std::size_t i = begin; i < end; ++i) {
            emit.point(curve.x(i), curve.y(i));
        }
        return;
    }
    const std::uint32_t drawable = log ? summary.finite - summary.not_positive : summary.finite;
    if (drawable == 0) {
        emit.gap();
        return;
    }
    const double low = log ? summary.min_positive : summary.min;
    const double high = summary.max;
    const double first = curve.y(begin);
    const double last = curve.y(end - 1);
    const double x = std::clamp(middle, curve.x(begin), curve.x(end - 1));
    emit.point(curve.x(begin), first);  // a gap if it is not drawable
    const bool seen_low = low == first || low == last;
    const bool seen_high = high == first || high == last;
    if (!seen_low) {
        emit.point(x, low);
    }
    if (!seen_high && high != low) {
        emit.point(x, high);
    }
    emit.point(curve.x(end - 1), last);
}

}  // namespace

Detail detail(const Curve& curve, const DetailRequest& request) {
    const bool log_x = request.x_map.scale == AxisScale::log;
    const std::size_t first_defined = log_x ? curve.upper_bound(0) : 0;
    AxisRange range = request.x_range;
    if (request.columns < 1 || !(range.lower < range.upper) || (log_x && range.upper <= 0)) {
        return {};
    }
    if (log_x && range.lower <= 0) {
        range.lower = std::min(range.upper / 10, first_defined < curve.size() ? curve.x(first_defined) : 1.0);
    }
    const std::size_t begin = std::max(first_defined, curve.lower_bound(range.lower));
    const std::size_t end = std::max(begin, curve.upper_bound(range.upper));

    Emitter emit(request.y_map);
    emit.reserve(std::min(end - begin, 4 * static_cast<std::size_t>(request.columns)) + 2);
    if (begin > first_defined) {  // the line comes in from the left
        emit.point(curve.x(begin - 1), curve.y(begin - 1));
    }
    const double place0 = request.x_map.forward(range.lower);
    const double per_column = (request.x_map.forward(range.upper) - place0) / request.columns;
    const auto column_of = [&](double x) {
        const double column = (request.x_map.forward(x) - place0) / per_column;
        return static_cast<int>(std::clamp(column, 0.0, static_cast<double>(request.columns - 1)));
    };
    // Few points a column: one pass over them. Many: jump from column to column.
    const bool walk = end - begin < 48 * static_cast<std::size_t>(request.columns);
    std::size_t i = begin;
    while (i < end) {
        const int column = column_of(curve.x(i));
        std::size_t stop = end;
        if (column + 1 < request.columns) {
            const double edge = request.x_map.backward(place0 + per_column * (column + 1));
            stop = walk ? i + 1 : std::clamp(curve.lower_bound(edge), i + 1, end);
            while (walk && stop < end) {
                const auto xs = curve.stretch(stop, end).x;
                const std::size_t below = count_below(xs, edge);
                stop += below;
                if (below < xs.size()) {
                    break;
                }
            }
        }
        const double middle = request.x_map.backward(place0 + per_column * (column + 0.5));
        const auto part = curve.stretch(i, stop);
        const bool plain = stop - i > 4 && stop - i <= part.x.size() && stop - i < 512 &&
                           add_plain_column(part, middle, request.y_map, emit);
        if (!plain) {
            add_column(curve, i, stop, column, middle, request.y_map, emit);
        }
        i = stop;
    }
    if (end < curve.size()) {  // and leaves to the right
        emit.point(curve.x(end), curve.y(end));
    }
    Detail result = emit.take();
    result.in_range = end - begin;
    result.off_axis = first_defined;
    return result;
}

bool dense_columns(const Curve& curve, const DetailRequest& request, std::vector<DenseColumn>& columns) {
    columns.clear();
    const AxisRange range = request.x_range;
    if (request.columns < 1 || !(range.lower < range.upper) || !request.x_map.defined(range.lower)) {
        return false;
    }
    const std::size_t begin = curve.lower_bound(range.lower);
    const std::size_t end = curve.upper_bound(range.upper);
    if (begin >= end) {
        return true;
    }
    const CurveSummary summary = curve.summarize(begin, end);
    if (summary.finite != end - begin || !request.y_map.defined(summary.min)) {
        return false;
    }
    const double place0 = request.x_map.forward(range.lower);
    const double per_column = (request.x_map.forward(range.upper) - place0) / request.columns;
    std::size_t i = begin;
    while (i < end) {
        const double place = (request.x_map.forward(curve.x(i)) - place0) / per_column;
        const int column = static_cast<int>(std::clamp(place, 0.0, static_cast<double>(request.columns - 1)));
        const double edge = column + 1 < request.columns
                                ? request.x_map.backward(place0 + per_column * (column + 1))
                                : std::numeric_limits<double>::infinity();
        const std::size_t column_begin = i;
        DenseColumn dense{column, curve.y(i), curve.y(i), curve.y(i), curve.y(i)};
        for (bool more = true; more && i < end;) {
            const auto [xs, ys] = curve.stretch(i, end);
            const std::size_t least =
                i == column_begin ? 1 : 0;  // rounding of the edge must not stop the march
            const std::size_t stop = std::max(count_below(xs, edge), least);
            for (std::size_t k = 0; k < stop; ++k) {
                dense.low = ys[k] < dense.low ? ys[k] : dense.low;
                dense.high = ys[k] > dense.high ? ys[k] : dense.high;
            }
            dense.last = stop > 0 ? ys[stop - 1] : dense.last;
            i += stop;
            more = stop == xs.size();
        }
        columns.push_back(dense);
    }
    return true;
}

}  // namespace braid
