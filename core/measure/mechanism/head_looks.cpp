// B sequences, T tokens of a prompt, S = T keys, n tokens of an answer.
#include "core/measure/mechanism/head_looks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/measure/greedy_answers.h"
#include "core/measure/mechanism/interval.h"
#include "core/mixers/builtin.h"

namespace braid {
namespace {

const MixerDescription& description_of(const ArchitectureSpec& spec, const HeadPlace& head) {
    return builtin_mixers()
        .find(spec.layers[std::size_t(head.layer)].groups[std::size_t(head.group)].mixer)
        ->description();
}

// f(tap, index into `heads`) for the chosen heads of a group.
template <class F>
void for_heads(const std::vector<HeadPlace>& heads, const GroupTap& tap, F&& f) {
    for (std::size_t i = 0; i < heads.size(); ++i)
        if (heads[i].layer == tap.layer && heads[i].group == tap.group) f(i);
}

}  // namespace

bool is_softmax(const ArchitectureSpec& spec, const HeadPlace& head) {
    return description_of(spec, head).softmax;
}

std::int64_t window_of(const ArchitectureSpec& spec, const HeadPlace& head) {
    const HeadGroup& group = spec.layers[std::size_t(head.layer)].groups[std::size_t(head.group)];
    const auto& described = description_of(spec, head).parameters;
    return find_parameter(described, "window") != nullptr ? group.parameters.integer("window", described) : 0;
}

LastShares last_shares(const AttentionRows& rows, bool softmax) {
    const at::Tensor weights_BS = rows.weights_BrS.select(1, rows.weights_BrS.size(1) - 1).to(at::kDouble);
    const at::Tensor none_B = at::zeros({weights_BS.size(0)}, weights_BS.options());
    if (!softmax) {
        const at::Tensor size = weights_BS.abs();
        return {size / size.sum(1, true).clamp_min(1e-300), none_B};
    }
    if (!rows.sink_Br.defined()) return {weights_BS, none_B};
    return {weights_BS, rows.sink_Br.select(1, rows.sink_Br.size(1) - 1).to(at::kDouble)};
}

at::Tensor share_entropy(const at::Tensor& shares_BS, double visible) {
    if (visible < 2) return at::zeros({shares_BS.size(0)}, shares_BS.options());
    // 0 log 0 = 0
    return (shares_BS * shares_BS.clamp_min(1e-300).log()).sum(1).div(-std::log(visible));
}

HeadChoice head_choice(const std::string& text) {
    return text == "full" ? HeadChoice::full : text == "softmax" ? HeadChoice::softmax : HeadChoice::all;
}

std::vector<HeadPlace> chosen_heads(const ArchitectureSpec& spec, const LayerMixers& mixers,
                                    HeadChoice choice) {
    std::vector<HeadPlace> heads;
    for (std::size_t l = 0; l < mixers.size(); ++l) {
        std::int64_t place = 0;
        for (std::size_t g = 0; g < mixers[l].size(); ++g)
            for (std::int64_t h = 0; h < mixers[l][g]->attention_heads(); ++h, ++place) {
                const HeadPlace head{
                    .layer = std::int64_t(l), .group = std::int64_t(g), .head = h, .place = place};
                const MixerDescription& mixer = description_of(spec, head);
                if (choice == HeadChoice::all || (choice == HeadChoice::softmax && mixer.softmax) ||
                    mixer.id == "full")
                    heads.push_back(head);
            }
    }
    return heads;
}

Error no_such_heads(const MeasureInput& input, const LayerMixers& mixers) {
    const auto count = [&](HeadChoice choice) {
        return std::to_string(chosen_heads(input.architecture, mixers, choice).size());
    };
    return to_error({{.path = "layers",
                      .rule = "must choose heads that the architecture has; its layers are " +
                              mixers_json(input.architecture).dump() + ", softmax chooses " +
                              count(HeadChoice::softmax) + " of its heads, all " + count(HeadChoice::all),
                      .found = input.text("layers")}});
}

std::int64_t most_heads(const LayerMixers& mixers) {
    std::int64_t most = 0;
    for (const auto& layer : mixers) {
        std::int64_t heads = 0;
        for (const auto& mixer : layer) heads += mixer->attention_heads();
        most = std::max(most, heads);
    }
    return most;
}

Result<HeadLooks> look_at_heads(Model& model, const std::vector<NeedleSample>& samples, HeadChoice choice,
                                const std::function<bool(double fraction)>& go_on) {
    const ArchitectureSpec& spec = model.spec();
    HeadLooks looks{.heads = chosen_heads(spec, model.mixers(), choice)};
    for (auto& of_look : looks.values)
        of_look.assign(looks.heads.size(), std::vector<double>(samples.size(), 0));
    std::size_t done = 0;
    for (const std::vector<std::size_t>& batch : equal_lengths(samples)) {
        if (go_on && !go_on(double(done) / double(samples.size()))) return fail(stopped());
        std::vector<const std::vector<std::int32_t>*> prompts;
        for (const std::size_t i : batch) prompts.push_back(&samples[i].prompt);
        const at::Tensor tokens_BT = token_tensor(prompts);
        const std::int64_t length = tokens_BT.size(1);
        at::Tensor needle_BS = at::zeros(tokens_BT.sizes(), at::kDouble);
        for (std::size_t b = 0; b < batch.size(); ++b) {
            const TokenRange& needle = samples[batch[b]].needle;
            needle_BS.select(0, std::int64_t(b)).narrow(0, needle.begin, needle.size()).fill_(1);
        }
        needle_BS = needle_BS.to(model.ops().device());
        std::vector<at::Tensor> answers(looks.heads.size());  // [look, B]
        ForwardTaps taps;
        taps.mixed = [&](const GroupTap& tap) {
            for_heads(looks.heads, tap, [&](std::size_t i) {
                const HeadPlace& head = looks.heads[i];
                const LastShares row = last_shares(
                    tap.mixer.attention_rows(tap.pass(), head.head, length - 1, 1), is_softmax(spec, head));
                const std::int64_t window = window_of(spec, head);
                const double visible = double(window > 0 ? std::min(window, length) : length);
                const at::Tensor keys_BS = row.shares_BS / (1 - row.sink_B).clamp_min(1e-300).unsqueeze(1);
                const at::Tensor top_B1 = row.shares_BS.argmax(1, true);
                answers[i] = at::stack(
                    {(row.shares_BS * needle_BS).sum(1), share_entropy(row.shares_BS, visible),
                     share_entropy(keys_BS, visible), row.sink_B, needle_BS.gather(1, top_B1).squeeze(1)});
            });
        };
        model.forward(tokens_BT, taps);
        for (std::size_t i = 0; i < looks.heads.size(); ++i) {
            const at::Tensor answer = answers[i].to(at::kCPU).contiguous();
            const double* from = answer.const_data_ptr<double>();
            for (auto& of_look : looks.values)
                for (const std::size_t sample : batch) of_look[i][sample] = *from++;
        }
        done += batch.size();
    }
    return looks;
}

MeasuredArray head_array(const char* name, const ArchitectureSpec& spec, std::int64_t heads,
                         const HeadLooks& looks, Look look) {
    MeasuredArray array = empty_array(name, "", {layer_axis(spec), count_axis("head", heads)});
    array.low = array.high = array.values;
    array.missing = "not among the layers that were looked at";
    for (std::size_t i = 0; i < looks.heads.size(); ++i) {
        const std::size_t at = array.at(std::size_t(looks.heads[i].layer), std::size_t(looks.heads[i].place));
        const Interval mean = mean_interval(looks.of(look, i));
        array.values[at] = mean.value, array.low[at] = mean.low, array.high[at] = mean.high;
        array.samples = {std::int64_t(looks.of(look, i).size())};
    }
    return array;
}

Result<CopyScores> copy_scores(Model& model, const NeedleSource& source,
                               const std::vector<NeedleSample>& samples, const std::vector<HeadPlace>& heads,
                               std::int64_t new_tokens, const std::function<bool(double fraction)>& go_on) {
    CopyScores scores{.score = std::vector<double>(heads.size(), 0)};
    std::vector<GreedyPrompt> prompts;
    for (const NeedleSample& sample : samples)
        prompts.push_back(
            {.tokens = sample.prompt, .new_tokens = std::min(new_tokens, sample.answer_tokens)});
    GreedyOptions options;
    options.go_on = [&](const GreedyProgress& at) {
        return !go_on || go_on(0.5 * double(at.answers_done) / double(std::max<std::int64_t>(at.answers, 1)));
    };
    const Result<std::vector<GreedyAnswer>> answers = greedy_answers(model, prompts, options);
    if (!answers) return fail(answers.error());
    // What a head saw while it generated is what it sees when prompt and answer are read at once.
    for (std::size_t s = 0; s < samples.size(); ++s) {
        if (go_on && !go_on(0.5 + 0.5 * double(s) / double(samples.size()))) return fail(stopped());
        const std::vector<std::int32_t>& answer = (*answers)[s].tokens;
        if (answer.empty() || !source.says_it(samples[s], answer)) continue;
        ++scores.counted;
        std::vector<std::int32_t> text = samples[s].prompt;
        text.insert(text.end(), answer.begin(), answer.end() - 1);
        const auto first = std::int64_t(samples[s].prompt.size()) - 1;
        ForwardTaps taps;
        taps.mixed = [&](const GroupTap& tap) {
            for_heads(heads, tap, [&](std::size_t i) {
                const AttentionRows rows =
                    tap.mixer.attention_rows(tap.pass(), heads[i].head, first, std::int64_t(answer.size()));
                const at::Tensor top_n = rows.weights_BrS[0].abs().argmax(1).to(at::kCPU).contiguous();
                for (std::size_t n = 0; n < answer.size(); ++n) {
                    const std::int64_t key = top_n.const_data_ptr<std::int64_t>()[n];
                    if (samples[s].value.holds(key) && text[std::size_t(key)] == answer[n])
                        scores.score[i] += 1 / double(samples[s].value.size());
                }
            });
        };
        model.forward(token_tensor({&text}), taps);
    }
    for (double& score : scores.score)
        score =
            scores.counted > 0 ? score / double(scores.counted) : std::numeric_limits<double>::quiet_NaN();
    return scores;
}

}  // namespace braid
