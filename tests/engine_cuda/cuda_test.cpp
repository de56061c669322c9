#include "tests/engine_cuda/cuda_test.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <random>

#include "core/engine/device.h"

namespace braid::testing {
namespace {

std::int64_t elements(const std::vector<std::int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

std::shared_ptr<Ops> cuda_ops() {
    static const std::shared_ptr<Ops> ops = [] {
        Result<std::shared_ptr<Ops>> opened = open_device("cuda", 0);
        if (!opened) std::printf("[ no GPU   ] %s\n", describe(opened.error()).c_str());
        return opened.value_or(nullptr);
    }();
    return ops;
}

at::Tensor values(std::vector<std::int64_t> shape, std::uint64_t seed, double scale) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal(0.0, scale);
    at::Tensor tensor = at::empty(shape, at::kDouble);
    double* data = tensor.data_ptr<double>();
    for (std::int64_t i = 0; i < elements(shape); ++i) data[i] = normal(generator);
    return tensor.to(at::kBFloat16).to(at::kDouble);
}

at::Tensor indices(std::vector<std::int64_t> shape, std::int64_t below, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    at::Tensor tensor = at::empty(shape, at::kLong);
    auto* data = tensor.data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < elements(shape); ++i)
        data[i] = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(below));
    return tensor;
}

at::Tensor to_cuda(const at::Tensor& tensor, at::ScalarType type) {
    return tensor.to(cuda_ops()->device(), type, /*non_blocking=*/false, /*copy=*/true);
}

double relative_rms(const at::Tensor& value, const at::Tensor& reference) {
    const at::Tensor v = value.to(at::kCPU).to(at::kDouble);
    const at::Tensor r = reference.to(at::kCPU).to(at::kDouble);
    if (!at::isfinite(v).all().item<bool>() || !at::isfinite(r).all().item<bool>())
        return std::numeric_limits<double>::infinity();
    const double norm = r.norm().item<double>();
    const double error = v.sub(r).norm().item<double>();
    return norm > 0 ? error / norm : error;
}

void expect_close(const std::string& what, const at::Tensor& value, const at::Tensor& reference,
                  double limit) {
    const double error = relative_rms(value, reference);
    std::printf("    %-44s error %.2e   limit %.0e\n", what.c_str(), error, limit);
    EXPECT_LT(error, limit) << what;
}

}  // namespace braid::testing
