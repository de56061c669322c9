// Times of pieces of work in rounds, on a device that works behind the host's back.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/error.h"
#include "core/mixers/torch/ops.h"

namespace braid {

enum class BenchClock { cpu_time, wall_time };
// What the times of a step, of mixers and of the loss are measured by on these ops as they are set up.
BenchClock bench_clock(const Ops& ops);

// Asked before each round; false ends the measurement with ErrorKind::interrupted.
using BenchGoOn = std::function<bool()>;
tl::unexpected<Error> bench_interrupted();

class Stopwatch {
public:
    explicit Stopwatch(const Ops& ops);
    // Milliseconds, of the clock that bench_clock() names and of the wall; the device is waited for before
    // and behind.
    double operator()(const std::function<void()>& work) const;
    double wall(const std::function<void()>& work) const;

private:
    double now() const;
    void wait() const;
    bool on_cpu_;
    BenchClock clock_;
    at::Tensor probe_;
};
double wall_seconds();

constexpr std::int64_t warm_up_rounds = 2;  // do not count
class Rounds {
public:
    void add(std::int64_t round, double value);
    double median();  // NaN of nothing

private:
    std::vector<double> values_;
};

}  // namespace braid
