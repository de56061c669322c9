// Change of weights of each layer against another checkpoint (Wang et al., Fig. 15): |W - W'|_F / |W'|_F.
#include <ATen/ops/cat.h>

#include <cmath>

#include "core/measure/mechanism/projections.h"
#include "core/record/checkpoint_list.h"

namespace braid {
namespace {

constexpr const char* names[] = {"q", "k", "v", "o", "ffn_up", "ffn_down"};

// Of all groups of a layer that have it; undefined where none has.
at::Tensor weights_of(const Model& model, std::size_t layer, std::size_t name) {
    const ParameterStore& store = model.parameters();
    const LayerParameters& layout = store.layout().layers[layer];
    if (name == 3) return store.value_view(layout.output_projection);
    if (name == 4) return store.value_view(layout.gate_up);
    if (name == 5) return store.value_view(layout.down);
    std::vector<at::Tensor> parts;
    for (std::size_t g = 0; g < model.mixers()[layer].size(); ++g)
        if (const at::Tensor part = input_projection(model, std::int64_t(layer), std::int64_t(g),
                                                     std::string(names[name]) + "_proj");
            part.defined())
            parts.push_back(part);
    return parts.empty() ? at::Tensor() : at::cat(parts);
}

Result<WeightsOrigin> other_of(const MeasureInput& input) {
    if (const std::string against = input.text("against"); !against.empty()) return input.find(against);
    if (!input.run)
        return fail(ErrorKind::invalid_input, "belongs to no run: what to compare it with is not known",
                    input.checkpoint.folder, "Give --against CHECKPOINT");
    const std::vector<Step> steps = list_checkpoints(input.run->checkpoints_folder());
    if (steps.empty() || steps.back() >= input.checkpoint.step)
        return fail(ErrorKind::invalid_input, "the run has no earlier checkpoint", input.run->path(),
                    "Give --against CHECKPOINT");
    return find_run_checkpoint(*input.run, steps.back());
}

}  // namespace

Result<Measured> measure_change(const MeasureInput& input) {
    Measured measured;
    const Result<WeightsOrigin> other = other_of(input);
    if (!other) return fail(other.error());
    if (!input.go_on(0, "comparing weights")) return fail(stopped());
    const Result<std::unique_ptr<Model>> now = input.open(input.checkpoint.folder, /*trainable=*/false);
    if (!now) return fail(now.error());
    const auto then = open_other(input, **now, other->folder, "against");
    if (!then) return fail(then.error());
    const ArchitectureSpec& spec = input.architecture;
    MeasuredAxis matrices{.name = "matrix"};
    for (const char* name : names) matrices.ticks.emplace_back(std::string(name));
    MeasuredArray change = empty_array("change", "", {matrices, layer_axis(spec)});
    change.missing = "the mixer has no such projection, or it was 0";
    measured.answer = {{"layers", Json::array()}};
    for (std::size_t l = 0; l < spec.layers.size(); ++l) {
        Json item = {{"layer", l}, {"mixer", mixers_of(spec, l)}};
        for (std::size_t m = 0; m < std::size(names); ++m) {
            const at::Tensor a = weights_of(**now, l, m), b = weights_of(**then, l, m);
            if (a.defined()) change.values[change.at(m, l)] = relative_distance(a, b);
            item[names[m]] = finite_json(change.values[change.at(m, l)]);
        }
        measured.answer["layers"].push_back(std::move(item));
    }
    double sum = 0;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < 2 * spec.layers.size(); ++i)
        if (std::isfinite(change.values[i])) sum += change.values[i], ++count;
    if (count > 0)
        measured.summary = {{.name = "mean change of queries and keys", .value = sum / double(count)}};
    measured.settings["against"] = to_json(*other);
    measured.arrays = {std::move(change)};
    return measured;
}

}  // namespace braid
