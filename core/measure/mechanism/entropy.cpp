// Entropy against hit rate of each head (Wang et al., Figs. 12 and 21).
#include "core/measure/mechanism/head_looks.h"

namespace braid {

Result<Measured> measure_entropy(const MeasureInput& input) {
    Measured measured;
    const Result<NeedleSet> needles = make_needle_set(input, measured);
    if (!needles) return fail(needles.error());
    const std::vector<NeedleSample>& samples = needles->samples;
    const Result<std::unique_ptr<Model>> model = input.open(input.checkpoint.folder, /*trainable=*/false);
    if (!model) return fail(model.error());
    const Result<HeadLooks> looks =
        look_at_heads(**model, samples, head_choice(input.text("layers")),
                      [&](double fraction) { return input.go_on(fraction, "looking where heads look"); });
    if (!looks) return fail(looks.error());
    const ArchitectureSpec& spec = input.architecture;
    if (looks->heads.empty()) return fail(no_such_heads(input, (*model)->mixers()));
    const std::int64_t width = most_heads((*model)->mixers());
    measured.arrays = {head_array("entropy", spec, width, *looks, Look::entropy),
                       head_array("entropy_keys", spec, width, *looks, Look::entropy_keys),
                       head_array("hit_rate", spec, width, *looks, Look::hit)};
    measured.answer = {{"points", Json::array()}, {"n", samples.size()}};
    for (const HeadPlace& head : looks->heads) {
        Json point = {{"layer", head.layer}, {"head", head.place}};
        for (const MeasuredArray& array : measured.arrays)
            point[array.name] = array.values[array.at(std::size_t(head.layer), std::size_t(head.place))];
        measured.answer["points"].push_back(std::move(point));
    }
    return measured;
}

}  // namespace braid
