// Softmax attention over all earlier keys or a window of them (paper Eq. 1 and 2): grouped key/value heads,
// RoPE or none, a learnable sink a head.
#pragma once

#include "core/mixers/torch/mixer.h"

namespace braid {

struct SoftmaxShape {
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t head_dim = 0;
    std::int64_t window = 0;  // 0: every earlier key
    bool rope = true;
    double rope_base = 1e5;
    bool sink = true;
};

// Dimensions and the parameters that Full and SWA share.
SoftmaxShape softmax_shape(const HeadGroup& group, const MixerContext& context, std::int64_t window);

class SoftmaxMixer final : public Mixer {
public:
    explicit SoftmaxMixer(SoftmaxShape shape) : shape_(shape) {}

    std::vector<ProjectionRequest> projections() const override;
    std::vector<VectorRequest> vectors() const override;
    std::int64_t output_width() const override;
    MixerMemory allocate(Ops& ops, std::int64_t batch, std::int64_t tokens) const override;
    void forward(Ops& ops, const std::vector<VectorParameter>& vectors, const at::Tensor& in_BTC,
                 const at::Tensor& out_BTC, MixerMemory& memory) const override;
    void backward(Ops& ops, const std::vector<VectorParameter>& vectors, const at::Tensor& in_BTC,
                  const at::Tensor& out_BTC, const at::Tensor& dout_BTC, const at::Tensor& din_BTC,
                  MixerMemory& memory) const override;

private:
    AttentionRule rule() const;
    SoftmaxShape shape_;
};

}  // namespace braid
