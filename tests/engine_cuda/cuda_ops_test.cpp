#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "core/spec/training.h"
#include "tests/engine_cuda/cuda_test.h"

namespace braid {
namespace {

using testing::cuda_ops;
using testing::expect_close;
using testing::indices;
using testing::to_cuda;
using testing::values;

class CudaOps : public ::testing::Test {
protected:
    void SetUp() override { BRAID_NEEDS_CUDA(); }

    // Poisoned, so that an element which is not written shows.
    static at::Tensor out(std::vector<std::int64_t> shape, at::ScalarType type) {
        return at::full(shape, std::nan(""), at::dtype(type).device(cuda_ops()->device()));
    }
    static at::Tensor reference_out(std::vector<std::int64_t> shape) {
        return at::full(shape, std::nan(""), at::kDouble);
    }
    std::shared_ptr<Ops> reference_ = make_cpu_ops(at::kDouble);
};

// Without its name among the choices a kernel could not be asked for.
TEST_F(CudaOps, KernelsAreChoicesOfTheirSettings) {
    const auto expect_choices = [](const char* key, const std::vector<std::string>& kernels) {
        for (const ParameterDescription& setting : training_parameters()) {
            if (setting.key != key) continue;
            EXPECT_THAT(kernels, ::testing::IsSubsetOf(setting.choices));
        }
        EXPECT_GE(kernels.size(), 2U) << key;
    };
    expect_choices("kernels.attention", cuda_ops()->attention_kernels());
    expect_choices("kernels.recurrence", cuda_ops()->recurrence_kernels());
}

TEST_F(CudaOps, RmsNorm) {
    for (const std::int64_t width : {64, 384, 1280}) {
        const std::int64_t rows = 333;
        const at::Tensor x = values({rows, width}, 1);
        const at::Tensor w = values({width}, 2);
        const at::Tensor dy = values({rows, width}, 3);
        const at::Tensor dx0 = values({rows, width}, 4);
        const at::Tensor dw0 = values({width}, 5);

        const at::Tensor y_ref = reference_out({rows, width});
        const at::Tensor rstd_ref = reference_out({rows});
        reference_->rms_norm(x, w, 1e-6, y_ref, rstd_ref);
        const at::Tensor dx_ref = dx0.clone();
        const at::Tensor dw_ref = dw0.clone();
        reference_->rms_norm_backward(dy, x, w, rstd_ref, dx_ref, dw_ref, {});

        const at::Tensor y = out({rows, width}, at::kBFloat16);
        const at::Tensor rstd = out({rows}, at::kFloat);
        const at::Tensor x_cuda = to_cuda(x, at::kFloat);
        const at::Tensor w_cuda = to_cuda(w, at::kFloat);
        cuda_ops()->rms_norm(x_cuda, w_cuda, 1e-6, y, rstd);
        const at::Tensor dx = to_cuda(dx0, at::kFloat);
        const at::Tensor dw = to_cuda(dw0, at::kFloat);
        const at::Tensor rounded = out({rows, width}, at::kBFloat16);
        cuda_ops()->rms_norm_backward(to_cuda(dy, at::kBFloat16), x_cuda, w_cuda, rstd, dx, dw, rounded);
        const std::string name = "rms_norm " + std::to_string(width);
        expect_close(name, y, y_ref, 4e-3);
        expect_close(name + " rstd", rstd, rstd_ref, 1e-5);
        expect_close(name + " dx", dx, dx_ref, 1e-4);
        expect_close(name + " dx, rounded", rounded, dx_ref, 4e-3);
        expect_close(name + " dweight", dw, dw_ref, 1e-4);
    }
}

// Widths that are no multiple of 8 take in what lies between the rows, which is no number at first.
TEST_F(CudaOps, LinearOfRowsThatLieApart) {
    const std::int64_t rows = 2500;
    for (const auto& [in, width] : {std::pair{384, 740}, std::pair{276, 384}, std::pair{91, 45}}) {
        const auto apart = [&](std::int64_t cols) {
            const at::Tensor whole = at::full({rows, (cols + 7) / 8 * 8}, NAN,
                                              at::dtype(at::kBFloat16).device(cuda_ops()->device()));
            return whole.narrow(1, 0, cols);
        };
        const auto to_apart = [&](const at::Tensor& x) {
            const at::Tensor y = apart(x.size(1));
            y.copy_(x);
            return y;
        };
        const at::Tensor x = values({rows, in}, 1), w = values({width, in}, 2, 0.05);
        const at::Tensor dy = values({rows, width}, 3), residual = values({rows, width}, 4);
        const at::Tensor y_ref = reference_out({rows, width}), sum_ref = reference_out({rows, width});
        const at::Tensor dx_ref = reference_out({rows, in}), dw_ref = at::zeros({width, in}, at::kDouble);
        reference_->linear(x, w, y_ref);
        reference_->linear_add(x, w, residual, sum_ref);
        reference_->linear_backward_input(dy, w, dx_ref);
        reference_->linear_backward_weight(dy, x, dw_ref);

        const at::Tensor x_cuda = to_apart(x), dy_cuda = to_apart(dy), w_cuda = to_cuda(w, at::kBFloat16);
        const at::Tensor y = apart(width), dx = apart(in), sum = out({rows, width}, at::kFloat);
        const at::Tensor dw = to_cuda(at::zeros({width, in}, at::kDouble), at::kFloat);
        cuda_ops()->linear(x_cuda, w_cuda, y);
        cuda_ops()->linear_add(x_cuda, w_cuda, to_cuda(residual, at::kFloat), sum);
        cuda_ops()->linear_backward_input(dy_cuda, w_cuda, dx);
        cuda_ops()->linear_backward_weight(dy_cuda, x_cuda, dw);
        const std::string name = "linear " + std::to_string(in) + " -> " + std::to_string(width);
        expect_close(name, y, y_ref, 4e-3);
        expect_close(name + " + residual", sum, sum_ref, 1e-5);
        expect_close(name + " dx", dx, dx_ref, 4e-3);
        expect_close(name + " dweight", dw, dw_ref, 1e-5);
    }
}

TEST_F(CudaOps, LinearAndItsGradients) {
    const std::int64_t rows = 500;
    const std::int64_t in = 384;
    const std::int64_t width = 640;
    const at::Tensor x = values({rows, in}, 1);
    const at::Tensor w = values({width, in}, 2, 0.05);
    const at::Tensor dy = values({rows, width}, 3);
    const at::Tensor residual = values({rows, width}, 4);
    const at::Tensor dw0 = values({width, in}, 5);

    const at::Tensor y = out({rows, width}, at::kBFloat16);
    const at::Tensor sum = out({rows, width}, at::kFloat);
    const at::Tensor dx = out({rows, in}, at::kBFloat16);
    const at::Tensor dw = to_cuda(dw0, at::kFloat);
    cuda_ops()->linear(to_cuda(x, at::kBFloat16), to_cuda(w, at::kBFloat16), y);
    cuda_ops()->linear_add(to_cuda(x, at::kBFloat16), to_cuda(w, at::kBFloat16),
                           to_cuda(residual, at::kFloat), sum);
    cuda_ops()->linear_backward_input(to_cuda(dy, at::kBFloat16), to_cuda(w, at::kBFloat16), dx);
    cuda_ops()->linear_backward_weight(to_cuda(dy, at::kBFloat16), to_cuda(x, at::kBFloat16), dw);
    expect_close("linear", y, x.matmul(w.t()), 4e-3);
    expect_close("linear_add", sum, residual.add(x.matmul(w.t())), 1e-5);
    expect_close("linear dx", dx, dy.matmul(w), 4e-3);
    expect_close("linear dweight", dw, dw0.add(dy.t().matmul(x)), 1e-5);
}

// Large products that come again: before their kernels are timed, while they are, and after.
TEST_F(CudaOps, LargeProductsStayTheSameProducts) {
    constexpr std::int64_t rows = 16'384, in = 384, wide = 640;
    const at::Tensor x = values({rows, in}, 1), w = values({wide, in}, 2, 0.05), dy = values({rows, wide}, 3);
    const at::Tensor residual = values({rows, wide}, 4);
    const at::Tensor product = x.matmul(w.t()), dx_ref = dy.matmul(w), dw_ref = dy.t().matmul(x);
    const at::Tensor x_cuda = to_cuda(x, at::kBFloat16), w_cuda = to_cuda(w, at::kBFloat16);
    const at::Tensor dy_cuda = to_cuda(dy, at::kBFloat16), residual_cuda = to_cuda(residual, at::kFloat);
    const at::Tensor dw = to_cuda(at::zeros({wide, in}, at::kDouble), at::kFloat),
                     in_place = residual_cuda.clone();
    for (int use = 1; use <= 6; ++use) {
        const std::string name = "use " + std::to_string(use);
        const at::Tensor y = out({rows, wide}, at::kBFloat16), sum = out({rows, wide}, at::kFloat);
        const at::Tensor dx = out({rows, in}, at::kBFloat16);
        cuda_ops()->linear(x_cuda, w_cuda, y);
        cuda_ops()->linear_add(x_cuda, w_cuda, residual_cuda, sum);
        cuda_ops()->linear_add(x_cuda, w_cuda, in_place, in_place);
        cuda_ops()->linear_backward_input(dy_cuda, w_cuda, dx);
        cuda_ops()->linear_backward_weight(dy_cuda, x_cuda, dw);
        expect_close(name + " y", y, product, 3e-3);
        expect_close(name + " sum", sum, residual + product, 1e-5);
        expect_close(name + " sum in place", in_place, residual + product * use, 1e-5);
        expect_close(name + " dx", dx, dx_ref, 3e-3);
        expect_close(name + " dw", dw, dw_ref * use, 1e-5);
    }
}

TEST_F(CudaOps, RopeAndItsInverse) {
    const at::Tensor qkv = values({2, 75, 3 * 64 + 64}, 1);  // a column slice of a wider row
    const auto slice = [](const at::Tensor& t) { return t.narrow(2, 64, 128).view({2, 75, 2, 64}); };
    const at::Tensor expected = qkv.clone();
    reference_->rope(slice(expected), reference_->rope_table({.base = 1e5, .rotary_dim = 64}, 75), false);
    const at::Tensor got = to_cuda(qkv, at::kBFloat16);
    const RopeTable& table = cuda_ops()->rope_table({.base = 1e5, .rotary_dim = 64}, 75);
    cuda_ops()->rope(slice(got), table, false);
    expect_close("rope", got, expected, 4e-3);
    cuda_ops()->rope(slice(got), table, true);
    expect_close("rope, then its inverse", got, qkv, 6e-3);
}

TEST_F(CudaOps, Swiglu) {
    const at::Tensor gate_up = values({501, 2 * 160}, 1, 2.0);
    const at::Tensor dh = values({501, 160}, 2);
    const at::Tensor h_ref = reference_out({501, 160});
    const at::Tensor d_ref = reference_out({501, 320});
    reference_->swiglu(gate_up, h_ref);
    const at::Tensor again = reference_out({501, 160});
    reference_->swiglu_backward(gate_up, dh, d_ref, again);
    const at::Tensor h = out({501, 160}, at::kBFloat16);
    const at::Tensor d = out({501, 320}, at::kBFloat16);
    const at::Tensor h2 = out({501, 160}, at::kBFloat16);
    cuda_ops()->swiglu(to_cuda(gate_up, at::kBFloat16), h);
    cuda_ops()->swiglu_backward(to_cuda(gate_up, at::kBFloat16), to_cuda(dh, at::kBFloat16), d, h2);
    expect_close("swiglu", h, h_ref, 4e-3);
    expect_close("swiglu, h again", h2, h_ref, 4e-3);
    expect_close("swiglu dgate_up", d, d_ref, 4e-3);
}

TEST_F(CudaOps, EmbeddingGradientOfRareAndFrequentTokens) {
    for (const std::int64_t vocab : {3, 64, 5000}) {  // runs over many tiles, over few, within one
        const std::int64_t rows = 4097;
        const at::Tensor w = values({vocab, 96}, 1);
        const at::Tensor tokens = indices({rows}, vocab, 2);
        const at::Tensor dx = values({rows, 96}, 3);
        const at::Tensor x_ref = reference_out({rows, 96});
        reference_->embedding(w, tokens, x_ref);
        const at::Tensor dw0 = values({vocab, 96}, 4);
        const at::Tensor dw_ref = dw0.clone();
        reference_->embedding_backward(tokens, dx, dw_ref);
        const at::Tensor x = out({rows, 96}, at::kFloat);
        cuda_ops()->embedding(to_cuda(w, at::kBFloat16), to_cuda(tokens, at::kLong), x);
        const at::Tensor dw = to_cuda(dw0, at::kFloat);
        cuda_ops()->embedding_backward(to_cuda(tokens, at::kLong), to_cuda(dx, at::kFloat), dw);
        const at::Tensor twice = to_cuda(dw0, at::kFloat);
        cuda_ops()->embedding_backward(to_cuda(tokens, at::kLong), to_cuda(dx, at::kFloat), twice);
        const std::string name = "embedding of " + std::to_string(vocab);
        expect_close(name, x, x_ref, 1e-6);
        expect_close(name + " dweight", dw, dw_ref, 1e-5);
        EXPECT_TRUE(dw.equal(twice)) << "equal inputs give equal bits";
    }
}

TEST_F(CudaOps, HeadLossInSeveralChunks) {
    // Rows that blocks of three sizes hold in registers, and too long for that, some ending within 16 bytes;
    // 73,448 x 9,300 logits need two chunks.
    for (const std::int64_t vocab : {258, 1001, 32000, 50257, 73448, 80003}) {
        const std::int64_t rows = vocab == 73448 ? 9300 : vocab > 1000 ? 200 : 777;
        const std::int64_t width = 64;
        const at::Tensor y = values({rows, width}, 1);
        const at::Tensor w = values({vocab, width}, 2, 0.2);
        const at::Tensor targets = indices({rows}, vocab, 3);
        targets.narrow(0, 5, 7).fill_(-1);
        const double scale = 1.0 / static_cast<double>(rows);
        const at::Tensor loss_ref = at::zeros({}, at::kDouble);
        const at::Tensor dy_ref = reference_out({rows, width});
        const at::Tensor dw_ref = at::zeros({vocab, width}, at::kDouble);
        reference_->head_loss(y, w, targets, at::Tensor(), scale, loss_ref, dy_ref, dw_ref);
        const at::Tensor loss = to_cuda(at::zeros({}, at::kDouble), at::kFloat);
        const at::Tensor dy = out({rows, width}, at::kBFloat16);
        const at::Tensor dw = to_cuda(at::zeros({vocab, width}, at::kDouble), at::kFloat);
        const at::Tensor y_cuda = to_cuda(y, at::kBFloat16);
        const at::Tensor w_cuda = to_cuda(w, at::kBFloat16);
        const at::Tensor targets_cuda = to_cuda(targets, at::kLong);
        cuda_ops()->head_loss(y_cuda, w_cuda, targets_cuda, at::Tensor(), scale, loss, dy, dw);
        const std::string name = "head loss, V " + std::to_string(vocab);
        expect_close(name, loss, loss_ref, 1e-3);
        expect_close(name + " dy", dy, dy_ref, 1e-2);
        expect_close(name + " dweight", dw, dw_ref, 1e-2);

        const at::Tensor row_ref = reference_out({rows});
        const at::Tensor top_ref = at::zeros({rows}, at::kLong);
        reference_->head_evaluate(y, w, targets, row_ref, top_ref);
        const at::Tensor row = out({rows}, at::kFloat);
        const at::Tensor top = to_cuda(at::full({rows}, -1, at::kLong), at::kLong);
        cuda_ops()->head_evaluate(y_cuda, w_cuda, targets_cuda, row, top);
        expect_close(name + " by row", row, row_ref, 4e-3);
        const double agree = top.to(at::kCPU).eq(top_ref).to(at::kDouble).mean().item<double>();
        std::printf("    %-44s %.4f of rows\n", (name + " same top token").c_str(), agree);
        EXPECT_GT(agree, 0.97);  // logits are rounded to bfloat16, near ties may change places
    }
}

// Threads of a row see few logits each, of a small vocabulary none or one.
TEST_F(CudaOps, ALogitThatIsNoNumberIsNoLoss) {
    for (const std::int64_t vocab : {5, 97, 520, 4'096}) {
        const at::Tensor y = values({3, 16}, 1), weight = values({vocab, 16}, 2, 0.1);
        const at::Tensor wrong = weight.clone();
        wrong[vocab / 2].fill_(NAN);
        const at::Tensor targets = at::zeros({3}, at::kLong);
        const auto losses = [&](const at::Tensor& weight_VD) {
            const at::Tensor loss = out({3}, at::kFloat), top = to_cuda(targets, at::kLong);
            cuda_ops()->head_evaluate(to_cuda(y, at::kBFloat16), to_cuda(weight_VD, at::kBFloat16),
                                      to_cuda(targets, at::kLong), loss, top);
            return loss.to(at::kCPU);
        };
        EXPECT_TRUE(losses(weight).isfinite().all().item<bool>()) << vocab;
        EXPECT_TRUE(losses(wrong).isnan().all().item<bool>()) << vocab;
    }
}

TEST_F(CudaOps, NewtonSchulzMakesSingularValuesNearOne) {
    for (const auto& [rows, cols] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{64, 64}, {160, 64}, {64, 160}, {384, 960}}) {
        const at::Tensor x = values({3, rows, cols}, 1);
        const at::Tensor expected = x.clone();
        reference_->newton_schulz(expected, 5);
        const at::Tensor got = to_cuda(x, at::kBFloat16);
        cuda_ops()->newton_schulz(got, 5);
        expect_close("newton_schulz " + std::to_string(rows) + "x" + std::to_string(cols), got, expected,
                     5e-2);
    }
}

TEST_F(CudaOps, ClipMuonAndAdamw) {
    const std::int64_t rows = 96;
    const std::int64_t cols = 64;
    const std::int64_t size = rows * cols;
    const std::int64_t total = 2 * size + 64 + 1000;
    const at::Tensor p = values({total}, 1);
    const at::Tensor g = values({total}, 2);
    const at::Tensor m = values({total}, 3, 0.1);
    const at::Tensor v = values({1000}, 4, 0.1).abs();
    const auto run = [&](Ops& ops, const auto& place, at::ScalarType master) {
        const MuonGroup group{.rows = rows,
                              .cols = cols,
                              .offsets = {0, size + 64},
                              .device_offsets = place(at::arange(0, 2, at::kLong).mul(size + 64), at::kLong)};
        const OptimizerTensors tensors{.values = place(p, master),
                                       .gradients = place(g, master),
                                       .compute = place(p, ops.compute_type()),
                                       .momentum = place(m, master),
                                       .exp_avg_sq = place(v, master),
                                       .adamw_begin = 2 * size + 64};
        OptimizerTensors used = tensors;
        if (ops.compute_type() == master) used.compute = used.values;
        const at::Tensor scalars = place(at::zeros({step_scalar::count}, at::kDouble), master);
        scalars[step_scalar::learning_rate] = 3e-3;
        scalars[step_scalar::bias_correction1] = 0.19;
        scalars[step_scalar::bias_correction2] = 0.0975;
        ops.gradient_norm_and_clip(used.gradients, 1.0, scalars);
        ops.muon_step(group, {}, used, scalars);
        ops.adamw_step(used.adamw_begin, total, 0.1, {}, used, scalars);
        return std::make_pair(used, scalars);
    };
    const auto [reference, reference_scalars] = run(
        *reference_, [](const at::Tensor& t, at::ScalarType type) { return t.to(type).clone(); },
        at::kDouble);
    const auto [got, scalars] = run(
        *cuda_ops(), [](const at::Tensor& t, at::ScalarType type) { return to_cuda(t, type); }, at::kFloat);
    expect_close("gradient norm and clip factor", scalars, reference_scalars, 1e-5);
    expect_close("change of the values", got.values.to(at::kCPU).to(at::kDouble).sub(p),
                 reference.values.sub(p), 5e-2);
    expect_close("momentum", got.momentum, reference.momentum, 1e-5);
    expect_close("exp_avg_sq", got.exp_avg_sq, reference.exp_avg_sq, 1e-5);
    expect_close("compute copy", got.compute.narrow(0, 0, size), reference.values.narrow(0, 0, size), 4e-3);
}

}  // namespace
}  // namespace braid
