// Softmax attention over all earlier keys or a window of them (paper Eq. 1 and 2): grouped key/value heads,
// RoPE or none, log-n scaling of queries, a learnable sink a head; biases and norms of queries and keys where
// other people's models have them.
#pragma once

#include "core/mixers/softmax/rope_rule.h"
#include "core/mixers/torch/mixer.h"

namespace braid {

struct SoftmaxShape {
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t head_dim = 0;
    std::int64_t window = 0;  // 0: every earlier key
    bool has_rope = true;
    RopeRule rope = {};
    std::int64_t log_n = 0;  // queries times max(1, ln(t + 1) / ln(log_n)); 0: as they are
    bool bias = false;       // of q, k and v
    bool qk_norm = false;    // before RoPE
    double norm_eps = 1e-6;
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
    void forward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                 const at::Tensor& out_BTC, MixerMemory& memory) const override;
    void backward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                  const at::Tensor& out_BTC, const at::Tensor& dout_BTC, const at::Tensor& din_BTC,
                  MixerMemory& memory) const override;
    // Keys and values [B, G, S, K] of compute_type(): S = capacity, or a ring of the window's length where
    // that is shorter (token t at t mod S). Dynamic RoPE is that of a text of `capacity` tokens, so that all
    // keys of a text turn alike.
    MixerState make_state(Ops& ops, std::int64_t batch, std::int64_t capacity) const override;
    void extend(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                const at::Tensor& out_BTC, MixerState& state, std::int64_t first) const override;
    void step(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_B1C,
              const at::Tensor& out_B1C, MixerState& state, const StepPlace& place) const override;
    std::int64_t attention_heads() const override { return shape_.heads; }
    AttentionRows attention_rows(const MixerPass& pass, std::int64_t head, std::int64_t first,
                                 std::int64_t count) const override;
    std::optional<AttentionFactors> attention_factors(const MixerPass& pass,
                                                      std::int64_t head) const override;

private:
    AttentionRule rule(const Documents& documents = {}) const;
    at::Tensor sink(const MixerParameters& parameters) const;
    HeadRule head_rule(const MixerParameters& parameters) const;  // but for RoPE
    // In place: biases, then norms of q and k. raw_BTRK, where defined, gets q and k as the norms read them.
    void prepare(const MixerParameters& parameters, const at::Tensor& in_BTC,
                 const at::Tensor& raw_BTRK) const;
    void prepare_backward(const MixerParameters& parameters, const at::Tensor& raw_BTRK,
                          const at::Tensor& din_BTC) const;
    void rotate(Ops& ops, const at::Tensor& qk_BTRK, const RopeTable& table) const;
    // q times its log-n factors from token `first` on, in place; the gradient of q alike.
    void scale_queries(const at::Tensor& q_BTHK, std::int64_t first, const Documents& documents = {}) const;

    SoftmaxShape shape_;
};

}  // namespace braid
