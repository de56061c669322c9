#include "core/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace braid {
namespace {

// Known answers of Random123's kat_vectors, philox 4x64, 10 rounds.
TEST(Random, PhiloxGivesTheKnownAnswers) {
    constexpr std::uint64_t ones = ~std::uint64_t{0};
    EXPECT_EQ(philox4x64({0, 0, 0, 0}, {0, 0}), (PhiloxBlock{0x16554d9eca36314cULL, 0xdb20fe9d672d0fdcULL,
                                                             0xd7e772cee186176bULL, 0x7e68b68aec7ba23bULL}));
    EXPECT_EQ(philox4x64({ones, ones, ones, ones}, {ones, ones}),
              (PhiloxBlock{0x87b092c3013fe90bULL, 0x438c3c67be8d0224ULL, 0x9cc7d7c69cd777b6ULL,
                           0xa09caebf594f0ba0ULL}));
}

// numpy.random.Philox(key=[7, 11], counter=[0, 5, 3, 0]).random_raw(6)
TEST(Random, IsNumpysPhilox) {
    Random random(7, std::uint64_t{11}, 5, 3);
    for (const std::uint64_t word : {0x3136dea9de198576ULL, 0x6dd77c063b4b6a32ULL, 0x9378da764ecd3f5cULL,
                                     0x6d57d11dd88ed729ULL, 0xa1b8bb264e6919a1ULL, 0x34c7eebab7a5b957ULL})
        EXPECT_EQ(random.next(), word);
}

TEST(Random, APartOfAStreamIsDrawnAlone) {
    Random whole(7, "stream", 2), part(7, "stream", 2);
    for (int i = 0; i < 12; ++i) (void)whole.normal();
    part.skip(12);
    for (int i = 0; i < 7; ++i) EXPECT_EQ(part.normal(), whole.normal());
}

TEST(Random, IsAFunctionOfSeedStreamStepAndItem) {
    const auto first = [](Random random) { return random.next(); };
    EXPECT_EQ(first(Random(1, "data", 2, 3)), first(Random(1, "data", 2, 3)));
    const std::vector<std::uint64_t> different = {
        first(Random(1, "data", 2, 3)), first(Random(2, "data", 2, 3)), first(Random(1, "init", 2, 3)),
        first(Random(1, "data", 3, 3)), first(Random(1, "data", 2, 4))};
    for (std::size_t i = 0; i < different.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(different[i], different[j]);
}

TEST(Random, DrawsHaveTheirMoments) {
    Random random(7, "moments");
    constexpr int n = 200'000;
    double mean = 0;
    double square = 0;
    double uniform = 0;
    std::vector<int> dice(6, 0);
    for (int i = 0; i < n; ++i) {
        const double x = random.normal();
        mean += x / n;
        square += x * x / n;
        const double u = random.uniform();
        ASSERT_GE(u, 0);
        ASSERT_LT(u, 1);
        uniform += u / n;
        ++dice[random.below(6)];
    }
    // Five standard errors.
    EXPECT_NEAR(mean, 0, 5 / std::sqrt(n));
    EXPECT_NEAR(square, 1, 5 * std::sqrt(2.0 / n));
    EXPECT_NEAR(uniform, 0.5, 5 * std::sqrt(1.0 / 12 / n));
    for (const int count : dice) EXPECT_NEAR(count, n / 6.0, 5 * std::sqrt(n * 5.0 / 36));
}

TEST(Random, BelowOneIsZero) {
    Random random(1, "one");
    EXPECT_EQ(random.below(1), 0U);
    EXPECT_LT(random.below(std::uint64_t{1} << 63), std::uint64_t{1} << 63);
}

}  // namespace
}  // namespace braid
