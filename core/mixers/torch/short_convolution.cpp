// Causal convolution of each channel over a few tokens, a sequence at a time. I taps.
#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include "core/mixers/torch/ops.h"

namespace braid {
namespace {

// The I - 1 tokens before the first, then the tokens.
at::Tensor padded(const at::Tensor& before_IC, const at::Tensor& x_TC, at::ScalarType type) {
    return at::cat({before_IC.to(type), x_TC.to(type)}, 0);
}

}  // namespace

void Ops::short_convolution(const at::Tensor& x_BTC, const at::Tensor& taps_CI, const at::Tensor& y_BTC,
                            const at::Tensor& history_BIC) {
    const at::ScalarType type = statistics_type();
    const std::int64_t batch = x_BTC.size(0), tokens = x_BTC.size(1), channels = x_BTC.size(2);
    const std::int64_t taps = taps_CI.size(1);
    const at::Tensor taps_IC = taps_CI.to(type).t().contiguous();
    const at::Tensor none = at::zeros({taps - 1, channels}, x_BTC.options().dtype(type));
    if (tokens == 1 && history_BIC.defined()) {
        // One token of every sequence: a product of each channel's last tokens with its taps.
        const at::Tensor last_BIC = at::cat({history_BIC, x_BTC.to(type)}, 1);
        const at::Tensor y_C1B = at::bmm(taps_IC.t().unsqueeze(1), last_BIC.permute({2, 1, 0}));
        y_BTC.copy_(y_C1B.permute({2, 1, 0}));
        history_BIC.copy_(last_BIC.narrow(1, 1, taps - 1));
        return;
    }
    for (std::int64_t b = 0; b < batch; ++b) {
        const at::Tensor x = padded(history_BIC.defined() ? history_BIC[b] : none, x_BTC[b], type);
        at::Tensor y = x.narrow(0, 0, tokens) * taps_IC[0];
        for (std::int64_t i = 1; i < taps; ++i) y.addcmul_(x.narrow(0, i, tokens), taps_IC[i]);
        y_BTC[b].copy_(y);
        if (history_BIC.defined()) history_BIC[b].copy_(x.narrow(0, tokens, taps - 1));
    }
}

void Ops::short_convolution_backward(const at::Tensor& dy_BTC, const at::Tensor& x_BTC,
                                     const at::Tensor& taps_CI, const at::Tensor& dx_BTC,
                                     const at::Tensor& dtaps_CI) {
    const at::ScalarType type = statistics_type();
    const std::int64_t batch = x_BTC.size(0), tokens = x_BTC.size(1), channels = x_BTC.size(2);
    const std::int64_t taps = taps_CI.size(1);
    const at::Tensor taps_IC = taps_CI.to(type).t().contiguous();
    const at::Tensor none = at::zeros({taps - 1, channels}, x_BTC.options().dtype(type));
    for (std::int64_t b = 0; b < batch; ++b) {
        const at::Tensor x = padded(none, x_BTC[b], type);
        const at::Tensor dy = at::cat({dy_BTC[b].to(type), none}, 0);
        at::Tensor dx = dy.narrow(0, 0, tokens) * taps_IC[taps - 1];
        for (std::int64_t i = 0; i < taps; ++i) {
            if (i + 1 < taps) dx.addcmul_(dy.narrow(0, taps - 1 - i, tokens), taps_IC[i]);
            dtaps_CI.select(1, i).add_((dy.narrow(0, 0, tokens) * x.narrow(0, i, tokens)).sum(0));
        }
        dx_BTC[b].copy_(dx);
    }
}

}  // namespace braid
