#include "core/mixers/softmax/torch/head_norm.h"

#include <ATen/TensorOperators.h>

namespace braid {
namespace {

at::ScalarType exact_type(const at::Tensor& x) {
    return x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

at::Tensor rstd_of(const at::Tensor& x, double eps) { return x.square().mean(-1, true).add_(eps).rsqrt_(); }

}  // namespace

void head_norm(const at::Tensor& x_BTHK, const at::Tensor& weight_K, double eps) {
    const at::Tensor x = x_BTHK.to(exact_type(x_BTHK));
    x_BTHK.copy_((x * rstd_of(x, eps)).mul_(weight_K.to(x.scalar_type())));
}

void head_norm_backward(const at::Tensor& x_BTHK, const at::Tensor& weight_K, double eps,
                        const at::Tensor& d_BTHK, const at::Tensor& dweight_K) {
    const at::ScalarType type = exact_type(x_BTHK);
    const at::Tensor x = x_BTHK.to(type), dy = d_BTHK.to(type);
    const at::Tensor rstd = rstd_of(x, eps), unit = x * rstd;
    dweight_K.add_((dy * unit).flatten(0, 2).sum(0));
    const at::Tensor dunit = dy * weight_K.to(type);
    d_BTHK.copy_((dunit - unit * (dunit * unit).mean(-1, true)).mul_(rstd));
}

}  // namespace braid
