// Exact attention of one head over a text, row by row into a .npy file: no matrix in memory.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>

#include <algorithm>
#include <cmath>

#include "core/base/npy.h"
#include "core/measure/mechanism/head_looks.h"
#include "core/measure/token_array.h"
#include "core/mixers/builtin.h"

namespace braid {
namespace {

constexpr std::int64_t longest = 4'096;  // tokens of a whole matrix
constexpr std::int64_t rows_at_once = 256;

// The head, or everything that is wrong with where it is looked for.
Checked<HeadPlace> find_head(const MeasureInput& input, const LayerMixers& mixers) {
    const std::int64_t layer = input.integer("layer"), head = input.integer("head");
    Diagnostics problems;
    const auto layers = std::int64_t(mixers.size());
    if (layer >= layers)
        problems.push_back({.path = "layer",
                            .rule = "must be from 0 to " + std::to_string(layers - 1),
                            .found = std::to_string(layer)});
    const std::vector<HeadPlace> all = chosen_heads(input.architecture, mixers, HeadChoice::all);
    std::int64_t heads = 0;
    for (const HeadPlace& place : all) {
        if (place.layer == layer && place.place == head) return place;
        heads += place.layer == layer ? 1 : 0;
    }
    if (layer < layers)
        problems.push_back(
            {.path = "head",
             .rule = "must be from 0 to " + std::to_string(heads - 1) + " in layer " + std::to_string(layer),
             .found = std::to_string(head)});
    return tl::unexpected(std::move(problems));
}

Result<std::vector<std::int32_t>> tokens_of(const MeasureInput& input, Measured& measured) {
    if (const std::string file = input.text("tokens"); !file.empty()) {
        const Result<std::vector<std::int64_t>> tokens = read_token_array(file, input.architecture.vocab);
        if (!tokens) return fail(tokens.error());
        return std::vector<std::int32_t>(tokens->begin(), tokens->end());
    }
    const Result<std::int64_t> context = sample_context(input, measured);
    if (!context) return fail(context.error());
    const auto source = make_needle_source(input, *context, false, measured);
    if (!source) return fail(source.error());
    Result<NeedleSample> sample = (*source)->sample(0, 0.5);
    if (!sample) return fail(std::move(sample.error()));
    measured.settings["needle"] = {sample->needle.begin, sample->needle.end};
    return std::move(sample->prompt);
}

}  // namespace

Result<Measured> measure_attention(const MeasureInput& input) {
    Measured measured;
    const std::string out = input.text("out");
    const Result<LayerMixers> mixers = make_mixers(input.architecture);
    if (!mixers) return fail(mixers.error());
    Checked<HeadPlace> head = find_head(input, *mixers);
    Diagnostics problems = head ? Diagnostics() : head.error();
    if (out.empty())
        problems.push_back({.path = "out", .rule = "must name the file to write", .found = "nothing"});
    if (!problems.empty()) return fail(to_error(problems));
    const Result<std::vector<std::int32_t>> tokens = tokens_of(input, measured);
    if (!tokens) return fail(tokens.error());
    const auto length = std::int64_t(tokens->size());
    if (length > longest)
        return fail(to_error(
            {{.path = "tokens",
              .rule = "must be at most " + std::to_string(longest) +
                      " for a whole matrix (this one would be " +
                      std::to_string(length * length * 4 / (1 << 20)) +
                      " MiB); give a part of the text, or look at the heads with braid-engine measure heads",
              .found = std::to_string(length)}}));
    if (input.trained_context && length > *input.trained_context)
        measured.notes.push_back("The text of " + std::to_string(length) +
                                 " tokens is longer than the context of the training (" +
                                 std::to_string(*input.trained_context) + ").");
    const bool softmax =
        builtin_mixers()
            .find(input.architecture.layers[std::size_t(head->layer)].groups[std::size_t(head->group)].mixer)
            ->description()
            .softmax;
    if (!softmax) measured.notes.emplace_back("Implied by the recurrence: rows need not sum to 1.");
    const Result<std::unique_ptr<Model>> model = input.open(input.checkpoint.folder, /*trainable=*/false);
    if (!model) return fail(model.error());

    MeasuredArray received = empty_array("received", "", {count_axis("position", length)});
    MeasuredArray sink = empty_array("sink", "", {count_axis("position", length)});
    std::fill(received.values.begin(), received.values.end(), 0);
    sink.missing = "no sink";
    bool has_sink = false;
    Result<void> written;
    std::optional<NpyWriter> writer;
    const auto take = [&](const AttentionRows& rows, std::int64_t first, std::int64_t count) -> Result<void> {
        has_sink = rows.sink_Br.defined();
        if (!writer) {
            Result<NpyWriter> made = NpyWriter::create(out, {length, length + (has_sink ? 1 : 0)});
            if (!made) return fail(std::move(made.error()));
            writer.emplace(std::move(*made));
        }
        at::Tensor block = at::constant_pad_nd(rows.weights_BrS[0], {0, length - rows.weights_BrS.size(2)});
        const at::Tensor sums = block.to(at::kDouble).sum(0).to(at::kCPU).contiguous();
        for (std::int64_t s = 0; s < length; ++s)
            received.values[std::size_t(s)] += sums.const_data_ptr<double>()[s];
        if (has_sink) {
            const at::Tensor shares = rows.sink_Br[0].to(at::kCPU, at::kDouble).contiguous();
            std::copy_n(shares.const_data_ptr<double>(), count, sink.values.begin() + first);
            block = at::cat({block, rows.sink_Br[0].unsqueeze(1)}, 1);
        }
        block = block.to(at::kCPU, at::kFloat).contiguous();
        return writer->write({block.const_data_ptr<float>(), std::size_t(block.numel())});
    };
    ForwardTaps taps;
    taps.mixed = [&](const GroupTap& tap) {
        if (tap.layer != head->layer || tap.group != head->group) return;
        for (std::int64_t first = 0; first < length && written; first += rows_at_once) {
            const std::int64_t count = std::min(rows_at_once, length - first);
            if (!input.go_on(double(first) / double(length), "rows of attention"))
                written = fail(stopped());
            else
                written = take(tap.mixer.attention_rows(tap.pass(), head->head, first, count), first, count);
        }
    };
    (*model)->forward(token_tensor({&*tokens}), taps);
    if (!written) return fail(written.error());
    if (Result<void> finished = writer->finish(); !finished) return fail(std::move(finished.error()));
    // Of the queries that could look there.
    for (std::int64_t s = 0; s < length; ++s) received.values[std::size_t(s)] /= double(length - s);
    measured.settings["text"] = content_hash(Json(*tokens));
    measured.settings["implied"] = !softmax;
    measured.answer = {{"npy", out},          {"tokens", length}, {"layer", head->layer},
                       {"head", head->place}, {"sink", has_sink}, {"implied", !softmax}};
    MeasuredArray text = empty_array("token", "", {count_axis("position", length)});
    std::copy(tokens->begin(), tokens->end(), text.values.begin());
    received.samples = sink.samples = text.samples = {1};
    measured.arrays = {std::move(text), std::move(received), std::move(sink)};
    return measured;
}

}  // namespace braid
