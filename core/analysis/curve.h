// A curve as an immutable value: what a run recorded, against steps, tokens, FLOPs or seconds. A snapshot is
// shared between threads without locks; a live curve grows by making the next snapshot, which shares all full
// chunks with the one before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace braid {

struct CurvePoint {
    double x = 0;
    double y = 0;
    bool operator==(const CurvePoint&) const = default;
};

// Exact facts about consecutive points. Finite values alone enter min and max.
struct CurveSummary {
    double min = std::numeric_limits<double>::infinity();           // +inf where there is no finite value
    double max = -std::numeric_limits<double>::infinity();          // -inf where there is no finite value
    double min_positive = std::numeric_limits<double>::infinity();  // smallest finite value > 0
    std::uint32_t finite = 0;
    std::uint32_t nan = 0;
    std::uint32_t plus_inf = 0;
    std::uint32_t minus_inf = 0;
    std::uint32_t not_positive = 0;  // finite values <= 0: cannot stand on a log axis

    void add(double y);
    void add(const CurveSummary& other);
    bool operator==(const CurveSummary&) const = default;
};

class Curve;
using CurvePtr = std::shared_ptr<const Curve>;

// Points in order of x. x is finite and never decreases; y may be NaN or infinite. Where two points share an
// x, both stay.
class Curve {
public:
    static constexpr std::size_t chunk_size = 4096;  // points; the unit of sharing
    static constexpr std::size_t bucket_size = 16;   // points of a bucket on the finest pyramid level

    // The curve without points.
    static CurvePtr empty();
    // x and y have the same length. Points whose x is not finite are left out; points out of order are sorted
    // (stable), so that a clock that went back cannot fold the curve.
    static CurvePtr make(std::span<const double> x, std::span<const double> y);
    // The next snapshot: this one and the given points, in O(points + size / chunk_size). Points with
    // x < last x are merged in order, which costs O(size).
    CurvePtr append(std::span<const double> x, std::span<const double> y) const;

    std::size_t size() const { return size_; }
    bool is_empty() const { return size_ == 0; }
    double x(std::size_t index) const { return chunks_[index / chunk_size]->x[index % chunk_size]; }
    double y(std::size_t index) const { return chunks_[index / chunk_size]->y[index % chunk_size]; }
    CurvePoint at(std::size_t index) const { return {x(index), y(index)}; }
    CurvePoint back() const { return at(size_ - 1); }

    // The points from `index` on that lie side by side in memory, at most to `end`: for passes over many.
    struct Stretch {
        std::span<const double> x;
        std::span<const double> y;
    };
    Stretch stretch(std::size_t index, std::size_t end) const;

    // First index with x(index) >= value, and first with x(index) > value; size() if there is none.
    std::size_t lower_bound(double value) const;
    std::size_t upper_bound(double value) const;

    // Exact facts about the points [begin, end), in O(bucket_size + log chunk_size + chunks inside): the
    // chunks' own summaries stand ready.
    CurveSummary summarize(std::size_t begin, std::size_t end) const;
    CurveSummary summary() const { return summarize(0, size_); }

    // Bytes held, chunks shared with other snapshots included.
    std::size_t bytes() const;

private:
    struct Chunk {
        std::vector<double> x;
        std::vector<double> y;
        std::vector<std::vector<CurveSummary>> levels;  // [k][b]: points [b, b + 1) x bucket_size x 2^k
        CurveSummary all;
    };
    using ChunkPtr = std::shared_ptr<const Chunk>;

    static ChunkPtr make_chunk(std::vector<double> x, std::vector<double> y);
    static void summarize_chunk(const Chunk& chunk, std::size_t begin, std::size_t end, CurveSummary& into);
    std::size_t find(double value, bool after_equal) const;
    CurvePtr merged(std::span<const double> x, std::span<const double> y) const;

    std::vector<ChunkPtr> chunks_;  // all full but the last
    std::size_t size_ = 0;
};

}  // namespace braid
