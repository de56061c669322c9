// B sequences, r rows (queries), S keys, K key dimension.
#include "core/mixers/torch/attention_factors.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>

#include <algorithm>

namespace braid {

std::int64_t first_seen(const AttentionFactors& factors, std::int64_t first) {
    return factors.window > 0 ? std::max<std::int64_t>(first - factors.window + 1, 0) : 0;
}

at::Tensor attention_block(const AttentionFactors& factors, std::int64_t first, std::int64_t count,
                           std::int64_t low, std::int64_t end) {
    const at::ScalarType type = factors.q_BTK.scalar_type();
    const at::Tensor k_BSK = factors.k_BTK.narrow(1, low, end - low);
    const at::Tensor offset_Br1 = factors.offset_BT.narrow(1, first, count).unsqueeze(2);
    at::Tensor weights = at::bmm(factors.q_BTK.narrow(1, first, count), k_BSK.transpose(1, 2));
    // What overflows behind a row is overwritten below, not multiplied.
    if (factors.implied)
        weights.mul_((offset_Br1 - factors.offset_BT.narrow(1, low, end - low).unsqueeze(1)).to(type).exp_());
    else
        weights.sub_(offset_Br1.to(type)).exp_();
    weights.tril_(first - low);
    if (factors.window > 0) weights.triu_(first - factors.window + 1 - low);
    const std::int64_t met = std::max(first, low), last = std::min(first + count, end);
    if (factors.diagonal.defined() && met < last)
        weights.narrow(1, met - first, last - met)
            .narrow(2, met - low, last - met)
            .diagonal(0, 1, 2)
            .add_(factors.diagonal);
    return weights;
}

}  // namespace braid
