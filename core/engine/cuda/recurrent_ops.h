// The operations of the recurrent mixers on CUDA: kernels/cuda where they know the shape, the forms made of
// ATen operations (core/mixers/torch) elsewhere.
#pragma once

#include "core/engine/cuda/scratch.h"
#include "core/mixers/torch/ops.h"

namespace braid {

class RecurrentCudaOps : public Ops {
public:
    // capability: 90 is sm_90
    RecurrentCudaOps(at::Device device, int capability)
        : device_(device), capability_(capability), scratch_(device) {}

    at::Device device() const override { return device_; }

    std::vector<std::string> recurrence_kernels() const override;
    void set_recurrence_kernel(const std::string& name) override { recurrence_kernel_ = name; }

    void linear_attention(const LinearRule& rule, const LinearInput& input, const at::Tensor& o_BTRV,
                          const at::Tensor& boundaries, const at::Tensor& last_BSKV) override;
    at::Tensor linear_boundaries(const LinearRule& rule, const LinearShape& shape, std::int64_t batch,
                                 std::int64_t tokens) override;
    void linear_attention_backward(const LinearRule& rule, const LinearInput& input,
                                   const at::Tensor& boundaries, const at::Tensor& do_BTRV,
                                   const LinearGradient& gradient) override;

    void recurrent_gates(const GateInput& input, const GateOutput& output) override;

    void gated_norm(const GatedNormRule& rule, const at::Tensor& x_NHW, const at::Tensor& gate_NHW,
                    const at::Tensor& weight_W, const at::Tensor& y_NHW) override;
    void gated_norm_backward(const GatedNormRule& rule, const at::Tensor& dy_NHW, const at::Tensor& x_NHW,
                             const at::Tensor& gate_NHW, const at::Tensor& weight_W, const at::Tensor& dx_NHW,
                             const at::Tensor& dgate_NHW, const at::Tensor& dweight_W) override;

    void short_convolution(const Documents& documents, const at::Tensor& x_BTC, const at::Tensor& taps_CI,
                           const at::Tensor& y_BTC, const at::Tensor& history_BIC) override;
    void short_convolution_backward(const Documents& documents, const at::Tensor& dy_BTC,
                                    const at::Tensor& x_BTC, const at::Tensor& taps_CI,
                                    const at::Tensor& dx_BTC, const at::Tensor& dtaps_CI) override;

protected:
    int capability() const { return capability_; }
    const std::string& recurrence_kernel() const { return recurrence_kernel_; }
    at::Tensor scratch(const std::string& what, std::int64_t elements, at::ScalarType type) {
        return scratch_(what, elements, type);
    }
    cuda::Scratch& scratch() { return scratch_; }

private:
    at::Device device_;
    int capability_;
    std::string recurrence_kernel_ = "auto";
    cuda::Scratch scratch_;
};

}  // namespace braid
