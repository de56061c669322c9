// The operations of a model on the CPU: matrix products by ATen (MKL), everything else by kernels/cpu.
// Shape letters: core/mixers/torch/ops.h.
#include <ATen/Parallel.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/engine/cpu_parallel.h"
#include "core/engine/ops.h"
#include "kernels/cpu/cpu.h"

namespace braid {
namespace {

// Elements of logits that exist at once.
constexpr std::int64_t logit_elements = std::int64_t{1} << 23;

// Elements of the widest matrix of a block of rows: a quarter of a usual second-level cache in float32.
constexpr std::int64_t block_elements = std::int64_t{1} << 17;

// Rows of a product that is done between two looks at the flag of a CpuStop.
constexpr std::int64_t stop_rows = 1024;

template <class T>
class CpuOps final : public Ops {
public:
    std::string name() const override { return "cpu"; }
    at::Device device() const override { return at::kCPU; }
    at::ScalarType master_type() const override { return type; }
    at::ScalarType compute_type() const override { return type; }
    at::ScalarType residual_type() const override { return type; }
    at::ScalarType statistics_type() const override { return type; }

    void embedding(const at::Tensor& weight_VD, const at::Tensor& tokens_N, const at::Tensor& x_ND) override {
        kernels_.embedding({.rows = x_ND.size(0),
                            .cols = x_ND.size(1),
                            .tokens = tokens_N.const_data_ptr<std::int64_t>(),
                            .weight = in(weight_VD),
                            .x = out(x_ND)},
                           cpu_parallel());
    }

    void embedding_backward(const at::Tensor& tokens_N, const at::Tensor& dx_ND,
                            const at::Tensor& dweight_VD) override {
        kernels_.embedding_backward({.rows = dx_ND.size(0),
                                     .cols = dx_ND.size(1),
                                     .vocab = dweight_VD.size(0),
                                     .tokens = tokens_N.const_data_ptr<std::int64_t>(),
                                     .dx = in(dx_ND),
                                     .dweight = out(dweight_VD)},
                                    cpu_parallel());
    }

    void rms_norm(const at::Tensor& x_ND, const at::Tensor& weight_D, double eps, const at::Tensor& y_ND,
                  const at::Tensor& rstd_N) override {
        kernels_.rms_norm({.rows = x_ND.size(0),
                           .cols = x_ND.size(1),
                           .eps = eps,
                           .x = in(x_ND),
                           .weight = in(weight_D),
                           .y = out(y_ND),
                           .rstd = out(rstd_N)},
                          cpu_parallel());
    }

    void rms_norm_backward(const at::Tensor& dy_ND, const at::Tensor& x_ND, const at::Tensor& weight_D,
                           const at::Tensor& rstd_N, const at::Tensor& dx_ND, const at::Tensor& dweight_D,
                           const at::Tensor&) override {
        const kernels::Parallel parallel = cpu_parallel();
        kernels_.rms_norm_backward({.rows = x_ND.size(0),
                                    .cols = x_ND.size(1),
                                    .dy = in(dy_ND),
                                    .x = in(x_ND),
                                    .weight = in(weight_D),
                                    .rstd = in(rstd_N),
                                    .dx = out(dx_ND),
                                    .dweight = out(dweight_D),
                                    .parts = out(scratch(parts_, parallel.workers * x_ND.size(1)))},
                                   parallel);
    }

    void linear(const at::Tensor& x_NC, const at::Tensor& weight_RC, const at::Tensor& y_NR) override {
        by_rows(x_NC.size(0), [&](std::int64_t first, std::int64_t rows) {
            product(y_NR.narrow(0, first, rows), x_NC.narrow(0, first, rows), weight_RC.t());
        });
    }

    void linear_add(const at::Tensor& x_NC, const at::Tensor& weight_RC, const at::Tensor& residual_NR,
                    const at::Tensor& sum_NR) override {
        by_rows(x_NC.size(0), [&](std::int64_t first, std::int64_t rows) {
            at::Tensor to = sum_NR.narrow(0, first, rows);
            at::addmm_out(to, residual_NR.narrow(0, first, rows), x_NC.narrow(0, first, rows), weight_RC.t());
        });
    }

    void linear_backward_input(const at::Tensor& dy_NR, const at::Tensor& weight_RC,
                               const at::Tensor& dx_NC) override {
        product(dx_NC, dy_NR, weight_RC);
    }

    void linear_backward_weight(const at::Tensor& dy_NR, const at::Tensor& x_NC,
                                const at::Tensor& dweight_RC) override {
        at::Tensor to = dweight_RC;
        at::addmm_out(to, dweight_RC, dy_NR.t(), x_NC);
    }

    void rope(const at::Tensor& x_BTHK, const RopeTable& table, bool inverse) override {
        kernels_.rope({.batch = x_BTHK.size(0),
                       .tokens = x_BTHK.size(1),
                       .heads = x_BTHK.size(2),
                       .head_dim = x_BTHK.size(3),
                       .x = heads_out(x_BTHK),
                       .cos = in(table.cos_TK2),
                       .sin = in(table.sin_TK2),
                       .inverse = inverse},
                      cpu_parallel());
    }

    std::vector<std::string> attention_kernels() const override { return {"reference"}; }
    void set_attention_kernel(const std::string& name) override { reference_ = name == "reference"; }

    void attention(const AttentionRule& rule, const at::Tensor& q_BTHK, const at::Tensor& k_BTGK,
                   const at::Tensor& v_BTGK, const at::Tensor& sink_H, const at::Tensor& o_BTHK,
                   const at::Tensor& lse_BHT) override {
        const kernels::AttentionArgs<T> args{.shape = shape_of(rule, q_BTHK, k_BTGK),
                                             .q = heads_in(q_BTHK),
                                             .k = heads_in(k_BTGK),
                                             .v = heads_in(v_BTGK),
                                             .sink = sink_H.defined() ? in(sink_H) : nullptr,
                                             .o = heads_out(o_BTHK),
                                             .lse = out(lse_BHT)};
        if (reference_)
            kernels::ref::attention(args);
        else
            kernels_.attention(args, cpu_parallel());
        if (noted_ != reference_)
            note_kernel({.operation = "attention",
                         .call = "all shapes",
                         .kernel = reference_ ? "reference" : kernels::cpu::level().name});
        noted_ = reference_;
        CpuStop::check();
    }

    void attention_backward(const AttentionRule& rule, const at::Tensor& do_BTHK, const at::Tensor& q_BTHK,
                            const at::Tensor& k_BTGK, const at::Tensor& v_BTGK, const at::Tensor& sink_H,
                            const at::Tensor& o_BTHK, const at::Tensor& lse_BHT, const at::Tensor& dq_BTHK,
                            const at::Tensor& dk_BTGK, const at::Tensor& dv_BTGK,
                            const at::Tensor& dsink_H) override {
        const bool sink = sink_H.defined();
        const kernels::AttentionBackwardArgs<T> args{
            .shape = shape_of(rule, q_BTHK, k_BTGK),
            .q = heads_in(q_BTHK),
            .k = heads_in(k_BTGK),
            .v = heads_in(v_BTGK),
            .o = heads_in(o_BTHK),
            .d_o = heads_in(do_BTHK),
            .sink = sink ? in(sink_H) : nullptr,
            .lse = in(lse_BHT),
            .dq = heads_out(dq_BTHK),
            .dk = heads_out(dk_BTGK),
            .dv = heads_out(dv_BTGK),
            .dsink = sink ? out(dsink_H) : nullptr,
            .sink_parts = sink ? out(scratch(parts_, q_BTHK.size(0) * q_BTHK.size(2))) : nullptr};
        if (reference_)
            kernels::ref::attention_backward(args);
        else
            kernels_.attention_backward(args, cpu_parallel());
        turn_back(rule.turned, dq_BTHK, dk_BTGK);
    }

    void swiglu(const at::Tensor& gate_up_N2F, const at::Tensor& h_NF) override {
        kernels_.swiglu(
            {.rows = h_NF.size(0), .width = h_NF.size(1), .gate_up = in(gate_up_N2F), .h = out(h_NF)},
            cpu_parallel());
    }

    void swiglu_backward(const at::Tensor& gate_up_N2F, const at::Tensor& dh_NF,
                         const at::Tensor& dgate_up_N2F, const at::Tensor& h_NF) override {
        kernels_.swiglu_backward({.rows = h_NF.size(0),
                                  .width = h_NF.size(1),
                                  .gate_up = in(gate_up_N2F),
                                  .dh = in(dh_NF),
                                  .dgate_up = out(dgate_up_N2F),
                                  .h = h_NF.defined() ? out(h_NF) : nullptr},
                                 cpu_parallel());
    }

    // Block after block of rows, so that what is not kept stays in cache.
    void ffn(const FfnWeights& weights, double eps, const FfnSaved& saved,
             const at::Tensor& next_ND) override {
        for_blocks(saved.x_ND.size(0), saved.gate_up_N2F.size(1), [&](std::int64_t first, std::int64_t rows) {
            Ops::ffn(weights, eps, block_of(saved, first, rows), next_ND.narrow(0, first, rows));
        });
    }

    void ffn_again(const FfnWeights& weights, const FfnSaved& saved) override {
        for_blocks(saved.x_ND.size(0), saved.gate_up_N2F.size(1), [&](std::int64_t first, std::int64_t rows) {
            Ops::ffn_again(weights, block_of(saved, first, rows));
        });
    }

    void ffn_backward(const FfnWeights& weights, const FfnSaved& saved, const at::Tensor& dx_ND,
                      const FfnScratch& scratch, const FfnWeights& dweights) override {
        for_blocks(saved.x_ND.size(0), saved.gate_up_N2F.size(1), [&](std::int64_t first, std::int64_t rows) {
            Ops::ffn_backward(weights, block_of(saved, first, rows), dx_ND.narrow(0, first, rows),
                              {.dh_NF = scratch.dh_NF.narrow(0, 0, rows),
                               .dgate_up_N2F = scratch.dgate_up_N2F.narrow(0, 0, rows),
                               .dy_ND = scratch.dy_ND.narrow(0, 0, rows)},
                              dweights);
        });
    }

    void head_loss(const at::Tensor& y_ND, const at::Tensor& weight_VD, const at::Tensor& targets_N,
                   const at::Tensor& weights_N, double scale, const at::Tensor& loss_sum,
                   const at::Tensor& dy_ND, const at::Tensor& dweight_VD) override {
        double sum = 0;
        for_chunks(y_ND, weight_VD, targets_N, [&](const Chunk& chunk) {
            const at::Tensor loss = scratch(losses_, chunk.rows);
            cross_entropy(chunk, {.gradient = true,
                                  .scale = scale,
                                  .weights = weights_N.defined() ? in(weights_N) + chunk.first : nullptr,
                                  .loss = out(loss)});
            const T* losses = in(loss);
            for (std::int64_t r = 0; r < chunk.rows; ++r) sum += double(losses[r]);
            product(dy_ND.narrow(0, chunk.first, chunk.rows), chunk.logits, weight_VD);
            linear_backward_weight(chunk.logits, chunk.y, dweight_VD);
        });
        *out(loss_sum) += T(sum);
    }

    void head_evaluate(const at::Tensor& y_ND, const at::Tensor& weight_VD, const at::Tensor& targets_N,
                       const at::Tensor& loss_N, const at::Tensor& top_N) override {
        for_chunks(y_ND, weight_VD, targets_N, [&](const Chunk& chunk) {
            cross_entropy(chunk, {.loss = out(loss_N) + chunk.first,
                                  .top = top_N.mutable_data_ptr<std::int64_t>() + chunk.first});
        });
    }

    void gradient_norm_and_clip(const at::Tensor& gradients, double max_norm,
                                const at::Tensor& scalars) override {
        const std::int64_t size = gradients.numel();
        norm_parts_.resize(
            std::size_t((size + kernels::sum_of_squares_piece - 1) / kernels::sum_of_squares_piece));
        kernels_.sum_of_squares({.size = size, .x = in(gradients), .parts = norm_parts_.data()},
                                cpu_parallel());
        double sum = 0;
        for (double part : norm_parts_) sum += part;
        const double norm = std::sqrt(sum);
        out(scalars)[step_scalar::gradient_norm] = T(norm);
        out(scalars)[step_scalar::clip_factor] = T(max_norm > 0 && norm > max_norm ? max_norm / norm : 1.0);
    }

    void begin_update(const at::Tensor& loss_sum, const AdamwRule& rule, const at::Tensor& updates,
                      const at::Tensor& scalars) override {
        T* scalar = out(scalars);
        const bool good = std::isfinite(scalar[step_scalar::gradient_norm]) &&
                          (!loss_sum.defined() || std::isfinite(*in(loss_sum)));
        scalar[step_scalar::applied] = good ? T(1) : T(0);
        if (!good) return;
        const auto steps = double(++*updates.mutable_data_ptr<std::int64_t>());
        scalar[step_scalar::bias_correction1] = T(1 - std::pow(rule.beta1, steps));
        scalar[step_scalar::bias_correction2] = T(1 - std::pow(rule.beta2, steps));
    }

    void newton_schulz(const at::Tensor& x_nRC, std::int64_t steps) override {
        const std::int64_t n = x_nRC.size(0), rows = x_nRC.size(1), cols = x_nRC.size(2);
        const std::int64_t side = std::min(rows, cols);
        normalise(x_nRC);
        at::Tensor gram = scratch(gram_, n * side * side).view({n, side, side});
        at::Tensor mix = scratch(mix_, n * side * side).view({n, side, side});
        at::Tensor other = scratch(other_, n * rows * cols).view({n, rows, cols});
        at::Tensor x = x_nRC;
        for (std::int64_t step = 0; step < steps; ++step) {
            const at::Tensor transposed = x.transpose(1, 2);
            if (rows <= cols)
                at::bmm_out(gram, x, transposed);
            else
                at::bmm_out(gram, transposed, x);
            at::baddbmm_out(mix, gram, gram, gram, -4.7750, 2.0315);
            if (rows <= cols)
                at::baddbmm_out(other, x, mix, x, 3.4445);
            else
                at::baddbmm_out(other, x, x, mix, 3.4445);
            std::swap(x, other);
        }
        if (!x.is_same(x_nRC)) x_nRC.copy_(x);
    }

    void muon_step(const MuonGroup& group, const MuonRule& rule, const OptimizerTensors& tensors,
                   const at::Tensor& scalars) override {
        if (in(scalars)[step_scalar::applied] == T(0)) return;
        const kernels::Parallel parallel = cpu_parallel();
        const std::int64_t n = std::int64_t(group.offsets.size()), size = group.rows * group.cols;
        const at::Tensor update = scratch(updates_, n * size).view({n, group.rows, group.cols});
        const double learning_rate = double(in(scalars)[step_scalar::learning_rate]);
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t offset = group.offsets[std::size_t(i)];
            kernels_.muon_momentum({.size = size,
                                    .gradient = in(tensors.gradients) + offset,
                                    .momentum_buffer = out(tensors.momentum) + offset,
                                    .update = out(update) + i * size,
                                    .clip = double(in(scalars)[step_scalar::clip_factor]),
                                    .momentum = rule.momentum},
                                   parallel);
        }
        newton_schulz(update, rule.newton_schulz_steps);
        const double scale = 0.2 * std::sqrt(double(std::max(group.rows, group.cols)));
        for (std::int64_t i = 0; i < n; ++i)
            kernels_.muon_apply({.size = size,
                                 .value = out(tensors.values) + group.offsets[std::size_t(i)],
                                 .update = in(update) + i * size,
                                 .keep = 1.0 - learning_rate * rule.weight_decay,
                                 .step = learning_rate * scale},
                                parallel);
    }

    void adamw_step(std::int64_t begin, std::int64_t end, double weight_decay, const AdamwRule& rule,
                    const OptimizerTensors& tensors, const at::Tensor& scalars) override {
        const T* scalar = in(scalars);
        if (scalar[step_scalar::applied] == T(0)) return;
        kernels_.adamw({.size = end - begin,
                        .gradient = in(tensors.gradients) + begin,
                        .value = out(tensors.values) + begin,
                        .exp_avg = out(tensors.momentum) + begin,
                        .exp_avg_sq = out(tensors.exp_avg_sq) + (begin - tensors.adamw_begin),
                        .clip = double(scalar[step_scalar::clip_factor]),
                        .learning_rate = double(scalar[step_scalar::learning_rate]),
                        .weight_decay = weight_decay,
                        .beta1 = rule.beta1,
                        .beta2 = rule.beta2,
                        .eps = rule.eps,
                        .bias_correction1 = double(scalar[step_scalar::bias_correction1]),
                        .bias_correction2 = double(scalar[step_scalar::bias_correction2])},
                       cpu_parallel());
    }

private:
    static constexpr at::ScalarType type = std::is_same_v<T, float> ? at::kFloat : at::kDouble;

    static const T* in(const at::Tensor& tensor) { return tensor.const_data_ptr<T>(); }
    static T* out(const at::Tensor& tensor) { return tensor.mutable_data_ptr<T>(); }
    static kernels::Heads<const T> heads_in(const at::Tensor& x_BTHK) {
        return {in(x_BTHK), x_BTHK.stride(0), x_BTHK.stride(1), x_BTHK.stride(2)};
    }
    static kernels::Heads<T> heads_out(const at::Tensor& x_BTHK) {
        return {out(x_BTHK), x_BTHK.stride(0), x_BTHK.stride(1), x_BTHK.stride(2)};
    }
    static kernels::AttentionShape shape_of(const AttentionRule& rule, const at::Tensor& q_BTHK,
                                            const at::Tensor& k_BTGK) {
        return {.batch = q_BTHK.size(0),
                .tokens = q_BTHK.size(1),
                .heads = q_BTHK.size(2),
                .kv_heads = k_BTGK.size(2),
                .head_dim = q_BTHK.size(3),
                .window = rule.window,
                .scale = rule.scale,
                .starts = rule.documents.defined() ? rule.documents.starts_BT.const_data_ptr<std::int32_t>()
                                                   : nullptr};
    }

    static void product(const at::Tensor& to, const at::Tensor& a, const at::Tensor& b) {
        at::Tensor result = to;
        at::mm_out(result, a, b);
    }

    // The first `elements` of a buffer that only grows.
    static at::Tensor scratch(at::Tensor& buffer, std::int64_t elements) {
        if (!buffer.defined() || buffer.numel() < elements) buffer = at::empty({elements}, type);
        return buffer.narrow(0, 0, elements);
    }

    // f(first row, rows) over blocks whose widest matrix has about block_elements elements a thread.
    template <class F>
    static void for_blocks(std::int64_t rows, std::int64_t cols, F&& f) {
        const std::int64_t wanted = block_elements * at::get_num_threads() / cols;
        const std::int64_t blocks = std::max<std::int64_t>(1, rows / std::max<std::int64_t>(wanted, 64));
        for (std::int64_t i = 0; i < blocks; ++i) {
            const std::int64_t first = rows * i / blocks;
            CpuStop::check();
            f(first, rows * (i + 1) / blocks - first);
        }
    }
    // f(first row, rows): all at once, or in parts where a flag may end it between them.
    template <class F>
    static void by_rows(std::int64_t rows, F&& f) {
        if (!CpuStop::watched()) return f(0, rows);
        for (std::int64_t first = 0; first < rows; first += stop_rows) {
            CpuStop::check();
            f(first, std::min(stop_rows, rows - first));
        }
    }
    static FfnSaved block_of(const FfnSaved& saved, std::int64_t first, std::int64_t rows) {
        return {.x_ND = saved.x_ND.narrow(0, first, rows),
                .rstd_N = saved.rstd_N.narrow(0, first, rows),
                .y_ND = saved.y_ND.narrow(0, first, rows),
                .gate_up_N2F = saved.gate_up_N2F.narrow(0, first, rows),
                .h_NF = saved.h_NF.narrow(0, saved.h_kept ? first : 0, rows),
                .h_kept = saved.h_kept};
    }

    struct Chunk {
        std::int64_t first = 0, rows = 0;
        at::Tensor y = {}, logits = {};
        const std::int64_t* targets = nullptr;
    };
    template <class F>
    void for_chunks(const at::Tensor& y_ND, const at::Tensor& weight_VD, const at::Tensor& targets_N, F&& f) {
        const std::int64_t rows = y_ND.size(0), vocab = weight_VD.size(0);
        const std::int64_t step = std::min(rows, std::max<std::int64_t>(logit_elements / vocab, 64));
        const at::Tensor buffer = scratch(logits_, step * vocab).view({step, vocab});
        for (std::int64_t first = 0; first < rows; first += step) {
            Chunk chunk{.first = first, .rows = std::min(step, rows - first)};
            chunk.y = y_ND.narrow(0, first, chunk.rows);
            chunk.logits = buffer.narrow(0, 0, chunk.rows);
            chunk.targets = targets_N.const_data_ptr<std::int64_t>() + first;
            product(chunk.logits, chunk.y, weight_VD.t());
            f(chunk);
        }
    }
    void cross_entropy(const Chunk& chunk, kernels::CrossEntropyArgs<T> args) {
        args.rows = chunk.rows;
        args.vocab = chunk.logits.size(1);
        args.logits = out(chunk.logits);
        args.targets = chunk.targets;
        kernels_.cross_entropy(args, cpu_parallel());
    }

    // Each matrix divided by its Frobenius norm.
    void normalise(const at::Tensor& x_nRC) {
        const std::int64_t size = x_nRC.size(1) * x_nRC.size(2);
        for (std::int64_t i = 0; i < x_nRC.size(0); ++i) {
            T* x = out(x_nRC) + i * size;
            double sum = 0;
            for (std::int64_t j = 0; j < size; ++j) sum += double(x[j]) * double(x[j]);
            const T factor = T(1.0 / (std::sqrt(sum) + 1e-7));
            for (std::int64_t j = 0; j < size; ++j) x[j] *= factor;
        }
    }

    bool reference_ = false;
    std::optional<bool> noted_ = {};  // the reference_ of the last note
    const kernels::cpu::Kernels<T>& kernels_ = kernels::cpu::level().kernels<T>();
    at::Tensor parts_, losses_, logits_, gram_, mix_, other_, updates_;
    std::vector<double> norm_parts_;
};

}  // namespace

std::shared_ptr<Ops> make_cpu_ops(at::ScalarType type) {
    if (type == at::kDouble) return std::make_shared<CpuOps<double>>();
    return std::make_shared<CpuOps<float>>();
}

}  // namespace braid
