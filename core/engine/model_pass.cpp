#include "core/engine/model_pass.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include <algorithm>

#include "core/engine/aligned_rows.h"

namespace braid {

ModelPass::ModelPass(Model& model) : model_(model), eps_(norm_eps(model.spec())) {
    const ParameterStore& store = model.parameters();
    for (const LayerParameters& layer : store.layout().layers) layers_.push_back(weights_of(store, layer));
    embedding_VD_ = store.compute_view(store.layout().embedding);
    head_VD_ = store.compute_view(store.layout().head);
    norm_D_ = store.value_view(store.layout().final_norm);
}

ModelPass::Buffers ModelPass::buffers(std::int64_t rows) const {
    const auto device = at::TensorOptions().device(ops().device());
    const auto compute = device.dtype(ops().compute_type());
    const std::int64_t width = model_.spec().d_model;
    std::int64_t in = 0, out = 0, ffn = 0;
    for (const LayerWeights& layer : layers_) {
        in = std::max(in, aligned_stride(layer.in_CD.size(0), ops().compute_type()));
        out = std::max(out, aligned_stride(layer.out_DO.size(1), ops().compute_type()));
        ffn = std::max(ffn, layer.ffn.down_DF.size(1));
    }
    return {.x_ND = at::empty({rows, width}, device.dtype(ops().residual_type())),
            .middle_ND = at::empty({rows, width}, device.dtype(ops().residual_type())),
            .rstd_N = at::empty({rows}, device.dtype(ops().statistics_type())),
            .y_ND = at::empty({rows, width}, compute),
            .in = at::empty({rows * in}, compute),
            .out = at::empty({rows * out}, compute),
            .gate_up = at::empty({rows * 2 * ffn}, compute),
            .hidden = at::empty({rows * ffn}, compute)};
}

void ModelPass::run(Buffers& b, States& states, const at::Tensor& tokens_Bt, const Mix& mix) const {
    const std::int64_t batch = tokens_Bt.size(0), count = tokens_Bt.size(1), rows = batch * count;
    ops().embedding(embedding_VD_, tokens_Bt.reshape({-1}).to(ops().device(), at::kLong).contiguous(),
                    b.x_ND);
    const auto matrix = [rows](const at::Tensor& flat, std::int64_t cols) {
        return flat.narrow(0, 0, rows * cols).view({rows, cols});
    };
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        const LayerWeights& w = layers_[l];
        const at::Tensor in_NC = aligned_rows(b.in, rows, w.in_CD.size(0));
        const at::Tensor out_NO = aligned_rows(b.out, rows, w.out_DO.size(1));
        const std::int64_t ffn = w.ffn.down_DF.size(1);
        ops().rms_norm(b.x_ND, w.norm_D, eps_, b.y_ND, b.rstd_N);
        ops().linear(b.y_ND, w.in_CD, in_NC);
        for_groups(model_.mixers()[l], [&](std::size_t g, auto in, auto in_width, auto out, auto out_width) {
            const auto columns = [&](const at::Tensor& x_NC, std::int64_t first, std::int64_t width) {
                return x_NC.view({batch, count, x_NC.size(1)}).narrow(2, first, width);
            };
            mix(*model_.mixers()[l][g], w.mixers[g], columns(in_NC, in, in_width),
                columns(out_NO, out, out_width), states[l][g]);
        });
        ops().linear_add(out_NO, w.out_DO, b.x_ND, b.middle_ND);
        ops().ffn(w.ffn, eps_,
                  {.x_ND = b.middle_ND,
                   .rstd_N = b.rstd_N,
                   .y_ND = b.y_ND,
                   .gate_up_N2F = matrix(b.gate_up, 2 * ffn),
                   .h_NF = matrix(b.hidden, ffn)},
                  b.x_ND);
    }
    ops().rms_norm(b.x_ND, norm_D_, eps_, b.y_ND, b.rstd_N);
}

at::Tensor ModelPass::logits(const at::Tensor& y_ND) const {
    return at::mm(y_ND, head_VD_.t()).to(ops().statistics_type());
}

}  // namespace braid
