// The parameters of a layer and their gradients as its operations take them: views of the store.
#pragma once

#include <vector>

#include "core/engine/parameter_store.h"
#include "core/mixers/torch/ops.h"

namespace braid {

struct LayerWeights {
    at::Tensor norm_D, dnorm_D;
    at::Tensor in_CD, din_CD;
    at::Tensor out_DO, dout_DO;
    std::vector<MixerParameters> mixers;  // by group
    Ops::FfnWeights ffn, dffn;
};

LayerWeights weights_of(const ParameterStore& store, const LayerParameters& layer);

// f(group, first column in, columns in, first column out, columns out) for each group of heads of a layer.
template <class F>
void for_groups(const std::vector<std::unique_ptr<Mixer>>& mixers, F&& f) {
    std::int64_t in = 0, out = 0;
    for (std::size_t g = 0; g < mixers.size(); ++g) {
        std::int64_t in_width = 0;
        for (const ProjectionRequest& request : mixers[g]->projections()) in_width += request.rows;
        f(g, in, in_width, out, mixers[g]->output_width());
        in += in_width;
        out += mixers[g]->output_width();
    }
}

}  // namespace braid
