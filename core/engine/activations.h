// Buffers of a forward pass (and of its backward pass) for a fixed number of sequences and tokens.
// N = B*T rows, D model width, C columns of the input projection, O of the output projection, F FFN width.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/engine/activation_plan.h"
#include "core/engine/parameter_layout.h"
#include "core/spec/architecture.h"

namespace braid {

struct LayerActivations {
    at::Tensor x_ND;  // input of the layer, residual_type()
    at::Tensor rstd_N, y_ND;
    at::Tensor in_NC;                 // input projection
    at::Tensor out_NO;                // what the mixers give to the output projection
    std::vector<MixerMemory> mixers;  // by group
    Ops::FfnSaved ffn;                // ffn.x_ND is the residual after the mixer
    at::Tensor next_ND;               // output of the layer: x_ND of the next one

    // Backward only.
    Kept kept = Kept::everything;  // what else is here belongs to all layers that do not keep it
    at::Tensor din_NC, dout_NO;    // shared by all layers
    Ops::FfnScratch dffn;
};

struct Activations {
    std::int64_t batch = 0;
    std::int64_t tokens = 0;
    at::Tensor tokens_N = {}, targets_N = {};  // int64
    Documents documents = {};
    std::vector<LayerActivations> layers = {};
    ActivationPlan plan = {};           // of a backward pass
    at::Tensor last_ND = {};            // output of the last layer
    at::Tensor rstd_N = {}, y_ND = {};  // final norm
    at::Tensor dx_ND = {}, dy_ND = {};  // backward only
    at::Tensor rounded_dx_ND = {};      // dx_ND in compute_type(); undefined where that is residual_type()
};

// For a forward pass alone: all layers share one set of buffers.
Activations allocate_forward(Ops& ops, const ParameterLayout& layout, const LayerMixers& mixers,
                             std::int64_t batch, std::int64_t tokens);
// For a forward and a backward pass, in about `limit` bytes where that is possible (activation_plan.h).
// `layers` are those of the mixers: alike ones may share what their mixers remember.
Activations allocate_training(Ops& ops, const ParameterLayout& layout, const LayerMixers& mixers,
                              const std::vector<LayerSpec>& layers, std::int64_t batch, std::int64_t tokens,
                              std::int64_t limit);

}  // namespace braid
