#include "core/engine/parameter_layout.h"

#include <algorithm>

#include "core/mixers/builtin.h"

namespace braid {
namespace {

struct Part {
    std::string name;
    std::int64_t rows = 0;
};

// Parameters that become one operand, waiting for their place.
struct Stacked {
    std::vector<Part> parts;
    std::int64_t cols = 0;
    UpdateRule update = UpdateRule::muon;
    Init init = Init::fan_in;
    Operand* operand = nullptr;

    std::int64_t rows() const {
        std::int64_t sum = 0;
        for (const Part& part : parts) sum += part.rows;
        return sum;
    }
};

class Builder {
public:
    explicit Builder(ParameterLayout& layout) : layout_(layout) {}

    // The operands of one role over all layers, equal shapes beside each other.
    void place(const std::vector<Stacked>& role) {
        std::vector<std::pair<std::int64_t, std::int64_t>> shapes;  // in order of first appearance
        const auto index_of = [&](const Stacked& stacked) {
            const std::pair shape(stacked.rows(), stacked.cols);
            const auto found = std::find(shapes.begin(), shapes.end(), shape);
            if (found != shapes.end()) return found - shapes.begin();
            shapes.push_back(shape);
            return std::ptrdiff_t(shapes.size()) - 1;
        };
        std::vector<std::pair<std::ptrdiff_t, const Stacked*>> order;
        for (const Stacked& stacked : role) order.emplace_back(index_of(stacked), &stacked);
        std::stable_sort(order.begin(), order.end(), [](auto& a, auto& b) { return a.first < b.first; });
        for (const auto& [index, stacked] : order) place(*stacked);
    }

    void place(const Stacked& stacked) {
        *stacked.operand = {.offset = next_, .rows = stacked.rows(), .cols = stacked.cols};
        for (const Part& part : stacked.parts) {
            const std::int64_t size = part.rows * std::max<std::int64_t>(stacked.cols, 1);
            std::vector<std::int64_t> shape = {part.rows};
            if (stacked.cols > 0) shape.push_back(stacked.cols);
            layout_.parameters.push_back({.name = part.name,
                                          .shape = std::move(shape),
                                          .offset = next_,
                                          .size = size,
                                          .update = stacked.update,
                                          .init = stacked.init});
            next_ += size;
        }
        next_ = (next_ + alignment - 1) / alignment * alignment;
    }

    std::int64_t next() const { return next_; }

private:
    static constexpr std::int64_t alignment = 64;
    ParameterLayout& layout_;
    std::int64_t next_ = 0;
};

}  // namespace

std::int64_t ParameterLayout::parameter_count() const {
    std::int64_t sum = 0;
    for (const Parameter& parameter : parameters) sum += parameter.size;
    return sum;
}

Result<LayerMixers> make_mixers(const ArchitectureSpec& spec) {
    LayerMixers mixers;
    for (std::size_t l = 0; l < spec.layers.size(); ++l) {
        mixers.emplace_back();
        for (const HeadGroup& group : spec.layers[l].groups) {
            std::unique_ptr<Mixer> mixer = make_mixer(group, mixer_context(spec, l));
            if (!mixer)
                return fail(ErrorKind::unavailable, "mixer \"" + group.mixer + "\" cannot be trained yet",
                            "layers[" + std::to_string(l) + "]");
            mixers.back().push_back(std::move(mixer));
        }
    }
    return mixers;
}

ParameterLayout make_layout(const ArchitectureSpec& spec, const LayerMixers& mixers) {
    ParameterLayout layout;
    layout.layers.resize(spec.layers.size());
    const std::int64_t width = spec.d_model;
    std::vector<Stacked> inputs, outputs, gates, downs, others, small;
    const auto vector = [&small](std::string name, std::int64_t size, Init init, Operand* operand) {
        small.push_back({{{std::move(name), size}}, 0, UpdateRule::adamw_without_decay, init, operand});
    };
    for (std::size_t l = 0; l < spec.layers.size(); ++l) {
        LayerParameters& layer = layout.layers[l];
        const std::string prefix = "model.layers." + std::to_string(l) + ".";
        const bool several = mixers[l].size() > 1;
        Stacked input{.parts = {}, .cols = width, .operand = &layer.input_projection};
        std::int64_t mixed = 0;
        layer.groups.resize(mixers[l].size());
        vector(prefix + "input_layernorm.weight", width, Init::ones, &layer.mixer_norm);
        for (std::size_t g = 0; g < mixers[l].size(); ++g) {
            const std::string group =
                prefix + "self_attn." + (several ? "groups." + std::to_string(g) + "." : std::string());
            for (const ProjectionRequest& request : mixers[l][g]->projections())
                input.parts.push_back({group + request.name + ".weight", request.rows});
            mixed += mixers[l][g]->output_width();
            const std::vector<VectorRequest> requests = mixers[l][g]->vectors();
            layer.groups[g].vectors.resize(requests.size());
            for (std::size_t v = 0; v < requests.size(); ++v) {
                const VectorRequest& each = requests[v];
                small.push_back({{{group + each.name, each.cols > 0 ? each.size / each.cols : each.size}},
                                 each.cols,
                                 UpdateRule::adamw_without_decay,
                                 each.init,
                                 &layer.groups[g].vectors[v]});
            }
            const std::vector<MatrixRequest> inner = mixers[l][g]->matrices();
            layer.groups[g].matrices.resize(inner.size());
            for (std::size_t m = 0; m < inner.size(); ++m)
                others.push_back({.parts = {{group + inner[m].name + ".weight", inner[m].rows}},
                                  .cols = inner[m].cols,
                                  .operand = &layer.groups[g].matrices[m]});
        }
        inputs.push_back(std::move(input));
        outputs.push_back({.parts = {{prefix + "self_attn.o_proj.weight", width}},
                           .cols = mixed,
                           .operand = &layer.output_projection});
        vector(prefix + "post_attention_layernorm.weight", width, Init::ones, &layer.ffn_norm);
        const std::int64_t hidden = ffn_width(spec, l, builtin_mixers());
        gates.push_back(
            {.parts = {{prefix + "mlp.gate_proj.weight", hidden}, {prefix + "mlp.up_proj.weight", hidden}},
             .cols = width,
             .operand = &layer.gate_up});
        downs.push_back(
            {.parts = {{prefix + "mlp.down_proj.weight", width}}, .cols = hidden, .operand = &layer.down});
    }
    vector("model.norm.weight", width, Init::ones, &layout.final_norm);

    Builder builder(layout);
    for (std::vector<Stacked>* role : {&inputs, &outputs, &gates, &downs, &others})
        builder.place(std::move(*role));
    layout.adamw_begin = builder.next();
    builder.place(Stacked{{{"model.embed_tokens.weight", spec.vocab}},
                          width,
                          UpdateRule::adamw,
                          // As a head it must not begin with large logits.
                          is_tied(spec) ? Init::fan_in : Init::normal,
                          &layout.embedding});
    if (is_tied(spec))
        layout.head = layout.embedding;
    else
        builder.place(
            Stacked{{{"lm_head.weight", spec.vocab}}, width, UpdateRule::adamw, Init::fan_in, &layout.head});
    layout.no_decay_begin = builder.next();
    for (const Stacked& stacked : small) builder.place(stacked);
    layout.elements = builder.next();
    return layout;
}

}  // namespace braid
