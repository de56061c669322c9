// Ablation of heads: what they give to the output projection becomes zero, its mean over the samples, or what
// the same heads give in another checkpoint; what the score loses.
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <map>

#include "core/measure/mechanism/head_looks.h"
#include "core/measure/mechanism/projections.h"
#include "core/measure/mechanism/score_set.h"
#include "core/spec/number_text.h"

namespace braid {
namespace {

using GroupId = std::pair<std::int64_t, std::int64_t>;  // layer, group

// "3.1,3.2,5": layer.head, or all heads of a layer. Everything that is wrong, at once.
Checked<std::vector<HeadPlace>> parse_heads(const std::string& text, const std::vector<HeadPlace>& all) {
    std::vector<HeadPlace> heads;
    Diagnostics problems;
    const auto refuse = [&](const std::string& rule, const std::string& word) {
        problems.push_back({.path = "heads", .rule = rule, .found = "\"" + word + "\""});
    };
    const std::int64_t layers = all.empty() ? 0 : all.back().layer + 1;
    for (const std::string_view part : comma_parts(text)) {
        const std::string word(part);
        const std::size_t dot = word.find('.');
        const auto layer = read_integer(word.substr(0, dot));
        const auto head =
            dot == std::string::npos ? std::optional<std::int64_t>(-1) : read_integer(word.substr(dot + 1));
        if (!layer || !head || (dot != std::string::npos && *head < 0)) {
            refuse("must be written layer.head, as in 3.1, or layer", word);
            continue;
        }
        if (*layer < 0 || *layer >= layers) {
            refuse("must name a layer from 0 to " + std::to_string(layers - 1), word);
            continue;
        }
        std::int64_t of_layer = 0, found = 0;
        for (const HeadPlace& place : all) {
            if (place.layer != *layer) continue;
            ++of_layer;
            if (*head >= 0 && place.place != *head) continue;
            heads.push_back(place);
            ++found;
        }
        if (found == 0)
            refuse("must name a head from 0 to " + std::to_string(of_layer - 1) + " of layer " +
                       std::to_string(*layer),
                   word);
    }
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return heads;
}

at::Tensor columns_of(const GroupTap& tap, const at::Tensor& x_BTO, std::int64_t head) {
    const std::int64_t width = tap.mixer.output_width() / tap.mixer.attention_heads();
    return x_BTO.narrow(2, head * width, width);
}

// What takes the place of the outputs.
class Replacement {
public:
    Replacement(const ScoreSet& set, Model& model, Model* other) : set_(set), model_(model), other_(other) {}

    // Means over all positions of the set, [O] by group.
    Result<void> find_means(const std::function<bool(double)>& go_on) {
        std::map<GroupId, double> counts;
        ForwardTaps taps;
        taps.mixed = [&](const GroupTap& tap) {
            const at::Tensor sum_O = tap.out_BTC.to(at::kDouble).sum(0).sum(0);
            at::Tensor& total = means_[{tap.layer, tap.group}];
            total = total.defined() ? total + sum_O : sum_O;
            counts[{tap.layer, tap.group}] += double(tap.out_BTC.size(0) * tap.out_BTC.size(1));
        };
        const Result<SequenceScores> scores = set_.score(model_, &taps, go_on);
        if (!scores) return fail(scores.error());
        for (auto& [group, total] : means_) total = total / counts[group];
        return {};
    }

    Result<SequenceScores> scores(const std::vector<HeadPlace>& heads,
                                  const std::function<bool(double)>& go_on) {
        ForwardTaps taps;
        std::map<GroupId, at::Tensor> patches;
        taps.mixed = [&](const GroupTap& tap) {
            for (const HeadPlace& head : heads) {
                if (head.layer != tap.layer || head.group != tap.group) continue;
                const at::Tensor to = columns_of(tap, tap.out_BTC, head.head);
                const GroupId id{tap.layer, tap.group};
                if (other_ != nullptr)
                    to.copy_(columns_of(tap, patches.at(id), head.head));
                else if (!means_.empty())
                    to.copy_(columns_of(tap, means_.at(id).view({1, 1, -1}), head.head).expand_as(to));
                else
                    to.zero_();
            }
        };
        if (other_ == nullptr) return set_.score(model_, &taps, go_on);
        ForwardTaps keep;
        keep.mixed = [&](const GroupTap& tap) { patches[{tap.layer, tap.group}] = tap.out_BTC.clone(); };
        return set_.score(model_, &taps, go_on,
                          [&](const at::Tensor& tokens_BT) { other_->forward(tokens_BT, keep); });
    }

private:
    const ScoreSet& set_;
    Model& model_;
    Model* other_;
    std::map<GroupId, at::Tensor> means_;
};

}  // namespace

Result<Measured> measure_ablate(const MeasureInput& input) {
    Measured measured;
    const std::string mode = input.text("mode"), from = input.text("from");
    if (mode == "patch" && from.empty())
        return fail(to_error(
            {{.path = "from", .rule = "must name a checkpoint where mode is patch", .found = "nothing"}}));
    const Result<ScoreSet> set = make_score_set(input, measured);
    if (!set) return fail(set.error());
    const ArchitectureSpec& spec = input.architecture;
    const Result<LayerMixers> mixers = make_mixers(spec);
    if (!mixers) return fail(mixers.error());
    const std::vector<HeadPlace> all = chosen_heads(spec, *mixers, HeadChoice::all);
    const std::string text = input.text("heads");
    const Checked<std::vector<HeadPlace>> chosen =
        text.empty() ? Checked<std::vector<HeadPlace>>(all) : parse_heads(text, all);
    if (!chosen) return fail(to_error(chosen.error()));
    const Result<WeightsOrigin> origin = mode == "patch" ? input.find(from) : WeightsOrigin();
    if (!origin) return fail(origin.error());
    const Result<std::unique_ptr<Model>> model = input.open(input.checkpoint.folder, /*trainable=*/false);
    if (!model) return fail(model.error());
    std::unique_ptr<Model> other;
    if (mode == "patch") {
        Result<std::unique_ptr<Model>> opened = open_other(input, **model, origin->folder, "from");
        if (!opened) return fail(std::move(opened.error()));
        other = std::move(*opened);
        measured.settings["from_checkpoint"] = to_json(*origin);
    }

    std::vector<std::vector<HeadPlace>> sets;  // ablated together
    if (text.empty())
        for (const HeadPlace& head : all) sets.push_back({head});
    else
        sets.push_back(*chosen);
    const double parts = double(sets.size()) + 2;
    double done = 0;
    const auto go_on = [&](double fraction) {
        return input.go_on((done + fraction) / parts, "scoring on " + set->name);
    };
    const Result<SequenceScores> base = set->score(**model, nullptr, go_on);
    if (!base) return fail(base.error());
    done += 1;
    Replacement replacement(*set, **model, other.get());
    if (mode == "mean")
        if (const Result<void> found = replacement.find_means(go_on); !found) return fail(found.error());
    const auto resamples = input.integer("bootstrap");
    const auto seed = std::uint64_t(input.integer("seed"));
    const auto width = std::size_t(most_heads(*mixers));
    MeasuredAxis together{.name = "heads", .ticks = {text}};
    ChangeArrays arrays("change", "accuracy_change",
                        text.empty() ? std::vector{layer_axis(spec), count_axis("head", std::int64_t(width))}
                                     : std::vector{together});
    add_base_score(*set, *base, measured);
    measured.answer = {{"score", set->name},
                       {"mode", mode},
                       {"base", loss_of(*base, 0, 0).value},
                       {"n", set->batch.sequences},
                       {"ablations", Json::array()}};
    for (const std::vector<HeadPlace>& heads : sets) {
        done += 1;
        const Result<SequenceScores> scores = replacement.scores(heads, go_on);
        if (!scores) return fail(scores.error());
        const Interval loss = loss_change(*base, *scores, resamples, seed);
        const Interval accuracy = accuracy_change(*base, *scores, resamples, seed);
        const std::size_t at =
            text.empty() ? std::size_t(heads[0].layer) * width + std::size_t(heads[0].place) : 0;
        arrays.set(at, loss, accuracy);
        Json names = Json::array();
        for (const HeadPlace& head : heads) names.push_back({{"layer", head.layer}, {"head", head.place}});
        Json one = change_json(loss, accuracy);
        one["heads"] = std::move(names);
        measured.answer["ablations"].push_back(std::move(one));
    }
    arrays.move_to(measured, set->batch.sequences, "the layer has fewer heads");
    return measured;
}

}  // namespace braid
