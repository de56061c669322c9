// Shape letters as in core/mixers/torch/ops.h.
#include "core/engine/cuda/cuda_ops.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>
#include <cmath>

#include "core/engine/cuda/attention_kernels.h"
#include "core/engine/cuda/blas.h"
#include "core/engine/cuda/cached_ops.h"
#include "core/engine/cuda/check.h"
#include "core/engine/cuda/pointers.h"
#include "core/engine/cuda/products.h"
#include "core/engine/cuda/recording.h"
#include "kernels/cuda/cross_entropy.h"
#include "kernels/cuda/embedding.h"
#include "kernels/cuda/norm.h"
#include "kernels/cuda/optimizer.h"
#include "kernels/cuda/pointwise.h"

namespace braid {
namespace {

namespace kc = kernels::cuda;
using cuda::check;

using cuda::bf16_data;
using cuda::float_data;
using cuda::int_data;
using cuda::stream;

// Memory that a chunk of logits may take: large enough for full-speed products, small beside the activations.
constexpr std::int64_t logits_bytes = std::int64_t{5} << 28;
constexpr std::int64_t whole_tiles = 128;  // rows that products take at once
constexpr std::int64_t whole_lines = 64;   // logits in a line of the cache; a row begins with one

class CudaOps final : public CachedCudaOps {
public:
    CudaOps(int index, int capability)
        : CachedCudaOps({at::kCUDA, static_cast<at::DeviceIndex>(index)}, capability),
          recording_stream_(c10::cuda::getStreamFromPool(false, static_cast<c10::DeviceIndex>(index))) {
        seed_ = at::zeros({2}, at::dtype(at::kLong).device(device()));
    }

    std::string name() const override { return "cuda"; }
    at::ScalarType master_type() const override { return at::kFloat; }
    at::ScalarType compute_type() const override { return at::kBFloat16; }
    at::ScalarType residual_type() const override { return at::kFloat; }
    at::ScalarType statistics_type() const override { return at::kFloat; }

    void embedding(const at::Tensor& weight_VD, const at::Tensor& tokens_N, const at::Tensor& x_ND) override {
        check(kc::embedding({.weight = bf16_data(weight_VD),
                             .tokens = int_data(tokens_N),
                             .x = float_data(x_ND),
                             .rows = x_ND.size(0),
                             .width = static_cast<int>(x_ND.size(1))},
                            stream()),
              "embedding");
    }

    void embedding_backward(const at::Tensor& tokens_N, const at::Tensor& dx_ND,
                            const at::Tensor& dweight_VD) override {
        const auto [sorted, order] = at::sort(tokens_N, /*stable=*/true, /*dim=*/0, /*descending=*/false);
        const std::int64_t rows = dx_ND.size(0);
        const std::int64_t width = dx_ND.size(1);
        check(kc::embedding_backward(
                  {.sorted_tokens = int_data(sorted),
                   .order = int_data(order),
                   .dx = float_data(dx_ND),
                   .dweight = float_data(dweight_VD),
                   .edges = float_data(
                       scratch("embedding edges", kc::embedding_tiles(rows) * 2 * width, at::kFloat)),
                   .rows = rows,
                   .width = static_cast<int>(width)},
                  stream()),
              "embedding_backward");
    }

    void rms_norm(const at::Tensor& x_ND, const at::Tensor& weight_D, double eps, const at::Tensor& y_ND,
                  const at::Tensor& rstd_N) override {
        check(kc::rms_norm({.x = float_data(x_ND),
                            .weight = float_data(weight_D),
                            .y = bf16_data(y_ND),
                            .rstd = float_data(rstd_N),
                            .rows = x_ND.size(0),
                            .width = static_cast<int>(x_ND.size(1)),
                            .eps = static_cast<float>(eps)},
                           stream()),
              "rms_norm");
    }

    void rms_norm_backward(const at::Tensor& dy_ND, const at::Tensor& x_ND, const at::Tensor& weight_D,
                           const at::Tensor& rstd_N, const at::Tensor& dx_ND, const at::Tensor& dweight_D,
                           const at::Tensor& rounded_ND) override {
        const std::int64_t rows = x_ND.size(0);
        const std::int64_t width = x_ND.size(1);
        check(
            kc::rms_norm_backward(
                {.dy = bf16_data(dy_ND),
                 .x = float_data(x_ND),
                 .weight = float_data(weight_D),
                 .rstd = float_data(rstd_N),
                 .dx = float_data(dx_ND),
                 .rounded = rounded_ND.defined() ? bf16_data(rounded_ND) : nullptr,
                 .dweight = float_data(dweight_D),
                 .partial = float_data(scratch("norm", kc::rms_norm_partial_rows(rows) * width, at::kFloat)),
                 .rows = rows,
                 .width = static_cast<int>(width)},
                stream()),
            "rms_norm_backward");
    }

    void linear(const at::Tensor& x_NC, const at::Tensor& weight_RC, const at::Tensor& y_NR) override {
        products_.nt(x_NC, weight_RC, y_NR);
    }

    void linear_add(const at::Tensor& x_NC, const at::Tensor& weight_RC, const at::Tensor& residual_NR,
                    const at::Tensor& sum_NR) override {
        products_.nt_add(x_NC, weight_RC, residual_NR, sum_NR);
    }

    void linear_backward_input(const at::Tensor& dy_NR, const at::Tensor& weight_RC,
                               const at::Tensor& dx_NC) override {
        products_.nn(dy_NR, weight_RC, dx_NC);
    }

    void linear_backward_weight(const at::Tensor& dy_NR, const at::Tensor& x_NC,
                                const at::Tensor& dweight_RC) override {
        products_.tn_add(dy_NR, x_NC, dweight_RC);
    }

    void rope(const at::Tensor& x_BTHK, const RopeTable& table, bool inverse) override {
        check(kc::rope({.x = bf16_data(x_BTHK),
                        .cos = float_data(table.cos_TK2),
                        .sin = float_data(table.sin_TK2),
                        .batch = x_BTHK.size(0),
                        .tokens = x_BTHK.size(1),
                        .heads = x_BTHK.size(2),
                        .batch_stride = x_BTHK.stride(0),
                        .row_stride = x_BTHK.stride(1),
                        .head_stride = x_BTHK.stride(2),
                        .head_dim = static_cast<int>(x_BTHK.size(3)),
                        .inverse = inverse},
                       stream()),
              "rope");
    }

    std::vector<std::string> attention_kernels() const override {
        std::vector<std::string> names;
        for (const cuda::AttentionKernel& kernel : cuda::attention_kernels())
            if (kernel.exists(capability())) names.emplace_back(kernel.name);
        return names;
    }
    void attention(const AttentionRule& rule, const at::Tensor& q_BTHK, const at::Tensor& k_BTGK,
                   const at::Tensor& v_BTGK, const at::Tensor& sink_H, const at::Tensor& o_BTHK,
                   const at::Tensor& lse_BHT) override {
        const auto c = cuda::attention_case(capability(), deterministic_, rule, q_BTHK, k_BTGK, sink_H);
        const cuda::AttentionKernel& kernel = cuda::choose_attention(attention_kernel(), c);
        note_kernel({.operation = "attention", .call = cuda::text_of(c), .kernel = kernel.name});
        cuda::AttentionTools tools{.scratch = scratch(), .seed = seed_};
        kernel.forward(c,
                       {.rule = rule,
                        .q_BTHK = q_BTHK,
                        .k_BTGK = k_BTGK,
                        .v_BTGK = v_BTGK,
                        .sink_H = sink_H,
                        .o_BTHK = o_BTHK,
                        .lse_BHT = lse_BHT},
                       tools);
    }

    void attention_backward(const AttentionRule& rule, const at::Tensor& do_BTHK, const at::Tensor& q_BTHK,
                            const at::Tensor& k_BTGK, const at::Tensor& v_BTGK, const at::Tensor& sink_H,
                            const at::Tensor& o_BTHK, const at::Tensor& lse_BHT, const at::Tensor& dq_BTHK,
                            const at::Tensor& dk_BTGK, const at::Tensor& dv_BTGK,
                            const at::Tensor& dsink_H) override {
        const auto c = cuda::attention_case(capability(), deterministic_, rule, q_BTHK, k_BTGK, sink_H);
        cuda::AttentionTools tools{.scratch = scratch(), .seed = seed_};
        const cuda::AttentionKernel& kernel = cuda::choose_attention(attention_kernel(), c);
        kernel.backward(c,
                        {.rule = rule,
                         .do_BTHK = do_BTHK,
                         .q_BTHK = q_BTHK,
                         .k_BTGK = k_BTGK,
                         .v_BTGK = v_BTGK,
                         .sink_H = sink_H,
                         .o_BTHK = o_BTHK,
                         .lse_BHT = lse_BHT,
                         .dq_BTHK = dq_BTHK,
                         .dk_BTGK = dk_BTGK,
                         .dv_BTGK = dv_BTGK,
                         .dsink_H = dsink_H},
                        tools);
        if (!kernel.turns_back || !c.turned_whole) turn_back(rule.turned, dq_BTHK, dk_BTGK);
    }

    void swiglu(const at::Tensor& gate_up_N2F, const at::Tensor& h_NF) override {
        check(kc::swiglu({.gate_up = bf16_data(gate_up_N2F),
                          .h = bf16_data(h_NF),
                          .rows = h_NF.size(0),
                          .width = static_cast<int>(h_NF.size(1))},
                         stream()),
              "swiglu");
    }

    void swiglu_backward(const at::Tensor& gate_up_N2F, const at::Tensor& dh_NF,
                         const at::Tensor& dgate_up_N2F, const at::Tensor& h_NF) override {
        check(kc::swiglu_backward({.gate_up = bf16_data(gate_up_N2F),
                                   .dh = bf16_data(dh_NF),
                                   .dgate_up = bf16_data(dgate_up_N2F),
                                   .h = h_NF.defined() ? bf16_data(h_NF) : nullptr,
                                   .rows = dh_NF.size(0),
                                   .width = static_cast<int>(dh_NF.size(1))},
                                  stream()),
              "swiglu_backward");
    }

    void set_deterministic(bool on) override {
        deterministic_ = on;
        products_.set_deterministic(on);
    }

    std::unique_ptr<Recording> record(const std::function<void()>& work) override {
        const auto kept = std::make_shared<std::vector<at::Tensor>>(rope_tensors());
        const auto listed = [&] {
            scratch().list_used(kept.get());
            work();
        };
        struct Unlist {
            cuda::Scratch& scratch;
            ~Unlist() { scratch.list_used(nullptr); }
        } const unlist{scratch()};
        return cuda::record_graph(recording_stream_, listed, kept);
    }

    std::int64_t peak_memory() const override {
        return c10::cuda::CUDACachingAllocator::getDeviceStats(device().index()).reserved_bytes[0].peak;
    }
    std::int64_t free_memory() const override {
        std::size_t free = 0, total = 0;
        check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
        const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device().index());
        return static_cast<std::int64_t>(free) + stats.reserved_bytes[0].current -
               stats.allocated_bytes[0].current;
    }
    // What an earlier model left in the allocator is not this one's.
    void reset_peak_memory() override {
        c10::cuda::CUDACachingAllocator::emptyCache();
        c10::cuda::CUDACachingAllocator::resetPeakStats(device().index());
    }

    void head_loss(const at::Tensor& y_ND, const at::Tensor& weight_VD, const at::Tensor& targets_N,
                   const at::Tensor& weights_N, double scale, const at::Tensor& loss_sum,
                   const at::Tensor& dy_ND, const at::Tensor& dweight_VD) override {
        const at::Tensor loss_N = scratch("row losses", y_ND.size(0), at::kFloat);
        for_logits(y_ND, weight_VD, [&](std::int64_t begin, std::int64_t rows, const at::Tensor& logits_nV) {
            check(kc::cross_entropy({.logits = bf16_data(logits_nV),
                                     .targets = int_data(targets_N) + begin,
                                     .loss = float_data(loss_N) + begin,
                                     .rows = rows,
                                     .vocab = logits_nV.size(1),
                                     .row_stride = logits_nV.stride(0),
                                     .weights = weights_N.defined() ? float_data(weights_N) + begin : nullptr,
                                     .scale = static_cast<float>(scale),
                                     .gradient = true},
                                    stream()),
                  "cross_entropy");
            products_.nn(logits_nV, weight_VD, dy_ND.narrow(0, begin, rows));
            products_.tn_add(logits_nV, y_ND.narrow(0, begin, rows), dweight_VD);
        });
        check(kc::add_sum(float_data(loss_N), y_ND.size(0), float_data(loss_sum), stream()), "add_sum");
    }

    void head_evaluate(const at::Tensor& y_ND, const at::Tensor& weight_VD, const at::Tensor& targets_N,
                       const at::Tensor& loss_N, const at::Tensor& top_N) override {
        for_logits(y_ND, weight_VD, [&](std::int64_t begin, std::int64_t rows, const at::Tensor& logits_nV) {
            check(kc::cross_entropy({.logits = bf16_data(logits_nV),
                                     .targets = int_data(targets_N) + begin,
                                     .loss = float_data(loss_N) + begin,
                                     .top = int_data(top_N) + begin,
                                     .rows = rows,
                                     .vocab = logits_nV.size(1),
                                     .row_stride = logits_nV.stride(0)},
                                    stream()),
                  "cross_entropy");
        });
    }

    void gradient_norm_and_clip(const at::Tensor& gradients, double max_norm,
                                const at::Tensor& scalars) override {
        check(
            kc::norm_and_clip({.x = float_data(gradients),
                               .n = gradients.numel(),
                               .max_norm = static_cast<float>(max_norm),
                               .partial = float_data(scratch("norm partial", kc::norm_blocks(), at::kFloat)),
                               .norm = float_data(scalars) + step_scalar::gradient_norm,
                               .clip = float_data(scalars) + step_scalar::clip_factor},
                              stream()),
            "gradient_norm_and_clip");
    }

    void begin_update(const at::Tensor& loss_sum, const AdamwRule& rule, const at::Tensor& updates,
                      const at::Tensor& scalars) override {
        check(kc::begin_update({.loss = cuda::float_or_null(loss_sum),
                                .norm = float_data(scalars) + step_scalar::gradient_norm,
                                .updates = int_data(updates),
                                .applied = float_data(scalars) + step_scalar::applied,
                                .bias_correction1 = float_data(scalars) + step_scalar::bias_correction1,
                                .bias_correction2 = float_data(scalars) + step_scalar::bias_correction2,
                                .beta1 = rule.beta1,
                                .beta2 = rule.beta2},
                               stream()),
              "begin_update");
    }

    void newton_schulz(const at::Tensor& x_nRC, std::int64_t steps) override {
        const std::int64_t size = x_nRC.size(1) * x_nRC.size(2);
        check(kc::normalise({.x = bf16_data(x_nRC),
                             .square_sums = float_data(
                                 scratch("square sums", x_nRC.size(0) * kc::muon_blocks(size), at::kFloat)),
                             .matrices = x_nRC.size(0),
                             .size = size},
                            stream()),
              "normalise");
        iterate(x_nRC, steps);
    }

    void muon_step(const MuonGroup& group, const MuonRule& rule, const OptimizerTensors& tensors,
                   const at::Tensor& scalars) override {
        const auto matrices = static_cast<std::int64_t>(group.offsets.size());
        const std::int64_t size = group.rows * group.cols;
        const at::Tensor update =
            scratch("muon update", matrices * size, at::kBFloat16).view({matrices, group.rows, group.cols});
        check(kc::muon_prepare({.gradients = float_data(tensors.gradients),
                                .momentum = float_data(tensors.momentum),
                                .offsets = int_data(group.device_offsets),
                                .clip = float_data(scalars) + step_scalar::clip_factor,
                                .applied = float_data(scalars) + step_scalar::applied,
                                .update = bf16_data(update),
                                .square_sums = float_data(
                                    scratch("square sums", matrices * kc::muon_blocks(size), at::kFloat)),
                                .matrices = matrices,
                                .size = size,
                                .mu = static_cast<float>(rule.momentum)},
                               stream()),
              "muon_prepare");
        iterate(update, rule.newton_schulz_steps);
        check(kc::muon_apply({.update = bf16_data(update),
                              .values = float_data(tensors.values),
                              .compute = bf16_data(tensors.compute),
                              .offsets = int_data(group.device_offsets),
                              .learning_rate = float_data(scalars) + step_scalar::learning_rate,
                              .applied = float_data(scalars) + step_scalar::applied,
                              .matrices = matrices,
                              .size = size,
                              .update_scale = static_cast<float>(
                                  0.2 * std::sqrt(static_cast<double>(std::max(group.rows, group.cols)))),
                              .weight_decay = static_cast<float>(rule.weight_decay)},
                             stream()),
              "muon_apply");
    }

    void adamw_step(std::int64_t begin, std::int64_t end, double weight_decay, const AdamwRule& rule,
                    const OptimizerTensors& tensors, const at::Tensor& scalars) override {
        check(kc::adamw({.gradients = float_data(tensors.gradients) + begin,
                         .values = float_data(tensors.values) + begin,
                         .compute = bf16_data(tensors.compute) + begin,
                         .exp_avg = float_data(tensors.momentum) + begin,
                         .exp_avg_sq = float_data(tensors.exp_avg_sq) + (begin - tensors.adamw_begin),
                         .n = end - begin,
                         .learning_rate = float_data(scalars) + step_scalar::learning_rate,
                         .bias_correction1 = float_data(scalars) + step_scalar::bias_correction1,
                         .bias_correction2 = float_data(scalars) + step_scalar::bias_correction2,
                         .clip = float_data(scalars) + step_scalar::clip_factor,
                         .applied = float_data(scalars) + step_scalar::applied,
                         .beta1 = static_cast<float>(rule.beta1),
                         .beta2 = static_cast<float>(rule.beta2),
                         .eps = static_cast<float>(rule.eps),
                         .weight_decay = static_cast<float>(weight_decay)},
                        stream()),
              "adamw");
    }

private:
    template <class Work>
    void for_logits(const at::Tensor& y_ND, const at::Tensor& weight_VD, Work work) {
        const std::int64_t vocab = weight_VD.size(0);
        const std::int64_t rows = y_ND.size(0);
        // Chunks of one size, so that the last does not leave most of the chip idle.
        const std::int64_t stride = (vocab + whole_lines - 1) / whole_lines * whole_lines;
        const std::int64_t most = std::max<std::int64_t>(logits_bytes / (2 * stride), 1);
        const std::int64_t chunks = (rows + most - 1) / most, even = (rows + chunks - 1) / chunks;
        const std::int64_t chunk = std::min(rows, (even + whole_tiles - 1) / whole_tiles * whole_tiles);
        const at::Tensor all =
            scratch("logits", chunk * stride, at::kBFloat16).view({chunk, stride}).narrow(1, 0, vocab);
        for (std::int64_t begin = 0; begin < rows; begin += chunk) {
            const std::int64_t n = std::min(chunk, rows - begin);
            const at::Tensor logits_nV = all.narrow(0, 0, n);
            products_.nt(y_ND.narrow(0, begin, n), weight_VD, logits_nV);
            work(begin, n, logits_nV);
        }
    }

    // Newton-Schulz on normalised matrices; see Ops::newton_schulz.
    void iterate(const at::Tensor& x_nRC, std::int64_t steps) {
        const std::int64_t n = x_nRC.size(0);
        const std::int64_t side = std::min(x_nRC.size(1), x_nRC.size(2));
        const at::Tensor gram = scratch("gram", n * side * side, at::kBFloat16).view({n, side, side});
        const at::Tensor polynomial =
            scratch("polynomial", n * side * side, at::kBFloat16).view({n, side, side});
        const at::Tensor other = scratch("muon next", x_nRC.numel(), at::kBFloat16).view(x_nRC.sizes());
        at::Tensor now = x_nRC;
        at::Tensor next = other;
        for (std::int64_t i = 0; i < steps; ++i) {
            cuda::batched_gram(now, gram);
            polynomial.copy_(gram);
            cuda::batched_square(gram, 2.0315F, polynomial, -4.7750F);
            next.copy_(now);
            cuda::batched_apply(polynomial, now, next, 3.4445F);
            std::swap(now, next);
        }
        if (now.data_ptr() != x_nRC.data_ptr()) x_nRC.copy_(now);
    }

    c10::cuda::CUDAStream recording_stream_;
    cuda::Products products_{scratch()};
    bool deterministic_ = false;
    at::Tensor seed_;  // no dropout: attention kernels ask for random state all the same
};

}  // namespace

std::shared_ptr<Ops> make_cuda_ops(int device, int capability) {
    return std::make_shared<CudaOps>(device, capability);
}

}  // namespace braid
