#include "core/measure/bench/plain_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <limits>

#include "core/mixers/builtin.h"

namespace braid {
namespace {

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight) {
    return x * at::rsqrt(x.pow(2).mean(-1, true) + 1e-6) * weight;
}

// x [B, H, T, K]
at::Tensor rope(const at::Tensor& x, double base) {
    const std::int64_t tokens = x.size(2), half = x.size(3) / 2;
    const at::Tensor place = at::arange(tokens, x.options()).unsqueeze(1);
    const at::Tensor frequency = at::pow(base, at::arange(half, x.options()) * (-1.0 / double(half)));
    const at::Tensor cos = (place * frequency).cos(), sin = (place * frequency).sin();
    const at::Tensor a = x.narrow(3, 0, half), b = x.narrow(3, half, half);
    return at::cat({a * cos - b * sin, b * cos + a * sin}, 3);
}

}  // namespace

bool PlainModel::knows(const ArchitectureSpec& spec) {
    if (!normalised(spec, builtin_mixers()).parameters.empty()) return false;  // tied, another epsilon
    for (const LayerSpec& layer : spec.layers)
        for (const HeadGroup& group : layer.groups) {
            if (group.mixer != "full" && group.mixer != "swa") return false;
            const auto& described = builtin_mixers().find(group.mixer)->description().parameters;
            for (const auto& [key, value] : normalised(group.parameters, described))
                if (key != "window" && key != "position" && key != "rope_base" && key != "sink") return false;
        }
    return true;
}

PlainModel::PlainModel(const ArchitectureSpec& spec, const ParameterStore& store) : spec_(spec) {
    for (const Parameter& parameter : store.layout().parameters) {
        at::Tensor leaf = store.value(parameter).clone();
        leaf.requires_grad_(true);
        parameters_[parameter.name] = leaf;
    }
}

at::Tensor PlainModel::attention(const std::string& prefix, const HeadGroup& group,
                                 const at::Tensor& y_BTD) const {
    const auto& described = builtin_mixers().find(group.mixer)->description().parameters;
    const std::int64_t batch = y_BTD.size(0), tokens = y_BTD.size(1), size = spec_.head_dim;
    const auto heads = [&](const char* name, std::int64_t count) {
        return at::linear(y_BTD, get(prefix + name)).view({batch, tokens, count, size}).transpose(1, 2);
    };
    at::Tensor q = heads("q_proj.weight", group.heads), k = heads("k_proj.weight", group.kv_heads);
    at::Tensor v = heads("v_proj.weight", group.kv_heads);
    if (std::get<std::string>(group.parameters.get("position", described)) == "rope") {
        const double base = std::get<double>(group.parameters.get("rope_base", described));
        q = rope(q, base), k = rope(k, base);
    }
    if (group.kv_heads < group.heads) {
        k = k.repeat_interleave(group.heads / group.kv_heads, 1);
        v = v.repeat_interleave(group.heads / group.kv_heads, 1);
    }
    at::Tensor scores = at::matmul(q, k.transpose(2, 3)) * (1 / std::sqrt(double(size)));
    const at::Tensor place = at::arange(tokens, at::kLong);
    const at::Tensor age = place.unsqueeze(1) - place.unsqueeze(0);
    at::Tensor hidden = age.lt(0);
    if (group.mixer == "swa")
        hidden = hidden.logical_or(age.ge(std::get<std::int64_t>(group.parameters.get("window", described))));
    scores = scores.masked_fill(hidden, -std::numeric_limits<double>::infinity());
    const bool sink = std::get<bool>(group.parameters.get("sink", described));
    if (sink) {
        const at::Tensor column = get(prefix + "sinks").view({1, group.heads, 1, 1});
        scores = at::cat({scores, column.expand({batch, group.heads, tokens, 1})}, 3);
    }
    const at::Tensor weights = at::softmax(scores, 3).narrow(3, 0, tokens);
    return at::matmul(weights, v).transpose(1, 2).reshape({batch, tokens, group.heads * size});
}

at::Tensor PlainModel::logits(const at::Tensor& tokens_BT) const {
    at::Tensor x = at::embedding(get("model.embed_tokens.weight"), tokens_BT);
    for (std::size_t l = 0; l < spec_.layers.size(); ++l) {
        const std::string layer = "model.layers." + std::to_string(l) + ".";
        const std::vector<HeadGroup>& groups = spec_.layers[l].groups;
        const at::Tensor y = rms_norm(x, get(layer + "input_layernorm.weight"));
        std::vector<at::Tensor> mixed;
        for (std::size_t g = 0; g < groups.size(); ++g)
            mixed.push_back(
                attention(layer + "self_attn." +
                              (groups.size() > 1 ? "groups." + std::to_string(g) + "." : std::string()),
                          groups[g], y));
        x = x + at::linear(at::cat(mixed, 2), get(layer + "self_attn.o_proj.weight"));
        const at::Tensor z = rms_norm(x, get(layer + "post_attention_layernorm.weight"));
        const at::Tensor gate = at::silu(at::linear(z, get(layer + "mlp.gate_proj.weight")));
        const at::Tensor up = at::linear(z, get(layer + "mlp.up_proj.weight"));
        x = x + at::linear(gate * up, get(layer + "mlp.down_proj.weight"));
    }
    return at::linear(rms_norm(x, get("model.norm.weight")), get("lm_head.weight"));
}

at::Tensor PlainModel::loss_sum(const at::Tensor& tokens_BT, const at::Tensor& targets_BT) const {
    const at::Tensor log_probabilities = at::log_softmax(logits(tokens_BT).flatten(0, 1), 1);
    return at::nll_loss(log_probabilities, targets_BT.flatten(), {}, at::Reduction::Sum, -1);
}

void PlainModel::zero_gradients() {
    for (auto& [name, parameter] : parameters_) parameter.mutable_grad() = at::Tensor();
}

void PlainOptimizer::step(PlainModel& model, double learning_rate) {
    double squares = 0;
    for (auto& [name, parameter] : model.parameters())
        squares += parameter.grad().to(at::kDouble).pow(2).sum().item().toDouble();
    const double norm = std::sqrt(squares);
    const double clip =
        training_.grad_clip > 0 && norm > training_.grad_clip ? training_.grad_clip / norm : 1;
    ++steps_;
    for (auto& [name, parameter] : model.parameters()) {
        at::Tensor value = parameter.detach();
        const at::Tensor gradient = parameter.grad() * clip;
        at::Tensor& mean = first_[name];
        if (!mean.defined()) mean = at::zeros_like(value);
        const UpdateRule rule = store_.find(name)->update;
        if (rule == UpdateRule::muon) {
            const double momentum = training_.muon_momentum;
            mean.mul_(momentum).add_(gradient, 1 - momentum);
            at::Tensor x = gradient * (1 - momentum) + mean * momentum;
            const bool tall = x.size(0) > x.size(1);
            if (tall) x = x.t();
            x = x / (x.norm() + 1e-7);
            for (int i = 0; i < 5; ++i) {
                const at::Tensor gram = at::matmul(x, x.t());
                x = 3.4445 * x + at::matmul(-4.7750 * gram + 2.0315 * at::matmul(gram, gram), x);
            }
            if (tall) x = x.t();
            value.mul_(1 - learning_rate * training_.weight_decay);
            value.sub_(x, learning_rate * 0.2 * std::sqrt(double(std::max(x.size(0), x.size(1)))));
            continue;
        }
        at::Tensor& square = second_[name];
        if (!square.defined()) square = at::zeros_like(value);
        const double beta1 = training_.adam_beta1, beta2 = training_.adam_beta2;
        mean.mul_(beta1).add_(gradient, 1 - beta1);
        square.mul_(beta2).add_(gradient * gradient, 1 - beta2);
        const double correction1 = 1 - std::pow(beta1, steps_), correction2 = 1 - std::pow(beta2, steps_);
        if (rule == UpdateRule::adamw) value.mul_(1 - learning_rate * training_.weight_decay);
        value.sub_((mean / correction1) / (at::sqrt(square / correction2) + training_.adam_eps),
                   learning_rate);
    }
}

}  // namespace braid
