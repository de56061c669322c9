// A model applied to a few tokens of every sequence, through the states of its mixers and without gradients:
// what prefill and decoding (core/engine/inference.h) are made of.
//
// B sequences, t tokens of each, N = B*t rows; D, C, O, F, V as in core/engine/activations.h and ops.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "core/engine/layer_weights.h"
#include "core/engine/model.h"
#include "core/mixers/torch/mixer.h"

namespace braid {

class ModelPass {
public:
    explicit ModelPass(Model& model);

    Model& model() const { return model_; }
    Ops& ops() const { return model_.ops(); }

    // What a pass writes over.
    struct Buffers {
        at::Tensor x_ND, middle_ND, rstd_N;
        at::Tensor y_ND;                      // after run(): behind the final norm
        at::Tensor in, out, gate_up, hidden;  // flat; as large as the widest layer
        std::int64_t rows() const { return rstd_N.defined() ? rstd_N.size(0) : 0; }
    };
    Buffers buffers(std::int64_t rows) const;

    using States = std::vector<std::vector<MixerState>>;  // [layer][group]
    // How a mixer takes its columns of the layer's input on, with its state.
    using Mix = std::function<void(const Mixer& mixer, const MixerParameters& parameters,
                                   const at::Tensor& in_BtC, const at::Tensor& out_BtC, MixerState& state)>;
    // tokens_Bt through the blocks and the final norm; the buffers are for as many rows.
    void run(Buffers& b, States& states, const at::Tensor& tokens_Bt, const Mix& mix) const;

    at::Tensor logits(const at::Tensor& y_ND) const;  // [N, V], statistics type

private:
    Model& model_;
    double eps_;  // of norms
    std::vector<LayerWeights> layers_;
    at::Tensor embedding_VD_, head_VD_, norm_D_;
};

}  // namespace braid
