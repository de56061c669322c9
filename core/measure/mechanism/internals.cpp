// Recurrent internals: decays and write strengths, how many tokens a state remembers, and its norm over the
// text.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>
#include <cmath>

#include "core/measure/mechanism/sample_texts.h"
#include "core/measure/position_losses.h"

namespace braid {
namespace {

constexpr std::int64_t ranges = 32;  // of positions

// Mean number of tokens until the product of the decays that follow falls below 1/e, over the starting points
// of [B, T] log-decays; where the text ends before, what is left of it counts.
struct Memory {
    double tokens = 0;
    double ended = 0;  // share of the starting points where the text ended before
};
Memory memory_length(const at::Tensor& log_decay_BT) {
    const at::Tensor all = log_decay_BT.to(at::kCPU, at::kDouble).contiguous();
    const std::int64_t batch = all.size(0), tokens = all.size(1);
    double sum = 0, ended = 0;
    for (std::int64_t b = 0; b < batch; ++b) {
        const double* decay = all.const_data_ptr<double>() + b * tokens;
        double product = 0;  // log of the decays (t, end]
        std::int64_t end = 0;
        for (std::int64_t t = 0; t < tokens; ++t) {
            if (end < t) end = t, product = 0;
            while (end + 1 < tokens && product > -1) product += decay[++end];
            sum += double(end - t);
            ended += product > -1 ? 1 : 0;
            if (t + 1 <= end) product -= decay[t + 1];
        }
    }
    return {.tokens = sum / double(batch * tokens), .ended = ended / double(batch * tokens)};
}

struct Sums {
    std::vector<double> decay, write, memory, ended;  // by state
    std::vector<std::vector<double>> norms, decays;   // by state and range
};

// States of a group: S of them, sums over texts.
void add(const GroupTap& tap, const std::vector<std::int64_t>& ends, Sums& sums) {
    const RecurrentGates gates = tap.mixer.gates(tap.pass());
    if (!gates.log_decay_BTS.defined()) return;
    const std::int64_t batch = tap.in_BTC.size(0), tokens = tap.in_BTC.size(1);
    at::Tensor decay_BTS = gates.log_decay_BTS.to(at::kDouble);
    const std::int64_t states = decay_BTS.size(-1);
    if (decay_BTS.dim() == 1) decay_BTS = decay_BTS.view({1, 1, states}).expand({batch, tokens, states});
    for (std::vector<double>* list : {&sums.decay, &sums.write, &sums.memory, &sums.ended})
        list->resize(std::size_t(states), 0);
    for (auto* list : {&sums.norms, &sums.decays})
        list->resize(std::size_t(states), std::vector<double>(ends.size(), 0));
    const auto each = [&](const at::Tensor& x_S, auto&& to) {
        const at::Tensor values = x_S.to(at::kCPU, at::kDouble).contiguous();
        for (std::int64_t s = 0; s < states; ++s) to(std::size_t(s), values.const_data_ptr<double>()[s]);
    };
    each(decay_BTS.exp().mean(1).mean(0), [&](std::size_t s, double value) { sums.decay[s] += value; });
    if (gates.write_BTS.defined())
        each(gates.write_BTS.to(at::kDouble).mean(1).mean(0),
             [&](std::size_t s, double value) { sums.write[s] += value; });
    for (std::int64_t s = 0; s < states; ++s) {
        const Memory memory = memory_length(decay_BTS.select(2, s));
        sums.memory[std::size_t(s)] += memory.tokens;
        sums.ended[std::size_t(s)] += memory.ended;
    }
    MixerState state = tap.mixer.make_state(tap.ops, batch, tokens);
    std::int64_t begin = 0;
    for (std::size_t r = 0; r < ends.size(); begin = ends[r++]) {
        const at::Tensor in = tap.in_BTC.narrow(1, begin, ends[r] - begin).contiguous();
        const at::Tensor out = at::empty({batch, in.size(1), tap.out_BTC.size(2)}, tap.out_BTC.options());
        tap.mixer.extend(tap.ops, tap.parameters, in, out, state, begin);
        const at::Tensor norm_S =
            at::linalg_vector_norm(state.recurrent[0].to(at::kDouble), 2, at::IntArrayRef({2, 3})).mean(0);
        each(norm_S, [&](std::size_t s, double value) { sums.norms[s][r] += value; });
        each(decay_BTS.narrow(1, begin, in.size(1)).exp().mean(1).mean(0),
             [&](std::size_t s, double value) { sums.decays[s][r] += value; });
    }
}

}  // namespace

Result<Measured> measure_internals(const MeasureInput& input) {
    Measured measured;
    const Result<std::int64_t> context = sample_context(input, measured);
    if (!context) return fail(context.error());
    const auto texts = sample_texts(input, *context, input.integer("samples"), measured);
    if (!texts) return fail(texts.error());
    const Result<std::unique_ptr<Model>> model = input.open(input.checkpoint.folder, /*trainable=*/false);
    if (!model) return fail(model.error());
    const ArchitectureSpec& spec = input.architecture;
    const std::vector<std::int64_t> ends = position_buckets(*context, ranges, false);
    std::vector<std::vector<Sums>> sums(spec.layers.size());
    for (std::size_t l = 0; l < sums.size(); ++l) sums[l].resize(spec.layers[l].groups.size());
    ForwardTaps taps;
    taps.mixed = [&](const GroupTap& tap) {
        add(tap, ends, sums[std::size_t(tap.layer)][std::size_t(tap.group)]);
    };
    for (std::size_t t = 0; t < texts->size(); ++t) {
        if (!input.go_on(double(t) / double(texts->size()),
                         "reading " + std::to_string(texts->size()) + " texts"))
            return fail(stopped());
        (*model)->forward(token_tensor({&(*texts)[t]}), taps);
    }

    std::size_t width = 0;
    for (const auto& layer : sums) {
        std::size_t states = 0;
        for (const Sums& group : layer) states += group.decay.size();
        width = std::max(width, states);
    }
    if (width == 0)
        return fail(ErrorKind::invalid_input,
                    "the architecture has no recurrent layers; its layers are " + mixers_json(spec).dump(),
                    input.checkpoint.folder, "Take a checkpoint with lightning, mamba2 or gdn layers");
    std::vector<double> places(ends.begin(), ends.end());
    const std::vector<MeasuredAxis> axes = {layer_axis(spec), count_axis("state", std::int64_t(width))};
    std::vector<MeasuredAxis> along = axes;
    along.push_back(number_axis("position", "tokens", places));
    MeasuredArray decay = empty_array("decay", "", axes), write = empty_array("write", "", axes),
                  memory = empty_array("memory", "tokens", axes), ended = empty_array("memory_cut", "", axes),
                  norm = empty_array("state_norm", "", along),
                  decays = empty_array("decay_by_position", "", along);
    const double count = double(texts->size());
    measured.answer = {{"layers", Json::array()}, {"n", texts->size()}};
    for (std::size_t l = 0; l < sums.size(); ++l) {
        std::size_t place = 0;
        Json item = {{"layer", l}, {"mixer", mixers_of(spec, l)}, {"states", Json::array()}};
        for (const Sums& group : sums[l])
            for (std::size_t s = 0; s < group.decay.size(); ++s, ++place) {
                const std::size_t at = decay.at(l, place);
                decay.values[at] = group.decay[s] / count;
                write.values[at] = group.write[s] / count;
                memory.values[at] = group.memory[s] / count;
                ended.values[at] = group.ended[s] / count;
                for (std::size_t r = 0; r < ends.size(); ++r) {
                    norm.values[at * ends.size() + r] = group.norms[s][r] / count;
                    decays.values[at * ends.size() + r] = group.decays[s][r] / count;
                }
                item["states"].push_back({{"state", place},
                                          {"decay", decay.values[at]},
                                          {"write", write.values[at]},
                                          {"memory", memory.values[at]},
                                          {"memory_cut", ended.values[at]},
                                          {"state_norm", norm.values[at * ends.size() + ends.size() - 1]}});
            }
        if (place > 0) measured.answer["layers"].push_back(std::move(item));
    }
    for (MeasuredArray* array : {&decay, &write, &memory, &ended, &norm, &decays}) {
        array->samples = {std::int64_t(texts->size())};
        array->missing = "not recurrent";
        measured.arrays.push_back(std::move(*array));
    }
    measured.notes.emplace_back(
        "memory: tokens until the product of the decays falls below 1/e; memory_cut: the share of tokens "
        "behind which the text ends before that, so that memory is at least so long.");
    return measured;
}

}  // namespace braid
