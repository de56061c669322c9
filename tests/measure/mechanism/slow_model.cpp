#include "tests/measure/mechanism/slow_model.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/mixers/builtin.h"
#include "tests/measure/mechanism/slow_weights.h"

namespace braid::test {
namespace {

Vector part(const Vector& x, std::size_t index, std::size_t size) {
    return {x.begin() + std::ptrdiff_t(index * size), x.begin() + std::ptrdiff_t((index + 1) * size)};
}

void rotate(Vector& x, std::size_t t, double base) {
    const std::size_t half = x.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
        const double angle = double(t) * std::pow(base, -2 * double(i) / double(x.size()));
        const double a = x[i], b = x[i + half];
        x[i] = a * std::cos(angle) - b * std::sin(angle);
        x[i + half] = b * std::cos(angle) + a * std::sin(angle);
    }
}

}  // namespace

double log_sum_exp(const Vector& x) {
    const double most = *std::max_element(x.begin(), x.end());
    double sum = 0;
    for (const double each : x) sum += std::exp(each - most);
    return most + std::log(sum);
}

SlowPass slow_pass(const Model& model, const std::vector<std::int32_t>& tokens, const SlowChanges& changes) {
    const ArchitectureSpec& spec = model.spec();
    const Weights weights(model);
    const double eps = norm_eps(spec);
    const auto width = std::size_t(spec.head_dim);
    SlowPass pass;
    const Matrix embedding = weights.matrix("model.embed_tokens.weight");
    Matrix x;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        x.push_back(embedding[std::size_t(tokens[t])]);
        if (changes.shift) changes.shift(t, x.back());
    }
    for (std::size_t l = 0; l < spec.layers.size(); ++l) {
        const HeadGroup& group = spec.layers[l].groups[0];
        const auto& described = builtin_mixers().find(group.mixer)->description().parameters;
        const bool rope = group.parameters.text("position", described) == "rope";
        const double base = rope ? group.parameters.real("rope_base", described) : 0;
        std::size_t seen =
            group.mixer == "swa" ? std::size_t(group.parameters.integer("window", described)) : tokens.size();
        if (const auto found = changes.horizon.find(std::int64_t(l)); found != changes.horizon.end())
            seen = std::min(seen, std::size_t(found->second) + 1);
        const std::string prefix = "model.layers." + std::to_string(l) + ".";
        const auto matrix = [&](const char* name) { return weights.matrix(prefix + name + ".weight"); };
        const auto vector = [&](const char* name) { return weights.vector(prefix + name + ".weight"); };
        const Vector sinks = weights.vector(prefix + "self_attn.sinks");
        const Matrix wq = matrix("self_attn.q_proj"), wk = matrix("self_attn.k_proj"),
                     wv = matrix("self_attn.v_proj"), wo = matrix("self_attn.o_proj");
        Matrix q, k, v;
        for (std::size_t t = 0; t < x.size(); ++t) {
            const Vector y = normalised(x[t], vector("input_layernorm"), eps);
            q.push_back(times(wq, y)), k.push_back(times(wk, y)), v.push_back(times(wv, y));
        }
        const std::size_t heads = std::size_t(group.heads), readers = heads / std::size_t(group.kv_heads);
        pass.attention.emplace_back(heads);
        pass.heads.emplace_back(heads);
        Matrix mixed(x.size());
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t t = 0; t < x.size(); ++t) {
                Vector query = part(q[t], h, width), scores, output(width, 0);
                if (rope) rotate(query, t, base);
                for (std::size_t s = 0; s <= t; ++s) {
                    Vector key = part(k[s], h / readers, width);
                    if (rope) rotate(key, s, base);
                    scores.push_back(t - s < seen ? dot(query, key) / std::sqrt(double(width)) : -1e300);
                }
                scores.push_back(sinks[h]);
                const double total = log_sum_exp(scores);
                for (double& score : scores) score = std::exp(score - total);
                for (std::size_t s = 0; s <= t; ++s) {
                    const Vector value = part(v[s], h / readers, width);
                    for (std::size_t i = 0; i < width; ++i) output[i] += scores[s] * value[i];
                }
                const std::pair<std::int64_t, std::int64_t> place{l, h};
                if (changes.zeroed.count(place) > 0) output.assign(width, 0);
                if (const auto other = changes.replaced.find(place); other != changes.replaced.end())
                    output = other->second;
                mixed[t].insert(mixed[t].end(), output.begin(), output.end());
                pass.heads[l][h].push_back(output);
                pass.attention[l][h].push_back(scores);
            }
        const Matrix gate = matrix("mlp.gate_proj"), up = matrix("mlp.up_proj"),
                     down = matrix("mlp.down_proj");
        for (std::size_t t = 0; t < x.size(); ++t) {
            const Vector more = times(wo, mixed[t]);
            for (std::size_t i = 0; i < more.size(); ++i) x[t][i] += more[i];
            const Vector y = normalised(x[t], vector("post_attention_layernorm"), eps);
            Vector g = times(gate, y);
            const Vector u = times(up, y);
            for (std::size_t i = 0; i < g.size(); ++i) g[i] = g[i] / (1 + std::exp(-g[i])) * u[i];
            const Vector fed = times(down, g);
            for (std::size_t i = 0; i < fed.size(); ++i) x[t][i] += fed[i];
        }
        pass.hidden.push_back(x);
    }
    const Matrix head = weights.matrix(is_tied(spec) ? "model.embed_tokens.weight" : "lm_head.weight");
    const Vector norm = weights.vector("model.norm.weight");
    for (const Vector& each : x) pass.logits.push_back(times(head, normalised(each, norm, eps)));
    return pass;
}

}  // namespace braid::test
