#include "tests/kernels/compare.h"

namespace braid::kernels::test {
namespace {

const std::int64_t sizes[] = {1, 15, 64, 1000, 40001};

template <class T>
void check_adamw() {
    for (std::int64_t size : sizes) {
        const auto gradient = random_values<T>(size, 1), value = random_values<T>(size, 2),
                   mean = random_values<T>(size, 3, 0.1);
        auto square = random_values<T>(size, 4, 0.1);
        for (T& x : square) x *= x;
        const auto args = [size](const auto* g, auto* p, auto* m, auto* v) {
            using P = std::remove_pointer_t<decltype(p)>;
            return AdamwArgs<P>{.size = size,
                                .gradient = g,
                                .value = p,
                                .exp_avg = m,
                                .exp_avg_sq = v,
                                .clip = 0.5,
                                .learning_rate = 3e-3,
                                .weight_decay = 0.1,
                                .bias_correction1 = 0.19,
                                .bias_correction2 = 0.0975};
        };
        const auto gradient64 = widened(gradient);
        auto p_want = widened(value), m_want = widened(mean), v_want = widened(square);
        ref::adamw(args(gradient64.data(), p_want.data(), m_want.data(), v_want.data()));
        for_levels<T>([&](const cpu::Kernels<T>& kernels, const std::string& level) {
            auto p = value, m = mean, v = square;
            kernels.adamw(args(gradient.data(), p.data(), m.data(), v.data()), threads(2));
            expect_close(level + "adamw", p, p_want);
            expect_close(level + "adamw mean", m, m_want);
            expect_close(level + "adamw square", v, v_want);
        });
    }
}
TEST(Adamw, EqualsTheReference) { check_adamw<float>(), check_adamw<double>(); }

template <class T>
void check_muon() {
    for (std::int64_t size : sizes) {
        const auto gradient = random_values<T>(size, 1), momentum = random_values<T>(size, 2),
                   value = random_values<T>(size, 3);
        const auto gradient64 = widened(gradient);
        auto m_want = widened(momentum), p_want = widened(value);
        std::vector<double> u_want(gradient.size());
        ref::muon_momentum<double>({.size = size,
                                    .gradient = gradient64.data(),
                                    .momentum_buffer = m_want.data(),
                                    .update = u_want.data(),
                                    .clip = 0.25});
        ref::muon_apply<double>(
            {.size = size, .value = p_want.data(), .update = u_want.data(), .keep = 0.99, .step = 0.3});
        for_levels<T>([&](const cpu::Kernels<T>& kernels, const std::string& level) {
            auto m = momentum, p = value;
            std::vector<T> u(gradient.size());
            kernels.muon_momentum({.size = size,
                                   .gradient = gradient.data(),
                                   .momentum_buffer = m.data(),
                                   .update = u.data(),
                                   .clip = 0.25},
                                  threads(2));
            kernels.muon_apply(
                {.size = size, .value = p.data(), .update = u.data(), .keep = 0.99, .step = 0.3}, threads(2));
            expect_close(level + "muon momentum", m, m_want);
            expect_close(level + "muon update", u, u_want);
            expect_close(level + "muon apply", p, p_want);
        });
    }
}
TEST(Muon, MomentumAndApplicationEqualTheReference) { check_muon<float>(), check_muon<double>(); }

TEST(Muon, NewtonSchulzBringsSingularValuesNearOne) {
    // A diagonal matrix keeps its singular vectors, so its diagonal shows the singular values.
    std::vector<double> x = {3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.2, 0};
    ref::newton_schulz(x.data(), 3, 4, 5);
    for (std::size_t i : {0, 5, 10}) {
        EXPECT_GT(x[i], 0.6);
        EXPECT_LT(x[i], 1.3);
        x[i] = 0;
    }
    for (double rest : x) EXPECT_EQ(rest, 0);
}

TEST(SumOfSquares, IsExactAndTheSameForAnyNumberOfThreads) {
    for (std::int64_t size : {1, 7, 16384, 16385, 100003}) {
        const auto x = random_values<float>(size, 1);
        double want = 0;
        for (float value : x) want += double(value) * double(value);
        for_levels<float>([&](const cpu::Kernels<float>& kernels, const std::string&) {
            std::vector<double> one(7), four(7);
            kernels.sum_of_squares({.size = size, .x = x.data(), .parts = one.data()}, threads(1));
            kernels.sum_of_squares({.size = size, .x = x.data(), .parts = four.data()}, threads(4));
            EXPECT_EQ(one, four);
            double sum = 0;
            for (double part : one) sum += part;
            EXPECT_NEAR(sum, want, 1e-6 * want);
        });
    }
}

}  // namespace
}  // namespace braid::kernels::test
