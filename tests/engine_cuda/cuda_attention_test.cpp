// Shape letters as in core/mixers/torch/ops.h.
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "tests/engine_cuda/cuda_test.h"

namespace braid {
namespace {

using testing::cuda_ops;
using testing::expect_close;
using testing::relative_rms;
using testing::to_cuda;
using testing::values;

struct Case {
    std::int64_t batch, tokens, heads, kv_heads, head_dim, window;
    bool sink;
    std::vector<std::int64_t> documents = {};  // their tokens, of all sequences one behind the other
    std::int64_t turned = 0;                   // channels of a head that RoPE is taken to have turned
};

Documents documents_of(const Case& c, at::Device device) {
    if (c.documents.empty()) return {};
    std::vector<std::int32_t> starts, bounds = {0};
    Documents documents;
    for (const std::int64_t tokens : c.documents) {
        starts.insert(starts.end(), static_cast<std::size_t>(tokens),
                      static_cast<std::int32_t>(bounds.back() % c.tokens));
        bounds.push_back(bounds.back() + static_cast<std::int32_t>(tokens));
        documents.longest = std::max(documents.longest, tokens);
    }
    documents.starts_BT = at::tensor(starts, at::kInt).view({c.batch, c.tokens}).to(device);
    documents.bounds = at::tensor(bounds, at::kInt).to(device);
    return documents;
}

struct Answer {
    at::Tensor o, lse, dq, dk, dv, dsink;
};

// o in float64, rounded to bfloat16: the same on both devices.
at::Tensor along_o(const Case& c) {
    const std::shared_ptr<Ops> ops = make_cpu_ops(at::kDouble);
    const at::Tensor in = values({c.batch, c.tokens, (c.heads + 2 * c.kv_heads) * c.head_dim}, 1);
    const auto heads_of = [&](std::int64_t first, std::int64_t count) {
        return in.narrow(2, first * c.head_dim, count * c.head_dim)
            .view({c.batch, c.tokens, count, c.head_dim});
    };
    const at::Tensor o = at::zeros({c.batch, c.tokens, c.heads, c.head_dim}, at::kDouble);
    const at::Tensor lse = at::zeros({c.batch, c.heads, c.tokens}, at::kDouble);
    ops->attention({.window = c.window,
                    .scale = 1.0 / std::sqrt(static_cast<double>(c.head_dim)),
                    .documents = documents_of(c, at::kCPU)},
                   heads_of(0, c.heads), heads_of(c.heads, c.kv_heads),
                   heads_of(c.heads + c.kv_heads, c.kv_heads), {}, o, lse);
    return o.to(at::kBFloat16).to(at::kDouble);
}

// `place` brings a float64 CPU tensor to the ops' device and type. The gradient of o has a part along o, as
// the gradient of a loss has: with a purely random one dsink would be a small difference of large sums, and
// its relative error a matter of chance.
template <class Place>
Answer run(Ops& ops, const Case& c, const Place& place) {
    const std::int64_t width = (c.heads + 2 * c.kv_heads) * c.head_dim;
    // q, k and v are column slices of one projection, as in a model.
    const at::Tensor in = place(values({c.batch, c.tokens, width}, 1), ops.compute_type());
    const auto heads_of = [&](const at::Tensor& t, std::int64_t first, std::int64_t count) {
        return t.narrow(2, first * c.head_dim, count * c.head_dim)
            .view({c.batch, c.tokens, count, c.head_dim});
    };
    AttentionRule rule{.window = c.window,
                       .scale = 1.0 / std::sqrt(static_cast<double>(c.head_dim)),
                       .documents = documents_of(c, in.device())};
    if (c.turned > 0) rule.turned = ops.rope_table({.rotary_dim = c.turned}, c.tokens);
    const at::Tensor sink = c.sink ? place(values({c.heads}, 2), ops.compute_type()) : at::Tensor();
    const at::Tensor nan = at::full({1}, std::nan(""), at::kDouble);
    Answer a{.o = place(nan.expand({c.batch, c.tokens, c.heads, c.head_dim}), ops.compute_type()),
             .lse = place(nan.expand({c.batch, c.heads, c.tokens}), ops.statistics_type()),
             .dq = {},
             .dk = {},
             .dv = {},
             .dsink = place(at::zeros({c.heads}, at::kDouble), ops.master_type())};
    const at::Tensor d_in = place(nan.expand({c.batch, c.tokens, width}), ops.compute_type());
    const at::Tensor q = heads_of(in, 0, c.heads);
    const at::Tensor k = heads_of(in, c.heads, c.kv_heads);
    const at::Tensor v = heads_of(in, c.heads + c.kv_heads, c.kv_heads);
    a.dq = heads_of(d_in, 0, c.heads);
    a.dk = heads_of(d_in, c.heads, c.kv_heads);
    a.dv = heads_of(d_in, c.heads + c.kv_heads, c.kv_heads);
    ops.attention(rule, q, k, v, sink, a.o, a.lse);
    const at::Tensor d_out =
        place(values({c.batch, c.tokens, c.heads, c.head_dim}, 3).add(along_o(c)), ops.compute_type());
    ops.attention_backward(rule, d_out, q, k, v, sink, a.o, a.lse, a.dq, a.dk, a.dv, a.dsink);
    return a;
}

// By the kernel of that name; nothing where it cannot.
std::optional<Answer> run_by(const std::string& kernel, const Case& c) {
    std::optional<Answer> answer;
    cuda_ops()->set_attention_kernel(kernel);
    try {
        answer = run(*cuda_ops(), c,
                     [](const at::Tensor& t, at::ScalarType type) { return to_cuda(t.contiguous(), type); });
    } catch (const KernelRefused&) {
    }
    cuda_ops()->set_attention_kernel("auto");
    return answer;
}

TEST(CudaAttention, EveryKernelWithSinkWindowAndGqaAgainstFloat64) {
    BRAID_NEEDS_CUDA();
    std::set<std::string> ran;
    const std::shared_ptr<Ops> reference_ops = make_cpu_ops(at::kDouble);
    for (const Case& c :
         {Case{2, 128, 2, 2, 32, 0, true}, Case{2, 128, 2, 2, 32, 4, true}, Case{2, 63, 6, 2, 64, 0, true},
          Case{1, 75, 6, 2, 64, 16, true}, Case{2, 500, 6, 2, 64, 128, true},
          Case{1, 2048, 6, 2, 64, 0, true}, Case{1, 2048, 6, 2, 64, 512, true},
          Case{1, 1024, 4, 1, 64, 0, false}, Case{1, 1024, 4, 1, 64, 1, true},
          Case{2, 777, 12, 2, 64, 100, true}, Case{1, 901, 10, 2, 64, 0, true},
          Case{1, 70, 16, 2, 64, 0, true}, Case{3, 1, 6, 2, 64, 0, true},
          Case{2, 777, 12, 2, 64, 100, true, {}, 64}, Case{1, 2048, 6, 2, 64, 0, true, {}, 64},
          Case{2, 300, 4, 1, 64, 0, true, {}, 32}}) {
        SCOPED_TRACE(::testing::Message() << "T " << c.tokens << " H " << c.heads << "/" << c.kv_heads
                                          << " K " << c.head_dim << " W " << c.window << " sink " << c.sink);
        std::printf("  T %ld, heads %ld/%ld x %ld, window %ld, sink %d, documents %zu, %ld channels turned\n",
                    c.tokens, c.heads, c.kv_heads, c.head_dim, c.window, c.sink, c.documents.size(),
                    c.turned);
        const Answer reference = run(*reference_ops, c, [](const at::Tensor& t, at::ScalarType type) {
            return t.to(type).clone(at::MemoryFormat::Contiguous);
        });
        for (const std::string& kernel : cuda_ops()->attention_kernels()) {
            SCOPED_TRACE(kernel);
            const std::optional<Answer> got = run_by(kernel, c);
            if (!got) continue;
            std::printf("   %s\n", kernel.c_str());
            ran.insert(kernel);
            expect_close("o", got->o, reference.o, 5e-3);
            expect_close("lse", got->lse, reference.lse, 1e-3);
            expect_close("dq", got->dq, reference.dq, 1e-2);
            expect_close("dk", got->dk, reference.dk, 1e-2);
            expect_close("dv", got->dv, reference.dv, 1e-2);
            if (c.sink) expect_close("dsink", got->dsink, reference.dsink, 1e-2);
        }
    }
    EXPECT_EQ(ran.size(), cuda_ops()->attention_kernels().size()) << "a kernel knows none of the cases";
}

TEST(CudaAttention, AKernelThatCannotIsRefusedWithWhatCan) {
    BRAID_NEEDS_CUDA();
    EXPECT_FALSE(run_by("cudnn", {2, 500, 6, 2, 64, 128, true}));
    cuda_ops()->set_attention_kernel("cudnn");
    try {
        run(*cuda_ops(), {2, 500, 6, 2, 64, 128, true},
            [](const at::Tensor& t, at::ScalarType type) { return to_cuda(t.contiguous(), type); });
        ADD_FAILURE() << "it was not refused";
    } catch (const KernelRefused& refused) {
        EXPECT_NE(std::string(refused.what()).find("flash, reference; got cudnn"), std::string::npos)
            << refused.what();
    }
    cuda_ops()->set_attention_kernel("auto");
}

// At most twice the error of plain bfloat16 torch: matmul, softmax with the sink as a column, matmul.
TEST(CudaAttention, NoWorseThanTwicePlainBfloat16) {
    BRAID_NEEDS_CUDA();
    const Case c{1, 1024, 2, 2, 64, 0, true};
    const std::shared_ptr<Ops> reference_ops = make_cpu_ops(at::kDouble);
    const Answer reference = run(*reference_ops, c, [](const at::Tensor& t, at::ScalarType type) {
        return t.to(type).clone(at::MemoryFormat::Contiguous);
    });
    const Answer got = run(*cuda_ops(), c, [](const at::Tensor& t, at::ScalarType type) {
        return to_cuda(t.contiguous(), type);
    });
    const at::Tensor in =
        to_cuda(values({1, 1024, 6 * 64}, 1), at::kBFloat16).view({1, 1024, 6, 64}).transpose(1, 2);
    const at::Tensor q = in.narrow(1, 0, 2);
    const at::Tensor k = in.narrow(1, 2, 2);
    const at::Tensor v = in.narrow(1, 4, 2);
    const at::Tensor future = at::full({1024, 1024}, -INFINITY, q.options()).triu(1);
    const at::Tensor scores = q.matmul(k.transpose(2, 3)).mul(0.125).add(future);
    const at::Tensor sink = to_cuda(values({2}, 2), at::kBFloat16).view({1, 2, 1, 1}).expand({1, 2, 1024, 1});
    const at::Tensor p = at::softmax(at::cat({scores, sink}, 3), 3).narrow(3, 0, 1024);
    const double plain = relative_rms(p.matmul(v).transpose(1, 2), reference.o);
    const double ours = relative_rms(got.o, reference.o);
    std::printf("    o: ours %.2e, plain bfloat16 %.2e, ratio %.2f\n", ours, plain, ours / plain);
    EXPECT_LT(ours, 2 * plain);
}

}  // namespace
}  // namespace braid
