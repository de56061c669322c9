// Retrieval heads (paper D.4): attention mass on the needle, and the score of Wu et al. during greedy
// decoding.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/measure/mechanism/head_looks.h"

namespace braid {

Result<Measured> measure_heads(const MeasureInput& input) {
    Measured measured;
    const Result<NeedleSet> needles = make_needle_set(input, measured);
    if (!needles) return fail(needles.error());
    const std::vector<NeedleSample>& samples = needles->samples;
    const Result<std::unique_ptr<Model>> model = input.open(input.checkpoint.folder, /*trainable=*/false);
    if (!model) return fail(model.error());
    const Result<HeadLooks> looks = look_at_heads(
        **model, samples, head_choice(input.text("layers")),
        [&](double fraction) { return input.go_on(0.5 * fraction, "looking where heads look"); });
    if (!looks) return fail(looks.error());
    if (looks->heads.empty()) return fail(no_such_heads(input, (*model)->mixers()));
    const Result<CopyScores> copied =
        copy_scores(**model, *needles->source, samples, looks->heads, input.integer("new_tokens"),
                    [&](double fraction) { return input.go_on(0.5 + 0.5 * fraction, "decoding answers"); });
    if (!copied) return fail(copied.error());

    const ArchitectureSpec& spec = input.architecture;
    const std::int64_t width = most_heads((*model)->mixers());
    measured.arrays = {head_array("mass", spec, width, *looks, Look::mass),
                       head_array("entropy", spec, width, *looks, Look::entropy),
                       head_array("entropy_keys", spec, width, *looks, Look::entropy_keys),
                       head_array("sink", spec, width, *looks, Look::sink),
                       head_array("hit_rate", spec, width, *looks, Look::hit)};
    MeasuredArray copies = empty_array("copy", "", {layer_axis(spec), count_axis("head", width)});
    copies.samples = {copied->counted};
    copies.missing = copied->counted > 0 ? measured.arrays[0].missing : "no answer said what was wanted";
    const MeasuredArray& mass = measured.arrays[0];
    for (std::size_t i = 0; i < looks->heads.size(); ++i)
        copies.values[mass.at(std::size_t(looks->heads[i].layer), std::size_t(looks->heads[i].place))] =
            copied->score[i];
    measured.settings["heads"] = looks->heads.size();

    std::vector<std::size_t> order(looks->heads.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto mass_of = [&](std::size_t i) {
        return mass.values[mass.at(std::size_t(looks->heads[i].layer), std::size_t(looks->heads[i].place))];
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return mass_of(a) > mass_of(b); });
    const auto rows = [&](const MeasuredArray& array) {
        Json json = Json::array();
        for (std::size_t l = 0; l < spec.layers.size(); ++l) {
            json.push_back(Json::array());
            for (std::size_t h = 0; h < std::size_t(width); ++h)
                json.back().push_back(finite_json(array.values[array.at(l, h)]));
        }
        return json;
    };
    measured.answer = {{"scores", rows(mass)},
                       {"copy_scores", rows(copies)},
                       {"n", samples.size()},
                       {"answers_counted", copied->counted},
                       {"top", Json::array()}};
    for (std::size_t r = 0; r < std::min<std::size_t>(2, order.size()); ++r) {
        const HeadPlace& head = looks->heads[order[r]];
        const std::size_t at = mass.at(std::size_t(head.layer), std::size_t(head.place));
        measured.answer["top"].push_back({{"layer", head.layer},
                                          {"head", head.place},
                                          {"mass", mass_of(order[r])},
                                          {"low", finite_json(mass.low[at])},
                                          {"high", finite_json(mass.high[at])},
                                          {"copy", finite_json(copies.values[at])}});
        measured.summary.push_back({.name = (r == 0 ? "top head, L" : "second head, L") +
                                            std::to_string(head.layer) + ".H" + std::to_string(head.place),
                                    .value = mass_of(order[r])});
    }
    measured.summary.push_back({.name = "answers that say it",
                                .value = 100 * double(copied->counted) / double(samples.size()),
                                .unit = "%"});
    measured.arrays.push_back(std::move(copies));
    return measured;
}

}  // namespace braid
