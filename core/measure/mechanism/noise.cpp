// Noise by component (Wang et al., Fig. 11): normal noise of sigma times the root mean square of a
// component's output of a token is added to it, in all layers of one kind of component; what the score loses.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/randn.h>

#include <algorithm>

#include "core/measure/mechanism/score_set.h"

namespace braid {
namespace {

// "full", "swa", .., of the layers that have such heads; "ffn".
std::vector<std::string> components_of(const ArchitectureSpec& spec) {
    std::vector<std::string> components;
    for (std::size_t l = 0; l < spec.layers.size(); ++l)
        if (std::find(components.begin(), components.end(), mixers_of(spec, l)) == components.end())
            components.push_back(mixers_of(spec, l));
    components.emplace_back("ffn");
    return components;
}

ForwardTaps noisy(const ArchitectureSpec& spec, const std::string& component, double sigma,
                  std::uint64_t seed) {
    ForwardTaps taps;
    taps.added = [&spec, component, sigma, generator = at::detail::createCPUGenerator(seed)](
                     std::int64_t layer, Component half, const at::Tensor& before_BTD,
                     const at::Tensor& after_BTD) {
        const bool hit =
            half == Component::ffn ? component == "ffn" : component == mixers_of(spec, std::size_t(layer));
        if (!hit) return;
        const at::Tensor size = (after_BTD - before_BTD).square().mean(-1, true).sqrt();
        const at::Tensor noise =
            at::randn(after_BTD.sizes(), generator, at::TensorOptions().dtype(at::kFloat))
                .to(after_BTD.options());
        after_BTD.addcmul_(noise, size, sigma);
    };
    return taps;
}

}  // namespace

Result<Measured> measure_noise(const MeasureInput& input) {
    Measured measured;
    const Checked<std::vector<double>> sigmas = parse_numbers(input.text("sigma"), "sigma", 0, 1e6);
    if (!sigmas) return fail(to_error(sigmas.error()));
    const Result<ScoreSet> set = make_score_set(input, measured);
    if (!set) return fail(set.error());
    const Result<std::unique_ptr<Model>> model = input.open(input.checkpoint.folder, /*trainable=*/false);
    if (!model) return fail(model.error());
    const ArchitectureSpec& spec = input.architecture;
    const std::vector<std::string> components = components_of(spec);
    const auto resamples = input.integer("bootstrap");
    const auto seed = std::uint64_t(input.integer("seed"));
    const double parts = 1 + double(components.size() * sigmas->size());
    double done = 0;
    const auto go_on = [&](double fraction) {
        return input.go_on((done + fraction) / parts, "scoring on " + set->name);
    };
    const Result<SequenceScores> base = set->score(**model, nullptr, go_on);
    if (!base) return fail(base.error());
    add_base_score(*set, *base, measured);
    MeasuredAxis component_axis{.name = "component"};
    for (const std::string& component : components) component_axis.ticks.emplace_back(component);
    ChangeArrays arrays("change", "accuracy_change", {component_axis, number_axis("sigma", "", *sigmas)});
    measured.answer = {{"score", set->name},
                       {"base", loss_of(*base, 0, 0).value},
                       {"sigma", *sigmas},
                       {"n", set->batch.sequences},
                       {"components", Json::array()}};
    for (std::size_t c = 0; c < components.size(); ++c) {
        Json item = {
            {"component", components[c]}, {"change", Json::array()}, {"accuracy_change", Json::array()}};
        for (std::size_t s = 0; s < sigmas->size(); ++s) {
            done += 1;
            const ForwardTaps taps = noisy(spec, components[c], (*sigmas)[s], seed);
            const Result<SequenceScores> scores = set->score(**model, &taps, go_on);
            if (!scores) return fail(scores.error());
            const std::size_t at = c * sigmas->size() + s;
            arrays.set(at, loss_change(*base, *scores, resamples, seed),
                       accuracy_change(*base, *scores, resamples, seed));
            item["change"].push_back(arrays.loss.values[at]);
            item["accuracy_change"].push_back(arrays.accuracy.values[at]);
        }
        measured.answer["components"].push_back(std::move(item));
    }
    arrays.move_to(measured, set->batch.sequences);
    return measured;
}

}  // namespace braid
