// Shared by the kernel tests: random data, worst errors against a reference, threads.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "kernels/cpu/cpu.h"

namespace braid::kernels::test {

// Four units in the last place of values of the reference's root mean square, times a reason.
template <class T>
constexpr double tolerance = std::is_same_v<T, float> ? 2e-6 : 1e-14;

template <class T>
std::vector<T> random_values(std::int64_t size, unsigned seed, double scale = 1.0) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, scale);
    std::vector<T> values(static_cast<std::size_t>(size));
    for (T& value : values) value = T(normal(random));
    return values;
}

template <class T>
std::vector<double> widened(const std::vector<T>& values) {
    return {values.begin(), values.end()};
}

// Root mean square of the difference over that of the reference.
template <class T>
double relative_error(const std::vector<T>& got, const std::vector<double>& want) {
    EXPECT_EQ(got.size(), want.size());
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_TRUE(std::isfinite(double(got[i]))) << "element " << i;
        difference += (double(got[i]) - want[i]) * (double(got[i]) - want[i]);
        size += want[i] * want[i];
    }
    return std::sqrt(difference / std::max(size, 1e-300));
}

// Prints the error beside its limit and checks it.
template <class T>
void expect_close(const std::string& what, const std::vector<T>& got, const std::vector<double>& want,
                  double limit = tolerance<T>) {
    const double error = relative_error(got, want);
    EXPECT_LE(error, limit) << what;
    if (error > limit / 10) std::printf("    %-34s error %.1e of %.1e allowed\n", what.c_str(), error, limit);
}

// `workers` threads of this test's own.
inline Parallel threads(int workers) {
    return {.run =
                [](Parallel::Body body, void* data, int count) {
                    std::vector<std::thread> running;
                    for (int worker = 1; worker < count; ++worker)
                        running.emplace_back(body, data, worker, count);
                    body(data, 0, count);
                    for (std::thread& thread : running) thread.join();
                },
            .workers = workers};
}

// f(kernels of a level, its name) for every level of this machine.
template <class T, class F>
void for_levels(F&& f) {
    for (const cpu::Level& level : cpu::levels()) {
        SCOPED_TRACE(level.name);
        f(level.kernels<T>(), std::string(level.name) + (sizeof(T) == 4 ? " float32 " : " float64 "));
    }
}

}  // namespace braid::kernels::test
