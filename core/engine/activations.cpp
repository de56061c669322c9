#include "core/engine/activations.h"

#include <ATen/ops/empty.h>

#include "core/engine/aligned_rows.h"

namespace braid {
namespace {

// A matrix in one of several uses of the same memory, one after the other.
class Shared {
public:
    explicit Shared(at::TensorOptions options) : options_(options) {}
    at::Tensor matrix(std::int64_t rows, std::int64_t cols) {
        need(rows * cols);
        return flat_.narrow(0, 0, rows * cols).view({rows, cols});
    }
    at::Tensor aligned(std::int64_t rows, std::int64_t cols) {
        need(rows * aligned_stride(cols, options_.dtype().toScalarType()));
        return aligned_rows(flat_, rows, cols);
    }

private:
    void need(std::int64_t elements) {
        if (!flat_.defined() || flat_.numel() < elements) flat_ = at::empty({elements}, options_);
    }
    at::TensorOptions options_;
    at::Tensor flat_;
};

}  // namespace

Activations allocate_activations(Ops& ops, const ParameterLayout& layout, const LayerMixers& mixers,
                                 std::int64_t batch, std::int64_t tokens, bool keep) {
    const std::int64_t rows = batch * tokens, width = layout.embedding.cols;
    const auto device = at::TensorOptions().device(ops.device());
    const auto compute = device.dtype(ops.compute_type());
    const auto residual = device.dtype(ops.residual_type());
    const auto statistics = device.dtype(ops.statistics_type());

    Activations a{.batch = batch, .tokens = tokens};
    a.tokens_N = at::empty({rows}, device.dtype(at::kLong));
    a.targets_N = at::empty({rows}, device.dtype(at::kLong));
    a.rstd_N = at::empty({rows}, statistics);
    a.y_ND = at::empty({rows, width}, compute);
    if (keep) {
        a.dx_ND = at::empty({rows, width}, residual);
        a.dy_ND = at::empty({rows, width}, compute);
        if (ops.compute_type() != ops.residual_type()) a.rounded_dx_ND = at::empty({rows, width}, compute);
    }

    Shared x(residual), middle(residual), y(compute), in(compute), out(compute), gate_up(compute),
        hidden(compute);
    Shared din(compute), dout(compute), dhidden(compute), dgate_up(compute);
    const at::Tensor rstd = at::empty({rows}, statistics);
    const auto own_or = [&](Shared& shared, std::int64_t cols, at::TensorOptions options) {
        return keep ? at::empty({rows, cols}, options) : shared.matrix(rows, cols);
    };
    const auto own_or_aligned = [&](Shared& shared, std::int64_t cols) {
        return keep ? Shared(compute).aligned(rows, cols) : shared.aligned(rows, cols);
    };
    const auto own_rstd = [&] { return keep ? at::empty({rows}, statistics) : rstd; };
    for (std::size_t l = 0; l < layout.layers.size(); ++l) {
        const LayerParameters& p = layout.layers[l];
        const std::int64_t ffn = p.down.cols;
        LayerActivations layer;
        layer.x_ND = own_or(x, width, residual);
        layer.rstd_N = own_rstd();
        layer.y_ND = own_or(y, width, compute);
        layer.in_NC = own_or_aligned(in, p.input_projection.rows);
        layer.out_NO = own_or_aligned(out, p.output_projection.cols);
        for (const auto& mixer : mixers[l]) layer.mixers.push_back(mixer->allocate(ops, batch, tokens));
        layer.ffn = {.x_ND = own_or(middle, width, residual),
                     .rstd_N = own_rstd(),
                     .y_ND = own_or(y, width, compute),
                     .gate_up_N2F = own_or(gate_up, 2 * ffn, compute),
                     .h_NF = hidden.matrix(rows, ffn)};
        if (keep) {
            layer.din_NC = din.aligned(rows, p.input_projection.rows);
            layer.dout_NO = dout.aligned(rows, p.output_projection.cols);
            layer.dffn = {.dh_NF = dhidden.matrix(rows, ffn),
                          .dgate_up_N2F = dgate_up.matrix(rows, 2 * ffn),
                          .dy_ND = a.dy_ND,
                          .rounded_ND = a.rounded_dx_ND};
        }
        a.layers.push_back(std::move(layer));
    }
    a.last_ND = own_or(x, width, residual);
    for (std::size_t l = 0; l < a.layers.size(); ++l)
        a.layers[l].next_ND = l + 1 < a.layers.size() ? a.layers[l + 1].x_ND : a.last_ND;
    return a;
}

}  // namespace braid
