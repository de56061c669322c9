// Shape letters: core/mixers/torch/ops.h; C and O columns of a layer's input and output projection.
#include "core/engine/model.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "core/engine/activations.h"
#include "core/engine/documents.h"
#include "core/engine/guard.h"
#include "core/engine/layer_weights.h"
#include "core/mixers/builtin.h"

namespace braid {
namespace {

// The first parameter that the layouts do not have in common, in words; empty: they are the same.
std::string difference(const ParameterLayout& now, const ParameterLayout& then) {
    const auto text = [](const Parameter& parameter) {
        std::string sizes = parameter.name + " [";
        for (std::size_t i = 0; i < parameter.shape.size(); ++i)
            sizes.append(i == 0 ? "" : ", ").append(std::to_string(parameter.shape[i]));
        return sizes + "]";
    };
    const std::size_t both = std::min(now.parameters.size(), then.parameters.size());
    for (std::size_t i = 0; i < both; ++i) {
        const Parameter &a = now.parameters[i], &b = then.parameters[i];
        if (a.name != b.name || a.shape != b.shape || a.offset != b.offset)
            return text(b) + " in place of " + text(a);
    }
    if (now.parameters.size() == then.parameters.size()) return {};
    return now.parameters.size() > both ? "no " + text(now.parameters[both]) : text(then.parameters[both]);
}

}  // namespace

struct Model::Parts {
    ArchitectureSpec spec;
    double norm_eps = 0;
    std::shared_ptr<Ops> ops;
    LayerMixers mixers;
    std::unique_ptr<ParameterStore> store;
    std::vector<LayerWeights> layers;
    at::Tensor embedding_VD, dembedding_VD, head_VD, dhead_VD, norm_D, dnorm_D;
    at::Tensor loss_sum;
    std::optional<Activations> training, evaluation;
    std::int64_t activation_limit = 0;

    void require_gradients() const {
        if (!store->gradients().defined()) throw std::logic_error("the model was opened only for reading");
    }

    Activations& activations(std::optional<Activations>& slot, const at::Tensor& tokens_BT, bool keep,
                             const at::Tensor& starts_BT = {}) {
        const std::int64_t batch = tokens_BT.size(0), tokens = tokens_BT.size(1);
        if (!slot || slot->batch != batch || slot->tokens != tokens) {
            slot.reset();  // before the next set is allocated
            slot = keep
                       ? allocate_training(*ops, store->layout(), mixers, spec.layers, batch, tokens, limit())
                       : allocate_forward(*ops, store->layout(), mixers, batch, tokens);
        }
        slot->tokens_N.copy_(tokens_BT.reshape({-1}));
        slot->documents = documents_of(starts_BT, ops->device());
        return *slot;
    }

    std::int64_t limit() const {
        if (activation_limit > 0) return activation_limit;
        const std::int64_t free = ops->free_memory();
        return free > 0 ? free / 4 * 3 : no_limit;
    }

    // f(layer, first head of the group, heads, gradient of its query projection [R, D])
    template <class F>
    void for_query_projections(F&& f) const {
        for (std::size_t l = 0; l < mixers.size(); ++l) {
            std::int64_t row = 0, head = 0;
            for (std::size_t g = 0; g < mixers[l].size(); ++g) {
                const std::int64_t heads = spec.layers[l].groups[g].heads;
                for (const ProjectionRequest& request : mixers[l][g]->projections()) {
                    if (request.name == "q_proj")
                        f(std::int64_t(l), head, heads, layers[l].din_CD.narrow(0, row, request.rows));
                    row += request.rows;
                }
                head += heads;
            }
        }
    }

    // x of the layer to that of its FFN.
    void mix(Activations& a, std::size_t l, const ForwardTaps* taps = nullptr) {
        LayerActivations& layer = a.layers[l];
        const LayerWeights& w = layers[l];
        ops->rms_norm(layer.x_ND, w.norm_D, norm_eps, layer.y_ND, layer.rstd_N);
        ops->linear(layer.y_ND, w.in_CD, layer.in_NC);
        for_groups(mixers[l], [&](std::size_t g, auto in, auto in_width, auto out, auto out_width) {
            layer.mixers[g].documents = a.documents;
            const at::Tensor in_BTC = columns(a, layer.in_NC, in, in_width);
            const at::Tensor out_BTC = columns(a, layer.out_NO, out, out_width);
            const auto mix = [&] {
                mixers[l][g]->forward(*ops, w.mixers[g], in_BTC, out_BTC, layer.mixers[g]);
            };
            if (taps == nullptr) return mix();
            const GroupTap tap{.layer = std::int64_t(l),
                               .group = std::int64_t(g),
                               .ops = *ops,
                               .mixer = *mixers[l][g],
                               .parameters = w.mixers[g],
                               .in_BTC = in_BTC,
                               .out_BTC = out_BTC,
                               .memory = layer.mixers[g]};
            if (!taps->mix || !taps->mix(tap)) mix();
            if (taps->mixed) taps->mixed(tap);
        });
        ops->linear_add(layer.out_NO, w.out_DO, layer.x_ND, layer.ffn.x_ND);
    }

    // What the layer has not kept since forward().
    void compute_again(Activations& a, std::size_t l) {
        LayerActivations& layer = a.layers[l];
        const LayerWeights& w = layers[l];
        if (layer.kept == Kept::input) {
            mix(a, l);
            ops->rms_norm(layer.ffn.x_ND, w.ffn.norm_D, norm_eps, layer.ffn.y_ND, layer.ffn.rstd_N);
        }
        if (layer.kept >= Kept::all_but_ffn) ops->ffn_again(w.ffn, layer.ffn);
    }

    void forward(Activations& a, const ForwardTaps* taps = nullptr) {
        ops->embedding(embedding_VD, a.tokens_N, a.layers.empty() ? a.last_ND : a.layers[0].x_ND);
        for (std::size_t l = 0; l < layers.size(); ++l) {
            LayerActivations& layer = a.layers[l];
            mix(a, l, taps);
            const auto added = [&](Component component, const at::Tensor& before, const at::Tensor& after) {
                if (taps == nullptr || !taps->added) return;
                taps->added(std::int64_t(l), component, columns(a, before, 0, before.size(1)),
                            columns(a, after, 0, after.size(1)));
            };
            added(Component::mixer, layer.x_ND, layer.ffn.x_ND);
            ops->ffn(layers[l].ffn, norm_eps, layer.ffn, layer.next_ND);
            added(Component::ffn, layer.ffn.x_ND, layer.next_ND);
        }
        ops->rms_norm(a.last_ND, norm_D, norm_eps, a.y_ND, a.rstd_N);
    }

    // From the gradient of the final norm's output, in a.dy_ND.
    void backward(Activations& a, const StageDone& stage_done = {}) {
        const auto done = [&](std::size_t stage) {
            if (stage_done) stage_done(static_cast<std::int64_t>(stage));
        };
        a.dx_ND.zero_();
        ops->rms_norm_backward(a.dy_ND, a.last_ND, norm_D, a.rstd_N, a.dx_ND, dnorm_D, a.rounded_dx_ND);
        const at::Tensor dx_ND = a.rounded_dx_ND.defined() ? a.rounded_dx_ND : a.dx_ND;
        done(0);
        for (std::size_t l = layers.size(); l-- > 0;) {
            LayerActivations& layer = a.layers[l];
            const LayerWeights& w = layers[l];
            compute_again(a, l);
            ops->ffn_backward(w.ffn, layer.ffn, a.dx_ND, layer.dffn, w.dffn);
            ops->linear_backward_input(dx_ND, w.out_DO, layer.dout_NO);
            ops->linear_backward_weight(dx_ND, layer.out_NO, w.dout_DO);
            for_groups(mixers[l], [&](std::size_t g, auto in, auto in_width, auto out, auto out_width) {
                mixers[l][g]->backward(*ops, w.mixers[g], columns(a, layer.in_NC, in, in_width),
                                       columns(a, layer.out_NO, out, out_width),
                                       columns(a, layer.dout_NO, out, out_width),
                                       columns(a, layer.din_NC, in, in_width), layer.mixers[g]);
            });
            ops->linear_backward_input(layer.din_NC, w.in_CD, a.dy_ND);
            ops->linear_backward_weight(layer.din_NC, layer.y_ND, w.din_CD);
            ops->rms_norm_backward(a.dy_ND, layer.x_ND, w.norm_D, layer.rstd_N, a.dx_ND, w.dnorm_D,
                                   a.rounded_dx_ND);
            done(layers.size() - l);
        }
        ops->embedding_backward(a.tokens_N, a.dx_ND, dembedding_VD);
        done(layers.size() + 1);
    }

    static at::Tensor columns(const Activations& a, const at::Tensor& x_NC, std::int64_t first,
                              std::int64_t count) {
        return x_NC.view({a.batch, a.tokens, x_NC.size(1)}).narrow(2, first, count);
    }
};

Model::Model(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Model::~Model() = default;

Result<std::unique_ptr<Model>> Model::create(const ArchitectureSpec& spec, std::shared_ptr<Ops> ops,
                                             bool trainable) {
    return guarded("model", [&]() -> Result<std::unique_ptr<Model>> {
        auto parts = std::make_unique<Parts>();
        parts->spec = spec;
        parts->norm_eps = braid::norm_eps(spec);
        parts->ops = std::move(ops);
        Result<LayerMixers> mixers = make_mixers(spec);
        if (!mixers) return fail(std::move(mixers.error()));
        parts->mixers = std::move(*mixers);
        parts->store =
            std::make_unique<ParameterStore>(make_layout(spec, parts->mixers), *parts->ops, trainable);
        const ParameterStore& store = *parts->store;
        const ParameterLayout& layout = store.layout();
        for (const LayerParameters& layer : layout.layers) parts->layers.push_back(weights_of(store, layer));
        parts->embedding_VD = store.compute_view(layout.embedding);
        parts->dembedding_VD = store.gradient_view(layout.embedding);
        parts->head_VD = store.compute_view(layout.head);
        parts->dhead_VD = store.gradient_view(layout.head);
        parts->norm_D = store.value_view(layout.final_norm);
        parts->dnorm_D = store.gradient_view(layout.final_norm);
        parts->loss_sum = at::zeros(
            {}, at::TensorOptions().dtype(parts->ops->statistics_type()).device(parts->ops->device()));
        return std::unique_ptr<Model>(new Model(std::move(parts)));
    });
}

const ArchitectureSpec& Model::spec() const { return parts_->spec; }
Ops& Model::ops() const { return *parts_->ops; }
const LayerMixers& Model::mixers() const { return parts_->mixers; }
ParameterStore& Model::parameters() { return *parts_->store; }
const ParameterStore& Model::parameters() const { return *parts_->store; }
const at::Tensor& Model::loss_sum() const { return parts_->loss_sum; }

void Model::limit_activations(std::int64_t bytes) {
    if (bytes != parts_->activation_limit) parts_->training.reset();
    parts_->activation_limit = bytes;
}

const ActivationPlan* Model::activation_plan() const {
    return parts_->training ? &parts_->training->plan : nullptr;
}

void Model::zero_gradients() {
    parts_->store->zero_gradients();
    parts_->loss_sum.zero_();
}

Result<void> Model::check_layers(const ArchitectureSpec& spec, const std::string& path) const {
    const Result<LayerMixers> mixers = make_mixers(spec);
    if (!mixers) return fail(mixers.error());
    const std::string other = difference(parts_->store->layout(), make_layout(spec, *mixers));
    if (other.empty()) return {};
    return fail(to_error(
        {{.path = path, .rule = "must keep the parameters of the model as they are", .found = other}}));
}

Result<void> Model::change_layers(const ArchitectureSpec& spec) {
    return guarded("model", [&]() -> Result<void> {
        Result<LayerMixers> mixers = make_mixers(spec);
        if (!mixers) return fail(std::move(mixers.error()));
        if (Result<void> same = check_layers(spec, "layers"); !same) return same;
        parts_->training.reset();
        parts_->evaluation.reset();
        parts_->spec = spec;
        parts_->mixers = std::move(*mixers);
        return {};
    });
}

std::vector<Model::HeadPlace> Model::query_heads() const {
    std::vector<HeadPlace> places;
    parts_->for_query_projections(
        [&](std::int64_t layer, std::int64_t first, std::int64_t heads, const at::Tensor&) {
            for (std::int64_t h = 0; h < heads; ++h) places.push_back({.layer = layer, .head = first + h});
        });
    return places;
}

at::Tensor Model::head_gradient_norms() const {
    parts_->require_gradients();
    std::vector<at::Tensor> norms;
    parts_->for_query_projections([&](std::int64_t, std::int64_t, std::int64_t heads,
                                      const at::Tensor& gradient_RD) {
        norms.push_back(at::linalg_vector_norm(gradient_RD.reshape({heads, -1}), 2, at::IntArrayRef({1})));
    });
    if (norms.empty()) return at::zeros({0}, parts_->store->gradients().options());
    return at::cat(norms);
}

void Model::forward_backward(const at::Tensor& tokens_BT, const at::Tensor& targets_BT, double scale,
                             const at::Tensor& weights_BT, const at::Tensor& starts_BT,
                             const StageDone& stage_done) {
    Parts& p = *parts_;
    p.require_gradients();
    Activations& a = p.activations(p.training, tokens_BT, true, starts_BT);
    a.targets_N.copy_(targets_BT.reshape({-1}));
    p.forward(a);
    const at::Tensor weights_N = weights_BT.defined() ? weights_BT.reshape({-1}).contiguous() : at::Tensor();
    p.ops->head_loss(a.y_ND, p.head_VD, a.targets_N, weights_N, scale, p.loss_sum, a.dy_ND, p.dhead_VD);
    p.backward(a, stage_done);
}

Model::Evaluation Model::evaluate(const at::Tensor& tokens_BT, const at::Tensor& targets_BT,
                                  const at::Tensor& starts_BT, const ForwardTaps* taps) {
    Parts& p = *parts_;
    Activations& a = p.activations(p.evaluation, tokens_BT, false, starts_BT);
    a.targets_N.copy_(targets_BT.reshape({-1}));
    p.forward(a, taps);
    const auto device = at::TensorOptions().device(p.ops->device());
    Evaluation answer{.loss_BT = at::empty({a.batch, a.tokens}, device.dtype(p.ops->statistics_type())),
                      .top_BT = at::empty({a.batch, a.tokens}, device.dtype(at::kLong))};
    p.ops->head_evaluate(a.y_ND, p.head_VD, a.targets_N, answer.loss_BT.view({-1}), answer.top_BT.view({-1}));
    return answer;
}

namespace {

// Rows of (sequence, token) pairs among B*T.
at::Tensor rows_of(const at::Tensor& positions_P2, std::int64_t tokens, at::Device device) {
    const at::Tensor positions = positions_P2.to(device, at::kLong);
    return positions.select(1, 0).mul(tokens).add(positions.select(1, 1));
}

}  // namespace

at::Tensor Model::logits(const at::Tensor& tokens_BT, const at::Tensor& positions_P2,
                         const ForwardTaps* taps) {
    Parts& p = *parts_;
    Activations& a = p.activations(p.evaluation, tokens_BT, false);
    p.forward(a, taps);
    const at::Tensor rows_P = rows_of(positions_P2, a.tokens, p.ops->device());
    return at::mm(at::index_select(a.y_ND, 0, rows_P), p.head_VD.t()).to(p.ops->statistics_type());
}

void Model::forward(const at::Tensor& tokens_BT, const ForwardTaps& taps) {
    parts_->forward(parts_->activations(parts_->evaluation, tokens_BT, false), &taps);
}

at::Tensor Model::input_gradient(const at::Tensor& tokens_BT, const at::Tensor& positions_P2,
                                 const at::Tensor& dlogits_PV) {
    Parts& p = *parts_;
    p.require_gradients();
    Activations& a = p.activations(p.training, tokens_BT, true);
    p.forward(a);
    const at::Tensor dy_PD = at::mm(dlogits_PV.to(p.ops->device(), p.head_VD.scalar_type()), p.head_VD);
    a.dy_ND.zero_();
    a.dy_ND.index_add_(0, rows_of(positions_P2, a.tokens, p.ops->device()), dy_PD);
    p.backward(a);
    return a.dx_ND.view({a.batch, a.tokens, -1}).clone();
}

}  // namespace braid
