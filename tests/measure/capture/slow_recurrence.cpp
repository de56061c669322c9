#include "tests/measure/capture/slow_recurrence.h"

#include "core/mixers/builtin.h"
#include "core/mixers/lightning/lightning_shape.h"
#include "tests/measure/mechanism/slow_weights.h"

namespace braid::test {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::log1p(std::exp(x)); }

Vector part(const Vector& x, std::size_t begin, std::size_t size) {
    return {x.begin() + std::ptrdiff_t(begin), x.begin() + std::ptrdiff_t(begin + size)};
}

Vector silu(Vector x) {
    for (double& each : x) each *= sigmoid(each);
    return x;
}

Vector unit(Vector x) {
    const double size = 1 / std::sqrt(dot(x, x) + 1e-6);
    for (double& each : x) each *= size;
    return x;
}

// What one state reads and is told, token by token.
struct Told {
    Vector q, k;
    double decay = 1, strength = 1;
};

// Rows of outputs of a state whose values are unit vectors.
Matrix rows_of(const std::vector<Told>& told, bool delta, double scale, double skip) {
    const std::size_t tokens = told.size(), width = told[0].k.size();
    Matrix state(width, Vector(tokens, 0)), rows;
    for (std::size_t t = 0; t < tokens; ++t) {
        const Told& now = told[t];
        for (Vector& row : state)
            for (double& each : row) each *= now.decay;
        Vector value(tokens, 0);
        value[t] = 1;
        if (delta)
            for (std::size_t s = 0; s < tokens; ++s)
                for (std::size_t k = 0; k < width; ++k) value[s] -= state[k][s] * now.k[k];
        Vector output(tokens, 0);
        for (std::size_t k = 0; k < width; ++k)
            for (std::size_t s = 0; s < tokens; ++s) {
                state[k][s] += now.k[k] * now.strength * value[s];
                output[s] += scale * state[k][s] * now.q[k];
            }
        output[t] += skip;
        rows.push_back(std::move(output));
    }
    return rows;
}

}  // namespace

std::vector<Matrix> slow_implied(const Model& model, const std::vector<std::int32_t>& tokens) {
    const ArchitectureSpec& spec = model.spec();
    const HeadGroup& group = spec.layers[0].groups[0];
    const auto& described = builtin_mixers().find(group.mixer)->description().parameters;
    const Weights weights(model);
    const std::string prefix = "model.layers.0.";
    const auto matrix = [&](const char* name) {
        return weights.matrix(prefix + "self_attn." + name + ".weight");
    };
    const auto vector = [&](const char* name) { return weights.vector(prefix + "self_attn." + name); };
    const Matrix embedding = weights.matrix("model.embed_tokens.weight");
    const Vector norm = weights.vector(prefix + "input_layernorm.weight");
    Matrix x;
    for (const std::int32_t token : tokens)
        x.push_back(normalised(embedding[std::size_t(token)], norm, norm_eps(spec)));
    const auto heads = std::size_t(group.heads), readers = heads / std::size_t(group.kv_heads);

    std::vector<Matrix> all;
    for (std::size_t h = 0; h < heads; ++h) {
        std::vector<Told> told;
        double scale = 1, skip = 0;
        for (const Vector& in : x) {
            if (group.mixer == "lightning") {
                const auto width = std::size_t(spec.head_dim);
                const double decay =
                    std::exp(lightning_log_decay(std::int64_t(h), group.heads, mixer_context(spec, 0)));
                told.push_back({.q = silu(part(times(matrix("q_proj"), in), h * width, width)),
                                .k = silu(part(times(matrix("k_proj"), in), h / readers * width, width)),
                                .decay = decay});
            } else if (group.mixer == "mamba2") {
                // z, x, B, C, dt
                const Vector wide = times(matrix("in_proj"), in);
                const auto state = std::size_t(group.parameters.integer("state", described));
                const std::size_t inner = vector("norm.weight").size(),
                                  groups = (wide.size() - 2 * inner - heads) / (2 * state);
                const std::size_t of = h / (heads / groups), b = 2 * inner, c = b + groups * state;
                const double dt = softplus(wide[c + groups * state + h] + vector("dt_bias")[h]);
                told.push_back({.q = part(wide, c + of * state, state),
                                .k = part(wide, b + of * state, state),
                                .decay = std::exp(-std::exp(vector("A_log")[h]) * dt),
                                .strength = dt});
                skip = vector("D")[h];
            } else {
                const auto width = std::size_t(group.parameters.integer("head_dim", described));
                const std::size_t of = h / readers;
                const double dt = softplus(times(matrix("a_proj"), in)[of] + vector("dt_bias")[of]);
                told.push_back({.q = unit(silu(part(times(matrix("q_proj"), in), h * width, width))),
                                .k = unit(silu(part(times(matrix("k_proj"), in), of * width, width))),
                                .decay = std::exp(-std::exp(vector("A_log")[of]) * dt),
                                .strength = sigmoid(times(matrix("b_proj"), in)[of])});
                scale = 1 / std::sqrt(double(width));
            }
        }
        all.push_back(rows_of(told, group.mixer == "gdn", scale, skip));
    }
    return all;
}

}  // namespace braid::test
