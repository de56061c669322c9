// A metric of a run as the window sees it: an immutable view of columns that only ever grow.
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace braid::ui {

// Storage that a reader thread appends to while views read what was there when they got their Curve.
// Appending never moves or changes published values: when it is full, a larger one replaces it.
struct CurveBuffer {
    explicit CurveBuffer(std::size_t size) : step(size), value(size) {}
    std::vector<double> step, value;  // size() is the capacity; filled up to the length of each Curve
};

// Points in order of step, one a step (rows that a resume superseded are gone). Cheap to copy; values may be
// NaN or infinite.
class Curve {
public:
    Curve() = default;
    Curve(std::shared_ptr<const CurveBuffer> buffer, std::size_t size, std::size_t generation)
        : buffer_(std::move(buffer)), size_(size), generation_(generation) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::span<const double> step() const { return column(&CurveBuffer::step); }
    std::span<const double> value() const { return column(&CurveBuffer::value); }
    double lastStep() const { return step().back(); }
    double lastValue() const { return value().back(); }
    // Same generation: the longer curve only appended to the shorter one. Another one: read it anew.
    std::size_t generation() const { return generation_; }

private:
    std::span<const double> column(std::vector<double> CurveBuffer::*which) const {
        return buffer_ ? std::span<const double>((*buffer_.*which).data(), size_) : std::span<const double>();
    }
    std::shared_ptr<const CurveBuffer> buffer_;
    std::size_t size_ = 0;
    std::size_t generation_ = 0;
};

// The writing side; used by one thread.
class CurveWriter {
public:
    // Steps below or at the last one cut the curve there first (a resume), which begins a new generation.
    void append(double step, double value);
    Curve curve() const { return {buffer_, size_, generation_}; }

private:
    std::shared_ptr<CurveBuffer> buffer_;
    std::size_t size_ = 0;
    std::size_t generation_ = 0;
};

}  // namespace braid::ui
