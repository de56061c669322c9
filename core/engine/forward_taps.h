// Callbacks of a forward-only pass of a model, for measurements that look into it or change it on the way. A
// pass without them costs nothing more. B sequences, T tokens, D model width, C and O columns of a layer's
// input and output projection.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "core/mixers/torch/mixer.h"

namespace braid {

// A group of heads in a pass; layers and groups count from 0.
struct GroupTap {
    std::int64_t layer = 0;
    std::int64_t group = 0;
    Ops& ops;
    const Mixer& mixer;
    const MixerParameters& parameters;
    const at::Tensor& in_BTC;
    const at::Tensor& out_BTC;
    MixerMemory& memory;

    MixerPass pass() const {
        return {.ops = ops, .parameters = parameters, .in_BTC = in_BTC, .out_BTC = out_BTC, .memory = memory};
    }
};

enum class Component { mixer, ffn };

struct ForwardTaps {
    // In place of the mixer's forward(), which is called where this is empty or says false.
    std::function<bool(const GroupTap&)> mix = {};
    // After it: in_BTC as forward() left it, out_BTC may be changed.
    std::function<void(const GroupTap&)> mixed = {};
    // Behind each half of a layer: `after_BTD` = before_BTD + the output of the component; residual_type().
    // It may be changed in place; behind the FFN it is the output of the layer.
    std::function<void(std::int64_t layer, Component component, const at::Tensor& before_BTD,
                       const at::Tensor& after_BTD)>
        added = {};
};

}  // namespace braid
