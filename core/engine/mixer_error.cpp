#include "core/engine/mixer_error.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/engine/documents.h"
#include "core/engine/ops.h"
#include "core/mixers/torch/mixer.h"

namespace braid {
namespace {

constexpr std::int64_t batch = 2, tokens = 500, width = 384;

at::Tensor normal(const std::vector<std::int64_t>& shape, const std::string& stream, double scale) {
    at::Tensor x = at::empty(shape, at::kFloat);
    Random random(1, "check/" + stream);
    for (std::int64_t i = 0; i < x.numel(); ++i)
        x.mutable_data_ptr<float>()[i] = float(scale * random.normal());
    return x;
}

// A parameter near what a run begins with: norms about 1, decays and sinks about their places.
at::Tensor start_of(const VectorRequest& request) {
    const double centre = request.init == Init::ones ? 1
                          : request.init == Init::inverse_softplus_dt
                              ? -4
                              : (request.init == Init::zeros || request.init == Init::fan_in ? 0 : 1);
    return normal({request.size}, request.name, 0.5).add_(centre);
}

struct Passes {
    at::Tensor out, din;
    std::vector<at::Tensor> vectors, matrices;  // gradients
};

Passes run(const Mixer& mixer, Ops& ops, const at::Tensor& in_BTC, const at::Tensor& dout_BTO,
           const at::Tensor& starts_BT) {
    const auto device = at::TensorOptions().device(ops.device());
    MixerParameters parameters;
    const auto add = [&](std::vector<MixerParameter>& to, const at::Tensor& value,
                         const std::vector<std::int64_t>& shape) {
        // Rounded once, so that every device computes with the same numbers.
        const at::Tensor master =
            value.to(at::kBFloat16).to(ops.device()).to(ops.master_type()).view(shape).contiguous();
        to.push_back(
            {.value = master.to(ops.compute_type()), .master = master, .gradient = at::zeros_like(master)});
    };
    for (const VectorRequest& each : mixer.vectors())
        add(parameters.vectors, start_of(each),
            each.cols > 0 ? std::vector<std::int64_t>{each.size / each.cols, each.cols}
                          : std::vector<std::int64_t>{each.size});
    for (const MatrixRequest& each : mixer.matrices())
        add(parameters.matrices, normal({each.rows, each.cols}, each.name, 1 / std::sqrt(double(each.cols))),
            {each.rows, each.cols});
    const at::Tensor in = in_BTC.to(device.dtype(ops.compute_type())).clone();
    const at::Tensor dout = dout_BTO.to(device.dtype(ops.compute_type()));
    Passes passes{.out = at::empty_like(dout), .din = at::empty_like(in), .vectors = {}, .matrices = {}};
    MixerMemory memory = mixer.allocate(ops, batch, tokens);
    memory.documents = documents_of(starts_BT, ops.device());
    mixer.forward(ops, parameters, in, passes.out, memory);
    mixer.backward(ops, parameters, in, passes.out, dout, passes.din, memory);
    const auto host = [](const at::Tensor& x) { return x.to(at::kCPU).to(at::kDouble); };
    passes.out = host(passes.out), passes.din = host(passes.din);
    for (const MixerParameter& each : parameters.vectors) passes.vectors.push_back(host(each.gradient));
    for (const MixerParameter& each : parameters.matrices) passes.matrices.push_back(host(each.gradient));
    return passes;
}

}  // namespace

void measure_mixer_error(const MixerDescription& description, Ops& device,
                         const std::function<void(const MixerCheckResult&)>& receive) {
    const HeadGroup group{.mixer = description.id, .heads = 6, .kv_heads = 2};
    const auto mixer =
        make_mixer(group, {.d_model = width, .head_dim = 64, .ffn_width = 960, .layer = 2, .layers = 10});
    std::int64_t columns = 0;
    for (const ProjectionRequest& each : mixer->projections()) columns += each.rows;
    const auto rounded = [](const at::Tensor& x) { return x.to(at::kBFloat16); };
    const at::Tensor in = rounded(normal({batch, tokens, columns}, "in", 1));
    const at::Tensor dout = rounded(normal({batch, tokens, mixer->output_width()}, "dout", 1));
    // Documents of one token to several chunks; many short ones before a long one.
    at::Tensor starts_BT = at::empty({batch, tokens}, at::kInt);
    std::vector<std::vector<std::int64_t>> begins = {{0, 1, 70, 71, 310}, {}};
    for (std::int64_t first = 0; first < 300; first += 3) begins[1].push_back(first);
    for (std::int64_t b = 0; b < batch; ++b)
        for (const std::int64_t first : begins[std::size_t(b)])
            starts_BT.select(0, b).narrow(0, first, tokens - first).fill_(first);

    const bool bf16 = device.compute_type() == at::kBFloat16;
    const bool softmax = description.softmax;
    for (const at::Tensor& starts : {at::Tensor(), starts_BT}) {
        const Passes exact = run(*mixer, *make_cpu_ops(at::kDouble), in, dout, starts);
        const Passes got = run(*mixer, device, in, dout, starts);
        const auto report = [&](const std::string& what, const at::Tensor& a, const at::Tensor& b,
                                double limit, double terms = 0) {
            const double error =
                (a - b).norm().item().toDouble() / std::max({b.norm().item().toDouble(), terms, 1e-30});
            receive({.mixer = description.id,
                     .pattern = std::string(1, description.letter) + " at S1",
                     .check = "error",
                     .detail = what + (starts.defined() ? " of documents" : "") + ", " + device.name() +
                               (bf16 ? " bf16" : " float32"),
                     .measured = error,
                     .limit = bf16 ? limit : 2e-5,
                     .passed = error <= (bf16 ? limit : 2e-5)});
        };
        report("out", got.out, exact.out, softmax ? 5e-3 : 4e-3);
        std::int64_t first = 0;
        double gates = 0;
        for (const ProjectionRequest& each : mixer->projections()) {
            // A projection of a number a head is a gate.
            const double limit = softmax ? 1e-2 : each.rows <= group.heads ? 2e-2 : 8e-3;
            report("d " + each.name, got.din.narrow(2, first, each.rows),
                   exact.din.narrow(2, first, each.rows), limit);
            if (each.rows <= group.heads)
                gates = std::max(gates, exact.din.narrow(2, first, each.rows).norm().item().toDouble());
            first += each.rows;
        }
        const std::vector<VectorRequest> vectors = mixer->vectors();
        // The gradient of a number a head sums that of its gate over all tokens, with either sign: where the
        // terms cancel, rounding is in proportion to them and not to what is left.
        for (std::size_t i = 0; i < vectors.size(); ++i)
            report("d " + vectors[i].name, got.vectors[i], exact.vectors[i], softmax ? 1e-2 : 2e-2,
                   vectors[i].size <= group.heads ? gates : 0);
        const std::vector<MatrixRequest> matrices = mixer->matrices();
        for (std::size_t i = 0; i < matrices.size(); ++i)
            report("d " + matrices[i].name, got.matrices[i], exact.matrices[i], 8e-3);
    }
}

}  // namespace braid
