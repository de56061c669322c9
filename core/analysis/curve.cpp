#include "core/analysis/curve.h"

#include <algorithm>
#include <cmath>

namespace braid {

void CurveSummary::add(double y) {
    if (std::isfinite(y)) {
        ++finite;
        min = std::min(min, y);
        max = std::max(max, y);
        if (y > 0) {
            min_positive = std::min(min_positive, y);
        } else {
            ++not_positive;
        }
    } else if (std::isnan(y)) {
        ++nan;
    } else if (y > 0) {
        ++plus_inf;
    } else {
        ++minus_inf;
    }
}

void CurveSummary::add(const CurveSummary& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    min_positive = std::min(min_positive, other.min_positive);
    finite += other.finite;
    nan += other.nan;
    plus_inf += other.plus_inf;
    minus_inf += other.minus_inf;
    not_positive += other.not_positive;
}

CurvePtr Curve::empty() {
    static const CurvePtr nothing = std::make_shared<const Curve>();
    return nothing;
}

Curve::ChunkPtr Curve::make_chunk(std::vector<double> x, std::vector<double> y) {
    auto chunk = std::make_shared<Chunk>();
    chunk->x = std::move(x);
    chunk->y = std::move(y);
    const std::size_t count = chunk->y.size();
    std::vector<CurveSummary> level((count + bucket_size - 1) / bucket_size);
    for (std::size_t i = 0; i < count; ++i) {
        level[i / bucket_size].add(chunk->y[i]);
    }
    while (level.size() > 1) {
        std::vector<CurveSummary> coarser((level.size() + 1) / 2);
        for (std::size_t b = 0; b < level.size(); ++b) {
            coarser[b / 2].add(level[b]);
        }
        chunk->levels.push_back(std::move(level));
        level = std::move(coarser);
    }
    if (!level.empty()) {
        chunk->all = level.front();
        chunk->levels.push_back(std::move(level));
    }
    return chunk;
}

CurvePtr Curve::make(std::span<const double> x, std::span<const double> y) { return empty()->append(x, y); }

CurvePtr Curve::append(std::span<const double> x, std::span<const double> y) const {
    const std::size_t count = std::min(x.size(), y.size());
    auto next = std::make_shared<Curve>();
    next->chunks_.reserve(chunks_.size() + count / chunk_size + 1);
    next->chunks_ = chunks_;

    std::vector<double> tail_x;
    std::vector<double> tail_y;
    const bool last_is_partial = size_ % chunk_size != 0;
    if (last_is_partial) {
        tail_x = chunks_.back()->x;
        tail_y = chunks_.back()->y;
        next->chunks_.pop_back();
    }
    double last_x = size_ == 0 ? -std::numeric_limits<double>::infinity() : this->x(size_ - 1);
    for (std::size_t i = 0; i < count; ++i) {
        if (!std::isfinite(x[i])) {
            continue;
        }
        if (x[i] < last_x) {
            return merged(x, y);
        }
        last_x = x[i];
        if (tail_x.empty()) {
            tail_x.reserve(std::min(chunk_size, count - i));
            tail_y.reserve(std::min(chunk_size, count - i));
        }
        tail_x.push_back(x[i]);
        tail_y.push_back(y[i]);
        if (tail_x.size() == chunk_size) {
            next->chunks_.push_back(make_chunk(std::move(tail_x), std::move(tail_y)));
            tail_x = {};
            tail_y = {};
        }
    }
    next->size_ = next->chunks_.size() * chunk_size + tail_x.size();
    if (!tail_x.empty()) {
        next->chunks_.push_back(make_chunk(std::move(tail_x), std::move(tail_y)));
    }
    return next;
}

CurvePtr Curve::merged(std::span<const double> x, std::span<const double> y) const {
    std::vector<CurvePoint> points;
    points.reserve(size_ + x.size());
    for (std::size_t i = 0; i < size_; ++i) {
        points.push_back(at(i));
    }
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        if (std::isfinite(x[i])) {
            points.push_back({x[i], y[i]});
        }
    }
    std::stable_sort(points.begin(), points.end(),
                     [](const CurvePoint& a, const CurvePoint& b) { return a.x < b.x; });
    std::vector<double> sorted_x;
    std::vector<double> sorted_y;
    sorted_x.reserve(points.size());
    sorted_y.reserve(points.size());
    for (const CurvePoint& point : points) {
        sorted_x.push_back(point.x);
        sorted_y.push_back(point.y);
    }
    return make(sorted_x, sorted_y);
}

Curve::Stretch Curve::stretch(std::size_t index, std::size_t end) const {
    const Chunk& chunk = *chunks_[index / chunk_size];
    const std::size_t first = index % chunk_size;
    const std::size_t count = std::min(chunk.x.size() - first, end - index);
    return {std::span(chunk.x).subspan(first, count), std::span(chunk.y).subspan(first, count)};
}

std::size_t Curve::find(double value, bool after_equal) const {
    const auto before = [&](double x) { return after_equal ? x <= value : x < value; };
    const auto chunk = std::partition_point(chunks_.begin(), chunks_.end(),
                                            [&](const ChunkPtr& c) { return before(c->x.back()); });
    if (chunk == chunks_.end()) {
        return size_;
    }
    const std::vector<double>& xs = (*chunk)->x;
    const auto place = std::partition_point(xs.begin(), xs.end(), before);
    return static_cast<std::size_t>(chunk - chunks_.begin()) * chunk_size +
           static_cast<std::size_t>(place - xs.begin());
}

std::size_t Curve::lower_bound(double value) const { return find(value, false); }
std::size_t Curve::upper_bound(double value) const { return find(value, true); }

void Curve::summarize_chunk(const Chunk& chunk, std::size_t begin, std::size_t end, CurveSummary& into) {
    if (begin == 0 && end == chunk.y.size()) {
        into.add(chunk.all);
        return;
    }
    const auto add_points = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            into.add(chunk.y[i]);
        }
    };
    std::size_t first = (begin + bucket_size - 1) / bucket_size;
    std::size_t last = end / bucket_size;  // whole buckets are [first, last)
    if (first >= last) {
        add_points(begin, end);
        return;
    }
    add_points(begin, first * bucket_size);
    add_points(last * bucket_size, end);
    for (const std::vector<CurveSummary>& level : chunk.levels) {  // as in a segment tree
        if (first >= last) {
            break;
        }
        if (first % 2 == 1) {
            into.add(level[first++]);
        }
        if (last % 2 == 1) {
            into.add(level[--last]);
        }
        first /= 2;
        last /= 2;
    }
}

CurveSummary Curve::summarize(std::size_t begin, std::size_t end) const {
    CurveSummary summary;
    end = std::min(end, size_);
    while (begin < end) {
        const std::size_t chunk = begin / chunk_size;
        const std::size_t chunk_begin = chunk * chunk_size;
        const std::size_t chunk_end = std::min(chunk_begin + chunk_size, end);
        summarize_chunk(*chunks_[chunk], begin - chunk_begin, chunk_end - chunk_begin, summary);
        begin = chunk_end;
    }
    return summary;
}

std::size_t Curve::bytes() const {
    std::size_t sum = sizeof(Curve) + chunks_.size() * sizeof(ChunkPtr);
    for (const ChunkPtr& chunk : chunks_) {
        sum += sizeof(Chunk) + 2 * chunk->x.capacity() * sizeof(double);
        for (const auto& level : chunk->levels) {
            sum += level.capacity() * sizeof(CurveSummary);
        }
    }
    return sum;
}

}  // namespace braid
