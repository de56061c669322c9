#include "core/engine/self_check.h"

#include <ATen/ops/full.h>
#include <ATen/ops/vdot.h>

#include <cmath>
#include <exception>

namespace braid {

std::string blas_problem() {
    try {
        const at::Tensor z = at::full({64}, c10::complex<double>(3, 4), at::kComplexDouble);
        const double square = at::vdot(z, z).item().toComplexDouble().real();
        if (std::abs(square - 64 * 25) < 1e-9) return {};
        return "vdot(z, z) of 64 times 3+4i is " + std::to_string(square) + " instead of 1600";
    } catch (const std::exception& error) {
        return error.what();
    }
}

}  // namespace braid
