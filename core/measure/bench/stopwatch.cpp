#include "core/measure/bench/stopwatch.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace braid {
namespace {

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

}  // namespace

double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// CPU time adds up over threads, those that wait among them.
BenchClock bench_clock(const Ops& ops) {
    return ops.device().is_cpu() && at::get_num_threads() == 1 ? BenchClock::cpu_time : BenchClock::wall_time;
}

tl::unexpected<Error> bench_interrupted() { return fail(ErrorKind::interrupted, "stopped before the end"); }

Stopwatch::Stopwatch(const Ops& ops)
    : on_cpu_(ops.device().is_cpu()), clock_(bench_clock(ops)), probe_(at::zeros({1}, ops.device())) {}

double Stopwatch::operator()(const std::function<void()>& work) const {
    wait();
    const double start = now();
    work();
    wait();
    return 1e3 * (now() - start);
}

double Stopwatch::wall(const std::function<void()>& work) const {
    wait();
    const double start = wall_seconds();
    work();
    wait();
    return 1e3 * (wall_seconds() - start);
}

double Stopwatch::now() const { return clock_ == BenchClock::cpu_time ? cpu_seconds() : wall_seconds(); }

// A value can be read only when all that was asked of the device before is done.
void Stopwatch::wait() const {
    if (!on_cpu_) (probe_ + 1).item();
}

void Rounds::add(std::int64_t round, double value) {
    if (round >= warm_up_rounds) values_.push_back(value);
}

double Rounds::median() {
    if (values_.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::sort(values_.begin(), values_.end());
    return values_[values_.size() / 2];
}

}  // namespace braid
