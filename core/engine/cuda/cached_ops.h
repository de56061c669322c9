// Prefill behind a prefix and decoding on CUDA: kernels where they know the shape, the forms made of ATen
// operations (core/mixers/torch) elsewhere.
#pragma once

#include <string>

#include "core/engine/cuda/recurrent_ops.h"

namespace braid {

class CachedCudaOps : public RecurrentCudaOps {
public:
    using RecurrentCudaOps::RecurrentCudaOps;

    void set_attention_kernel(const std::string& name) override { attention_kernel_ = name; }
    void attention_over(const AttentionRule& rule, const at::Tensor& q_BQHK, const at::Tensor& k_BGTK,
                        const at::Tensor& v_BGTK, const at::Tensor& sink_H, std::int64_t first_key,
                        std::int64_t first_query, const at::Tensor& o_BQHK) override;
    void cache_token(const HeadRule& rule, const at::Tensor& q_BHK, const at::Tensor& k_BGK,
                     const at::Tensor& v_BGK, const at::Tensor& positions_B, const at::Tensor& k_BGSK,
                     const at::Tensor& v_BGSK) override;
    void attention_step(double scale, const at::Tensor& q_BHK, const at::Tensor& k_BGSK,
                        const at::Tensor& v_BGSK, const at::Tensor& sink_H, const at::Tensor& positions_B,
                        const at::Tensor& o_BHK) override;
    void linear_attention_step(const LinearRule& rule, const LinearInput& input, const at::Tensor& state_BSKV,
                               const at::Tensor& o_B1RV) override;

protected:
    const std::string& attention_kernel() const { return attention_kernel_; }

private:
    // Whoever asks for the reference gets it behind a prefix and in decoding too; of the others there is one
    // kernel each.
    bool plain() const { return attention_kernel_ == "reference"; }

    std::string attention_kernel_ = "auto";
};

}  // namespace braid
