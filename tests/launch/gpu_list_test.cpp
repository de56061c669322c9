// GPUs as nvidia-smi and CUDA_VISIBLE_DEVICES name them.
#include "core/launch/gpu_list.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

constexpr const char* two = "0, GPU-aa, 143000\r\n1, GPU-bb, 81000\n";
constexpr std::int64_t mib = std::int64_t{1} << 20;

TEST(GpuList, AllOfTheDriver) {
    const std::vector<Gpu> gpus = parse_gpus(two, std::nullopt);
    ASSERT_EQ(gpus.size(), 2U);
    EXPECT_EQ(gpus[1], (Gpu{.id = "1", .free_bytes = 81'000 * mib}));
}

TEST(GpuList, ThoseThatAreVisible) {
    EXPECT_EQ(parse_gpus(two, "1"), (std::vector<Gpu>{{.id = "1", .free_bytes = 81'000 * mib}}));
    EXPECT_EQ(parse_gpus(two, "GPU-aa, 1").at(0).free_bytes, 143'000 * mib);
    EXPECT_TRUE(parse_gpus(two, "").empty()) << "hidden on purpose";
    EXPECT_EQ(parse_gpus(two, "0,-1,1").size(), 1U) << "as CUDA reads it";
    EXPECT_EQ(parse_gpus("", "0"), (std::vector<Gpu>{{.id = "0"}})) << "without nvidia-smi memory is unknown";
}

TEST(GpuList, WhatIsNoListIsNone) {
    EXPECT_TRUE(parse_gpus("No devices were found\n", std::nullopt).empty());
    EXPECT_TRUE(parse_gpus("0, GPU-aa, [N/A]\n", std::nullopt).empty());
}

}  // namespace
}  // namespace braid
