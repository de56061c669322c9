#include "core/engine/layer_weights.h"

namespace braid {

LayerWeights weights_of(const ParameterStore& store, const LayerParameters& p) {
    const auto value = [&](const Operand& operand) { return store.compute_view(operand); };
    // Norms multiply by their masters: see kernels/cuda/norm.h.
    const auto master = [&](const Operand& operand) { return store.value_view(operand); };
    const auto gradient = [&](const Operand& operand) { return store.gradient_view(operand); };
    LayerWeights w{.norm_D = master(p.mixer_norm),
                   .dnorm_D = gradient(p.mixer_norm),
                   .in_CD = value(p.input_projection),
                   .din_CD = gradient(p.input_projection),
                   .out_DO = value(p.output_projection),
                   .dout_DO = gradient(p.output_projection),
                   .mixers = {},
                   .ffn = {master(p.ffn_norm), value(p.gate_up), value(p.down)},
                   .dffn = {gradient(p.ffn_norm), gradient(p.gate_up), gradient(p.down)}};
    const auto all = [&](const std::vector<Operand>& operands) {
        std::vector<MixerParameter> views;
        for (const Operand& each : operands)
            views.push_back({.value = value(each), .master = master(each), .gradient = gradient(each)});
        return views;
    };
    for (const LayerParameters::Group& group : p.groups)
        w.mixers.push_back({.vectors = all(group.vectors), .matrices = all(group.matrices)});
    return w;
}

}  // namespace braid
