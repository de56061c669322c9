// Causal convolution of each channel over a few tokens, a sequence at a time. I taps.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
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

// [I, T, 1] of 1 and 0: whether tap i of a token stays inside its document; undefined: all do.
at::Tensor inside(const Documents& documents, std::int64_t sequence, std::int64_t taps, at::ScalarType type) {
    if (!documents.defined()) return {};
    const at::Tensor starts_T = documents.starts_BT[sequence];
    const at::Tensor age_T = at::arange(starts_T.size(0), starts_T.options()) - starts_T;
    const at::Tensor back_I1 = at::arange(taps - 1, -1, -1, starts_T.options()).unsqueeze(1);
    return age_T.ge(back_I1).to(type).unsqueeze(2);
}

// Tokens [i, i + T) of the padded sequence, as tap i sees them.
at::Tensor seen(const at::Tensor& x, std::int64_t i, std::int64_t tokens, const at::Tensor& inside_IT1) {
    const at::Tensor part = x.narrow(0, i, tokens);
    return inside_IT1.defined() ? part * inside_IT1[i] : part;
}

}  // namespace

void Ops::short_convolution(const Documents& documents, const at::Tensor& x_BTC, const at::Tensor& taps_CI,
                            const at::Tensor& y_BTC, const at::Tensor& history_BIC) {
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
        const at::Tensor mask = inside(documents, b, taps, type);
        at::Tensor y = seen(x, 0, tokens, mask) * taps_IC[0];
        for (std::int64_t i = 1; i < taps; ++i) y.addcmul_(seen(x, i, tokens, mask), taps_IC[i]);
        y_BTC[b].copy_(y);
        if (history_BIC.defined()) history_BIC[b].copy_(x.narrow(0, tokens, taps - 1));
    }
}

void Ops::short_convolution_backward(const Documents& documents, const at::Tensor& dy_BTC,
                                     const at::Tensor& x_BTC, const at::Tensor& taps_CI,
                                     const at::Tensor& dx_BTC, const at::Tensor& dtaps_CI) {
    const at::ScalarType type = statistics_type();
    const std::int64_t batch = x_BTC.size(0), tokens = x_BTC.size(1), channels = x_BTC.size(2);
    const std::int64_t taps = taps_CI.size(1);
    const at::Tensor taps_IC = taps_CI.to(type).t().contiguous();
    const at::Tensor none = at::zeros({taps - 1, channels}, x_BTC.options().dtype(type));
    for (std::int64_t b = 0; b < batch; ++b) {
        const at::Tensor x = padded(none, x_BTC[b], type);
        const at::Tensor dy = dy_BTC[b].to(type);
        const at::Tensor mask = inside(documents, b, taps, type);
        at::Tensor dx = dy * taps_IC[taps - 1];
        for (std::int64_t i = 0; i < taps; ++i) {
            const std::int64_t back = taps - 1 - i;
            const at::Tensor dy_i = mask.defined() ? dy * mask[i] : dy;
            if (back > 0 && back < tokens)
                dx.narrow(0, 0, tokens - back).addcmul_(dy_i.narrow(0, back, tokens - back), taps_IC[i]);
            dtaps_CI.select(1, i).add_((dy_i * x.narrow(0, i, tokens)).sum(0));
        }
        dx_BTC[b].copy_(dx);
    }
}

}  // namespace braid
