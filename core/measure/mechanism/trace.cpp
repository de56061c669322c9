// Tracing through training (paper D.4, Fig. 13): what look_at_heads() sees at every checkpoint of a run, how
// far W_Q and W_K of each head are from their end, and the norms of its gradients that the run recorded.
#include <algorithm>
#include <cmath>

#include "core/engine/checkpoint.h"
#include "core/measure/mechanism/head_looks.h"
#include "core/measure/mechanism/projections.h"
#include "core/record/checkpoint_list.h"
#include "core/record/metric_name.h"
#include "core/record/run_reader.h"
#include "core/spec/phases.h"

namespace braid {
namespace {

constexpr std::size_t most_norms = 512;  // of a head; more are thinned evenly

struct Checkpoint {
    std::string folder;
    double tokens = 0;
};

// Oldest first, up to the one that is measured.
Result<std::vector<Checkpoint>> checkpoints_of(const MeasureInput& input) {
    if (!input.run || !input.plan)
        return fail(ErrorKind::invalid_input, "belongs to no run: there are no other checkpoints to trace",
                    input.checkpoint.folder, "Give a run");
    std::vector<Step> steps = list_checkpoints(input.run->checkpoints_folder());
    std::reverse(steps.begin(), steps.end());
    std::vector<Checkpoint> all;
    for (const Step step : steps)
        if (step <= input.checkpoint.step)
            all.push_back(
                {.folder = input.run->checkpoint_folder(step),
                 .tokens = double(tokens_after(input.plan->training, input.plan->phases, step).value)});
    if (all.size() < 2)
        return fail(ErrorKind::invalid_input,
                    "the run has " + std::to_string(all.size()) + " checkpoint: nothing to trace",
                    input.run->path(), "Train with --set trace_checkpoints=N, or choose a later checkpoint");
    return all;
}

// Gradient norms of the heads from run.db: [step, layer, head].
MeasuredArray gradient_norms(const MeasureInput& input, const std::vector<HeadPlace>& heads,
                             std::int64_t width) {
    RunReader reader(*input.run, {.series = true, .events = false});
    const auto snapshot = reader.poll();
    std::vector<std::int64_t> steps;
    for (const HeadPlace& head : heads) {
        const auto found = snapshot->series.find(head_norm_metric(head.layer, head.place));
        if (found == snapshot->series.end()) continue;
        for (std::size_t i = 0; i < found->second.size(); ++i) steps.push_back(found->second.steps[i]);
    }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    std::erase_if(steps, [&](std::int64_t step) { return Step(step) > input.checkpoint.step; });
    const std::size_t stride = std::max<std::size_t>(1, (steps.size() + most_norms - 1) / most_norms);
    std::vector<std::int64_t> kept;
    for (std::size_t i = 0; i < steps.size(); i += stride) kept.push_back(steps[i]);
    std::vector<double> tokens;
    for (const std::int64_t step : kept)
        tokens.push_back(double(tokens_after(input.plan->training, input.plan->phases, Step(step)).value));
    MeasuredArray array = empty_array(
        "grad_norm", "",
        {number_axis("tokens", "tokens", tokens), layer_axis(input.architecture), count_axis("head", width)});
    array.missing = "the run recorded no gradient norms of heads here";
    const std::size_t layers = input.architecture.layers.size();
    for (const HeadPlace& head : heads) {
        const auto found = snapshot->series.find(head_norm_metric(head.layer, head.place));
        if (found == snapshot->series.end()) continue;
        for (std::size_t i = 0; i < found->second.size(); ++i) {
            const auto at = std::lower_bound(kept.begin(), kept.end(), found->second.steps[i]);
            if (at == kept.end() || *at != found->second.steps[i]) continue;
            array.values[(std::size_t(at - kept.begin()) * layers + std::size_t(head.layer)) *
                             std::size_t(width) +
                         std::size_t(head.place)] = found->second.values[i];
        }
    }
    return array;
}

// Value of [tokens, layer, head] at a head, over the first axis.
Json series_of(const MeasuredArray& array, const HeadPlace& head) {
    Json list = Json::array();
    const std::size_t layers = array.axes[1].ticks.size(), width = array.axes[2].ticks.size();
    for (std::size_t t = 0; t < array.axes[0].ticks.size(); ++t)
        list.push_back(finite_json(
            array.values[(t * layers + std::size_t(head.layer)) * width + std::size_t(head.place)]));
    return list;
}

}  // namespace

Result<Measured> measure_trace(const MeasureInput& input) {
    Measured measured;
    const Result<std::vector<Checkpoint>> checkpoints = checkpoints_of(input);
    if (!checkpoints) return fail(checkpoints.error());
    const Result<NeedleSet> needles = make_needle_set(input, measured);
    if (!needles) return fail(needles.error());
    const std::vector<NeedleSample>& samples = needles->samples;
    const Result<std::unique_ptr<Model>> model = input.open(checkpoints->back().folder, /*trainable=*/false);
    if (!model) return fail(model.error());
    const ArchitectureSpec& spec = input.architecture;
    const std::vector<HeadPlace> heads =
        chosen_heads(spec, (*model)->mixers(), head_choice(input.text("layers")));
    if (heads.empty()) return fail(no_such_heads(input, (*model)->mixers()));
    std::vector<QueryKey> end;
    for (const HeadPlace& head : heads) {
        const QueryKey now = query_key(**model, head);
        end.push_back(now.query_KD.defined() ? QueryKey{now.query_KD.clone(), now.key_KD.clone()}
                                             : QueryKey());
    }

    std::vector<double> tokens;
    for (const Checkpoint& checkpoint : *checkpoints) tokens.push_back(checkpoint.tokens);
    const std::int64_t width = most_heads((*model)->mixers());
    const std::vector<MeasuredAxis> axes = {number_axis("tokens", "tokens", tokens), layer_axis(spec),
                                            count_axis("head", width)};
    const std::pair<const char*, Look> kinds[] = {{"mass", Look::mass},
                                                  {"entropy", Look::entropy},
                                                  {"entropy_keys", Look::entropy_keys},
                                                  {"sink", Look::sink},
                                                  {"hit_rate", Look::hit}};
    for (const auto& [name, look] : kinds) measured.arrays.push_back(empty_array(name, "", axes));
    measured.arrays.push_back(empty_array("d_qk", "", axes));
    const std::size_t layers = spec.layers.size();
    for (std::size_t c = 0; c < checkpoints->size(); ++c) {
        if (Result<void> loaded = load_weights((*checkpoints)[c].folder, (*model)->parameters()); !loaded)
            return fail(std::move(loaded.error()));
        const double parts = double(checkpoints->size());
        const Result<HeadLooks> looks =
            look_at_heads(**model, samples, head_choice(input.text("layers")), [&](double fraction) {
                return input.go_on(
                    (double(c) + fraction) / parts,
                    "checkpoint " + std::to_string(c + 1) + " of " + std::to_string(checkpoints->size()));
            });
        if (!looks) return fail(looks.error());
        for (std::size_t i = 0; i < heads.size(); ++i) {
            const std::size_t at =
                (c * layers + std::size_t(heads[i].layer)) * std::size_t(width) + std::size_t(heads[i].place);
            for (std::size_t k = 0; k < std::size(kinds); ++k) {
                double sum = 0;
                for (const double value : looks->of(kinds[k].second, i)) sum += value;
                measured.arrays[k].values[at] = sum / double(samples.size());
            }
            const QueryKey now = query_key(**model, heads[i]);
            if (now.query_KD.defined())
                measured.arrays.back().values[at] = relative_distance(now.query_KD, end[i].query_KD) +
                                                    relative_distance(now.key_KD, end[i].key_KD);
        }
    }
    for (MeasuredArray& array : measured.arrays) {
        array.samples = {std::int64_t(samples.size())};
        array.missing = "not among the layers that were looked at";
    }
    measured.arrays.push_back(gradient_norms(input, heads, width));

    // The head of interest is known at the end (paper D.4).
    const MeasuredArray& mass = measured.arrays[0];
    const auto final_mass = [&](const HeadPlace& head) {
        return mass
            .values[((checkpoints->size() - 1) * layers + std::size_t(head.layer)) * std::size_t(width) +
                    std::size_t(head.place)];
    };
    const HeadPlace& top = *std::max_element(heads.begin(), heads.end(), [&](const auto& a, const auto& b) {
        return final_mass(a) < final_mass(b);
    });
    measured.answer = {{"tokens", tokens},
                       {"grad_norm_tokens", Json::array()},
                       {"top", {{"layer", top.layer}, {"head", top.place}}},
                       {"n", samples.size()},
                       {"heads", Json::array()}};
    for (const AxisTick& tick : measured.arrays.back().axes[0].ticks)
        measured.answer["grad_norm_tokens"].push_back(std::get<double>(tick));
    for (const HeadPlace& head : heads) {
        Json item = {{"layer", head.layer}, {"head", head.place}};
        for (const MeasuredArray& array : measured.arrays) item[array.name] = series_of(array, head);
        measured.answer["heads"].push_back(std::move(item));
    }
    measured.summary = {
        {.name = "top head at the end, L" + std::to_string(top.layer) + ".H" + std::to_string(top.place),
         .value = final_mass(top)}};
    return measured;
}

}  // namespace braid
