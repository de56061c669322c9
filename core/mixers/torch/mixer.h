// The Torch side of a mixer: a group of heads inside one layer, between the layer's fused input projection
// and its output projection. The block does both projections for all its groups at once; a mixer sees its own
// columns.
//
// A new mixer is one folder under core/mixers and one line in mixers.def.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "core/mixers/torch/ops.h"
#include "core/spec/mixer_kind.h"

namespace braid {

enum class Init { fan_in, normal, ones, zeros };

// Rows of the layer's input projection: a matrix [rows, D] of its own to Muon and in checkpoints.
struct ProjectionRequest {
    std::string name;  // "q_proj"
    std::int64_t rows = 0;
};

// A small parameter of the mixer, updated by AdamW without weight decay (sinks, A_log, dt_bias).
struct VectorRequest {
    std::string name;  // "sinks"
    std::int64_t size = 0;
    Init init = Init::zeros;
};

struct VectorParameter {
    at::Tensor value;     // compute_type()
    at::Tensor gradient;  // master_type()
};

// What a forward pass leaves for its backward pass; allocated once for a fixed B and T.
struct MixerMemory {
    std::vector<at::Tensor> tensors;
};

class Mixer {
public:
    virtual ~Mixer() = default;
    virtual std::vector<ProjectionRequest> projections() const = 0;
    virtual std::vector<VectorRequest> vectors() const = 0;
    virtual std::int64_t output_width() const = 0;  // columns that enter the output projection

    virtual MixerMemory allocate(Ops& ops, std::int64_t batch, std::int64_t tokens) const = 0;

    // in_BTC: this mixer's columns of the input projection, in the order of projections(); may be changed in
    // place (RoPE), which backward() relies on. out_BTC: its output_width() columns. `vectors` in the order
    // of vectors().
    virtual void forward(Ops& ops, const std::vector<VectorParameter>& vectors, const at::Tensor& in_BTC,
                         const at::Tensor& out_BTC, MixerMemory& memory) const = 0;
    // din_BTC is overwritten; gradients of the vectors accumulate. in_BTC and out_BTC as forward() left them.
    virtual void backward(Ops& ops, const std::vector<VectorParameter>& vectors, const at::Tensor& in_BTC,
                          const at::Tensor& out_BTC, const at::Tensor& dout_BTC, const at::Tensor& din_BTC,
                          MixerMemory& memory) const = 0;
};

// The module of a group of heads; null where the mixer has none (it can be composed but not trained yet).
std::unique_ptr<Mixer> make_mixer(const HeadGroup& group, const MixerContext& context);

}  // namespace braid
