// What full and sliding-window attention share: parameters, matrices, sink, KV cache (paper 3.1, B.1).
#pragma once

#include "core/mixers/softmax/rope_rule.h"
#include "core/spec/mixer_kind.h"

namespace braid {

// position ("rope" or "nope"), what belongs to RoPE, logn, bias, qk_norm, sink: in this order.
std::vector<ParameterDescription> softmax_parameters();

// The rotary frequencies of a group of heads with position=rope (core/mixers/softmax/rope_rule.h).
RopeRule rope_rule(const ParameterValues& parameters, const std::vector<ParameterDescription>& described,
                   std::int64_t head_dim);

class SoftmaxKind : public MixerKind {
public:
    explicit SoftmaxKind(MixerDescription description) : description_(std::move(description)) {}

    const MixerDescription& description() const override { return description_; }
    Diagnostics validate(const HeadGroup& group, const MixerContext& context,
                         const std::string& path) const override;
    // Matrices of h query and g kv heads: Q and O of D x K*h, K and V of D x K*g; biases of K*(h + 2g), norms
    // of 2K.
    MixerCost cost(const HeadGroup& group, const MixerContext& context) const override;
    // Position t sees min(t + 1, window) keys: itself and those before it.
    double mean_visible_keys(const HeadGroup& group, std::int64_t tokens) const override;
    double own_forward_flops(const HeadGroup& group, const MixerContext& context) const override;

protected:
    // Keys kept, the token's own included; 0: all.
    virtual std::int64_t window(const HeadGroup& group) const = 0;

private:
    MixerDescription description_;
};

}  // namespace braid
