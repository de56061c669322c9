// A pass on the CPU ends in the middle of an operation.
#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/max.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/engine/cpu_parallel.h"
#include "core/engine/ops.h"

namespace braid {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

TEST(CpuStop, EndsAttentionOver16KTokensAtOnce) {
    const std::shared_ptr<Ops> ops = make_cpu_ops();
    constexpr std::int64_t tokens = 16'384, heads = 8, width = 64;
    const at::Tensor q = at::randn({1, tokens, heads, width}), k = at::randn({1, tokens, 2, width});
    const at::Tensor o = at::empty_like(q), lse = at::empty({1, heads, tokens});
    std::atomic<bool> flag{false};
    Clock::time_point set;
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        set = Clock::now();
        flag = true;
    });
    {
        const CpuStop stop(&flag);
        EXPECT_THROW(ops->attention({.scale = 0.125}, q, k, k, {}, o, lse), CpuStopped);
    }
    other.join();
    const double took = since(set);
    std::printf("    free %.1f ms after the flag\n", took);
    EXPECT_LT(took, 300);
    // Without one that is watched nothing is thrown, and nothing is left half done.
    const at::Tensor few = q.narrow(1, 0, 64), keys = k.narrow(1, 0, 64);
    const at::Tensor sums = at::empty({1, heads, 64});
    EXPECT_NO_THROW(ops->attention({.scale = 0.125}, few, keys, keys, {}, at::empty_like(few), sums));
}

TEST(CpuStop, ProductsInPartsAreTheSameAndEndBetweenThem) {
    const std::shared_ptr<Ops> ops = make_cpu_ops();
    const at::Tensor x = at::randn({3'000, 96}), weight = at::randn({40, 96}),
                     residual = at::randn({3'000, 40});
    const at::Tensor whole = at::empty({3'000, 40}), parts = at::empty({3'000, 40});
    std::atomic<bool> flag{false};
    ops->linear_add(x, weight, residual, whole);
    {
        const CpuStop stop(&flag);
        ops->linear_add(x, weight, residual, parts);
        EXPECT_LT((whole - parts).abs().max().item<float>(), 1e-4);
        ops->linear(x, weight, parts);
        EXPECT_LT((whole - residual - parts).abs().max().item<float>(), 1e-4);
        {
            const CpuStop none(nullptr);
            flag = true;
            EXPECT_NO_THROW(ops->linear(x, weight, parts)) << "the innermost counts";
        }
        EXPECT_THROW(ops->linear(x, weight, parts), CpuStopped);
    }
    EXPECT_FALSE(CpuStop::watched());
}

}  // namespace
}  // namespace braid
