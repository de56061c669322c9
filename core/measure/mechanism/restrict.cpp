// Receptive-field restriction (paper D.1, Fig. 3): the change in log LongPPL, or in the loss of a task's far
// questions, when one layer or all layers of a kind see no farther than a horizon.
#include <algorithm>
#include <set>

#include "core/measure/mechanism/restriction.h"
#include "core/measure/mechanism/score_set.h"

namespace braid {
namespace {

struct Restricted {
    Model& model;
    const ScoreSet& set;
    SequenceScores base;

    Result<SequenceScores> scores(const Horizon& horizon, const GroupChoice& chosen,
                                  const std::function<bool(double)>& go_on) const {
        const ArchitectureSpec whole = model.spec();
        const ForwardTaps taps = restricted_taps(whole, horizon, chosen);
        if (Result<void> changed = model.change_layers(restricted_spec(whole, horizon.tokens, chosen));
            !changed)
            return fail(std::move(changed.error()));
        Result<SequenceScores> scores = set.score(model, &taps, go_on);
        if (Result<void> back = model.change_layers(whole); !back) return fail(std::move(back.error()));
        return scores;
    }
};

std::vector<std::string> kinds_of(const ArchitectureSpec& spec) {
    std::vector<std::string> kinds;
    for (const LayerSpec& layer : spec.layers)
        for (const HeadGroup& group : layer.groups)
            if (std::find(kinds.begin(), kinds.end(), group.mixer) == kinds.end())
                kinds.push_back(group.mixer);
    return kinds;
}

}  // namespace

Result<Measured> measure_restrict(const MeasureInput& input) {
    Measured measured;
    const Result<ScoreSet> set = make_score_set(input, measured);
    if (!set) return fail(set.error());
    const std::string text = input.text("horizon");
    const Checked<std::vector<double>> horizons =
        text.empty() ? Checked<std::vector<double>>(
                           std::vector{double(std::max<std::int64_t>(1, set->batch.context / 8))})
                     : parse_numbers(text, "horizon", 0, 1e8);
    if (!horizons) return fail(to_error(horizons.error()));
    const ArchitectureSpec& spec = input.architecture;
    const std::vector<std::string> kinds = kinds_of(spec);
    const MeasuredAxis horizon_axis = number_axis("horizon", "tokens", *horizons);
    MeasuredAxis kind_axis{.name = "kind"};
    for (const std::string& kind : kinds) kind_axis.ticks.emplace_back(kind);
    ChangeArrays by_kind("change_by_kind", "accuracy_change_by_kind", {horizon_axis, kind_axis});
    ChangeArrays by_layer("change_by_layer", "accuracy_change_by_layer", {horizon_axis, layer_axis(spec)});

    const Result<std::unique_ptr<Model>> model = input.open(input.checkpoint.folder, /*trainable=*/false);
    if (!model) return fail(model.error());
    const std::size_t layers = spec.layers.size(), each = kinds.size() + layers;
    double done = 0;
    const double parts = 1 + double(horizons->size() * each);
    const auto go_on = [&](double fraction) {
        return input.go_on((done + fraction) / parts, "scoring on " + set->name);
    };
    Result<SequenceScores> base = set->score(**model, nullptr, go_on);
    if (!base) return fail(std::move(base.error()));
    const Restricted restricted{.model = **model, .set = *set, .base = std::move(*base)};
    const auto resamples = input.integer("bootstrap");
    const auto seed = std::uint64_t(input.integer("seed"));
    Json& json = measured.answer;
    json = {
        {"score", set->name}, {"base", loss_of(restricted.base, 0, 0).value}, {"horizons", Json::array()}};
    for (std::size_t h = 0; h < horizons->size(); ++h) {
        Horizon horizon{.tokens = std::int64_t((*horizons)[h])};
        horizon.stride = input.integer("stride") > 0 ? input.integer("stride")
                                                     : std::max<std::int64_t>(1, horizon.tokens / 2);
        Json item = {{"horizon", horizon.tokens},
                     {"stride", horizon.stride},
                     {"kinds", Json::array()},
                     {"layers", Json::array()}};
        for (std::size_t i = 0; i < each; ++i) {
            const bool kind = i < kinds.size();
            const std::size_t layer = kind ? 0 : i - kinds.size();
            done += 1;
            const Result<SequenceScores> scores = restricted.scores(
                horizon,
                [&](std::size_t l, std::size_t g) {
                    return kind ? spec.layers[l].groups[g].mixer == kinds[i] : l == layer;
                },
                go_on);
            if (!scores) return fail(scores.error());
            const Interval loss = loss_change(restricted.base, *scores, resamples, seed);
            const Interval accuracy = accuracy_change(restricted.base, *scores, resamples, seed);
            ChangeArrays& arrays = kind ? by_kind : by_layer;
            arrays.set(kind ? h * kinds.size() + i : h * layers + layer, loss, accuracy);
            Json one = change_json(loss, accuracy);
            one["n"] = set->batch.sequences;
            if (kind)
                one["mixer"] = kinds[i];
            else
                one["layer"] = layer, one["mixer"] = mixers_of(spec, layer);
            item[kind ? "kinds" : "layers"].push_back(std::move(one));
        }
        json["horizons"].push_back(std::move(item));
    }
    add_base_score(*set, restricted.base, measured);
    for (std::size_t i = 0; i < kinds.size(); ++i)
        measured.summary.push_back(
            {.name = "change, " + kinds[i], .value = by_kind.loss.values[i], .unit = "nats"});
    for (ChangeArrays* arrays : {&by_kind, &by_layer}) arrays->move_to(measured, set->batch.sequences);
    return measured;
}

}  // namespace braid
