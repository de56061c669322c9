#include "core/engine/activations.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <map>
#include <set>

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

// The parts of a layer that may be shared, as allocated so far.
struct SharedBuffers {
    // Of layers that are gone back through the norms of both halves must stay apart.
    SharedBuffers(Ops& ops, std::int64_t batch_, std::int64_t tokens_, bool backward_)
        : backward(backward_),
          device(at::TensorOptions().device(ops.device())),
          compute(device.dtype(ops.compute_type())),
          residual(device.dtype(ops.residual_type())),
          statistics(device.dtype(ops.statistics_type())),
          batch(batch_),
          tokens(tokens_),
          rows(batch_ * tokens_) {}

    bool backward;
    at::TensorOptions device, compute, residual, statistics;
    std::int64_t batch, tokens, rows;
    Shared x{residual}, middle{residual}, y{compute}, in{compute}, out{compute}, gate_up{compute},
        hidden{compute}, din{compute}, dout{compute}, dhidden{compute}, dgate_up{compute}, ffn_y{compute},
        rstd{statistics}, ffn_rstd{statistics};

    at::Tensor matrix(bool own, Shared& shared, std::int64_t cols, at::TensorOptions options) const {
        return own ? at::empty({rows, cols}, options) : shared.matrix(rows, cols);
    }
    at::Tensor aligned(bool own, Shared& shared, std::int64_t cols) const {
        return own ? Shared(compute).aligned(rows, cols) : shared.aligned(rows, cols);
    }
    at::Tensor row_statistics(bool own, Shared& shared) const {
        return matrix(own, shared, 1, statistics).view({rows});
    }

    // Before any layer(), for all of them: what is shared is as large as the largest needs it.
    void grow(const LayerParameters& p, Kept kept) {
        const std::int64_t ffn = p.down.cols;
        if (kept == Kept::input) {
            in.aligned(rows, p.input_projection.rows);
            out.aligned(rows, p.output_projection.cols);
        }
        if (kept >= Kept::all_but_ffn) gate_up.matrix(rows, 2 * ffn);
        if (kept >= Kept::all_but_hidden) hidden.matrix(rows, ffn);
        if (!backward) return;
        din.aligned(rows, p.input_projection.rows);
        dout.aligned(rows, p.output_projection.cols);
        dhidden.matrix(rows, ffn);
        dgate_up.matrix(rows, 2 * ffn);
    }

    LayerActivations layer(const LayerParameters& p, Kept kept, bool own_input) {
        const bool between = kept != Kept::input;
        const std::int64_t ffn = p.down.cols, width = p.output_projection.rows;
        LayerActivations layer;
        layer.kept = kept;
        layer.x_ND = matrix(own_input, x, width, residual);
        layer.rstd_N = row_statistics(between, rstd);
        layer.y_ND = matrix(between, y, width, compute);
        layer.in_NC = aligned(between, in, p.input_projection.rows);
        layer.out_NO = aligned(between, out, p.output_projection.cols);
        layer.ffn = {.x_ND = matrix(between, middle, width, residual),
                     .rstd_N = row_statistics(between, backward ? ffn_rstd : rstd),
                     .y_ND = matrix(between, backward ? ffn_y : y, width, compute),
                     .gate_up_N2F = matrix(kept <= Kept::all_but_hidden, gate_up, 2 * ffn, compute),
                     .h_NF = matrix(kept == Kept::everything, hidden, ffn, compute),
                     .h_kept = kept == Kept::everything};
        return layer;
    }
};

Activations common_buffers(const SharedBuffers& b, std::int64_t width) {
    Activations a{.batch = b.batch, .tokens = b.tokens};
    a.tokens_N = at::empty({b.rows}, b.device.dtype(at::kLong));
    a.targets_N = at::empty({b.rows}, b.device.dtype(at::kLong));
    a.rstd_N = at::empty({b.rows}, b.statistics);
    a.y_ND = at::empty({b.rows, width}, b.compute);
    return a;
}

void connect(Activations& a) {
    for (std::size_t l = 0; l < a.layers.size(); ++l)
        a.layers[l].next_ND = l + 1 < a.layers.size() ? a.layers[l + 1].x_ND : a.last_ND;
}

std::int64_t bytes_of(const std::vector<MixerMemory>& mixers) {
    std::int64_t bytes = 0;
    for (const MixerMemory& memory : mixers)
        for (const at::Tensor& each : memory.tensors) bytes += static_cast<std::int64_t>(each.nbytes());
    return bytes;
}

// What the mixers of each layer remember. Of each kind of layer one exists from the start, to be measured.
class MixerMemories {
public:
    MixerMemories(Ops& ops, const LayerMixers& mixers, const std::vector<LayerSpec>& layers,
                  std::int64_t batch, std::int64_t tokens)
        : ops_(ops), mixers_(mixers), batch_(batch), tokens_(tokens) {
        for (std::size_t l = 0; l < layers.size(); ++l) {
            std::size_t kind = 0;
            while (layers[kind].groups != layers[l].groups) ++kind;  // the first layer that is like it
            kinds_.push_back(kind);
            if (kind == l) first_[kind] = allocate(l);
        }
    }
    std::size_t kind(std::size_t layer) const { return kinds_[layer]; }
    std::int64_t bytes(std::size_t layer) const { return bytes_of(first_.at(kinds_[layer])); }
    std::vector<MixerMemory> shared(std::size_t layer) const { return first_.at(kinds_[layer]); }
    // The one that exists goes to a layer that keeps it, unless others share it.
    std::vector<MixerMemory> own(std::size_t layer, bool kind_is_shared) {
        if (kind_is_shared || !given_.insert(kinds_[layer]).second) return allocate(layer);
        return shared(layer);
    }

private:
    std::vector<MixerMemory> allocate(std::size_t layer) const {
        std::vector<MixerMemory> all;
        for (const auto& mixer : mixers_[layer]) all.push_back(mixer->allocate(ops_, batch_, tokens_));
        return all;
    }
    Ops& ops_;
    const LayerMixers& mixers_;
    std::int64_t batch_, tokens_;
    std::vector<std::size_t> kinds_;
    std::map<std::size_t, std::vector<MixerMemory>> first_;
    std::set<std::size_t> given_;
};

}  // namespace

Activations allocate_forward(Ops& ops, const ParameterLayout& layout, const LayerMixers& mixers,
                             std::int64_t batch, std::int64_t tokens) {
    SharedBuffers b(ops, batch, tokens, false);
    const std::int64_t width = layout.embedding.cols;
    Activations a = common_buffers(b, width);
    for (const LayerParameters& p : layout.layers) b.grow(p, Kept::input);
    for (std::size_t l = 0; l < layout.layers.size(); ++l) {
        a.layers.push_back(b.layer(layout.layers[l], Kept::input, false));
        for (const auto& mixer : mixers[l])
            a.layers.back().mixers.push_back(mixer->allocate(ops, batch, tokens));
    }
    a.last_ND = b.x.matrix(b.rows, width);
    connect(a);
    return a;
}

Activations allocate_training(Ops& ops, const ParameterLayout& layout, const LayerMixers& mixers,
                              const std::vector<LayerSpec>& layers, std::int64_t batch, std::int64_t tokens,
                              std::int64_t limit) {
    SharedBuffers b(ops, batch, tokens, true);
    const std::int64_t width = layout.embedding.cols;
    Activations a = common_buffers(b, width);
    a.dx_ND = at::empty({b.rows, width}, b.residual);
    a.dy_ND = at::empty({b.rows, width}, b.compute);
    if (b.compute.dtype() != b.residual.dtype()) a.rounded_dx_ND = at::empty({b.rows, width}, b.compute);
    a.last_ND = at::empty({b.rows, width}, b.residual);

    MixerMemories memories(ops, mixers, layers, batch, tokens);
    const auto size = [&b](std::int64_t cols, at::TensorOptions type) {
        return b.rows * cols * static_cast<std::int64_t>(type.dtype().itemsize());
    };
    std::vector<LayerBytes> sizes;
    std::int64_t widest_in = 0, widest_out = 0, widest_ffn = 0;
    for (std::size_t l = 0; l < layout.layers.size(); ++l) {
        const LayerParameters& p = layout.layers[l];
        const std::int64_t in = p.input_projection.rows, out = p.output_projection.cols, ffn = p.down.cols;
        sizes.push_back({.input = size(width, b.residual),
                         .between = size(2 * width + in + out, b.compute) + size(width, b.residual) +
                                    size(2, b.statistics),
                         .gate_up = size(2 * ffn, b.compute),
                         .hidden = size(ffn, b.compute),
                         .mixers = memories.bytes(l),
                         .kind = memories.kind(l)});
        widest_in = std::max(widest_in, in);
        widest_out = std::max(widest_out, out);
        widest_ffn = std::max(widest_ffn, ffn);
    }
    // The final norm's, the gradients' and those of the gradients of one layer.
    const std::int64_t common = 2 * size(width, b.residual) + 3 * size(width, b.compute) +
                                size(widest_in + widest_out + 3 * widest_ffn, b.compute);
    // On the CPU the hidden layer is made again in cache, which is quicker than to read it.
    const Kept most = ops.device().is_cpu() ? Kept::all_but_hidden : Kept::everything;
    a.plan = plan_activations(sizes, common, limit, most);

    std::set<std::size_t> shared_kinds;
    for (std::size_t l = 0; l < layers.size(); ++l) b.grow(layout.layers[l], a.plan.kept[l]);
    for (std::size_t l = 0; l < layers.size(); ++l)
        if (a.plan.kept[l] == Kept::input) shared_kinds.insert(memories.kind(l));
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const LayerParameters& p = layout.layers[l];
        LayerActivations layer = b.layer(p, a.plan.kept[l], true);
        layer.mixers = a.plan.kept[l] == Kept::input
                           ? memories.shared(l)
                           : memories.own(l, shared_kinds.contains(memories.kind(l)));
        layer.din_NC = b.din.aligned(b.rows, p.input_projection.rows);
        layer.dout_NO = b.dout.aligned(b.rows, p.output_projection.cols);
        layer.dffn = {.dh_NF = b.dhidden.matrix(b.rows, p.down.cols),
                      .dgate_up_N2F = b.dgate_up.matrix(b.rows, 2 * p.down.cols),
                      .dy_ND = a.dy_ND,
                      .rounded_ND = a.rounded_dx_ND};
        a.layers.push_back(std::move(layer));
    }
    connect(a);
    return a;
}

}  // namespace braid
