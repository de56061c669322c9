// Captures in run folders as an engine writes them, from made-up queries and keys: a head that finds the
// needle, one of a window, one that a recurrence implies, and heads that look nearby.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "core/attention/capture_file.h"
#include "core/base/random.h"
#include "core/record/capture.h"
#include "core/record/measurement.h"
#include "core/record/run_folder.h"

namespace braid {

struct CaptureMake {
    std::int64_t tokens = 512;
    std::int64_t step = 600;
    double retrieval = 6;  // how strongly head 2.1 finds the needle
    std::int64_t sample = 17;
    bool detail = true;      // all heads in detail, or thumbnails only
    int finest = 0;          // of stored tiles
    std::uint64_t seed = 5;  // of the text
    std::vector<std::string> notes = {};
    std::int64_t first_layer = 0;  // heads of earlier ones are left out: a long text takes its time
};

inline constexpr std::int64_t made_layers = 3, made_heads = 2, made_width = 24;

inline HeadFactors made_factors(const CaptureMake& make, std::int64_t layer, std::int64_t head) {
    const std::int64_t T = make.tokens, K = made_width;
    HeadFactors factors{
        .tokens = T, .width = K, .window = layer == 1 ? T / 8 : 0, .implied = layer == 0 && head == 1};
    Random random(std::uint64_t(layer * 10 + head + 1), "heads");
    factors.q_TK.resize(std::size_t(T * K));
    factors.k_TK.resize(std::size_t(T * K));
    factors.offset_T.assign(std::size_t(T), 0);
    const std::int64_t needle = T / 3;
    for (std::int64_t i = 0; i < T; ++i) {
        float* q = &factors.q_TK[std::size_t(i * K)];
        float* k = &factors.k_TK[std::size_t(i * K)];
        for (std::int64_t j = 0; j < K; ++j) {
            q[j] = float(0.35 * random.normal());
            k[j] = float(random.normal());
        }
        // Nearby tokens: the same phase of a few slow waves.
        const double pull = head == 0 ? 1.6 : 0.5;
        for (int wave = 0; wave < 4; ++wave) {
            const double phase = double(i) * 6.28 / double(T) * double(1 << (2 * wave));
            q[2 * wave] = float(pull * std::cos(phase));
            q[2 * wave + 1] = float(pull * std::sin(phase));
            k[2 * wave] = float(std::cos(phase));
            k[2 * wave + 1] = float(std::sin(phase));
        }
        if (layer == 2 && head == 1) {
            q[K - 1] = i >= T - T / 16 ? float(make.retrieval) : 0.0F;
            k[K - 1] = i >= needle && i < needle + 6 ? 1.6F : 0.0F;
        }
    }
    if (factors.implied) {
        for (std::int64_t i = 0; i < T; ++i) factors.offset_T[std::size_t(i)] = -0.02 * double(i);
        return factors;
    }
    // The denominators, block by block, a sink among them.
    constexpr std::int64_t block = 64;
    std::vector<float> weights(std::size_t(block * T));
    const double sink = std::exp(2.0);
    factors.sink_T.resize(std::size_t(T));
    for (std::int64_t first = 0; first < T; first += block) {
        const std::int64_t rows = std::min(block, T - first), keys = first + rows;
        attention_block(factors, first, rows, 0, keys, {weights.data(), std::size_t(rows * keys)});
        for (std::int64_t r = 0; r < rows; ++r) {
            double sum = sink;
            for (std::int64_t c = 0; c < keys; ++c) sum += double(weights[std::size_t(r * keys + c)]);
            factors.sink_T[std::size_t(first + r)] = float(sink / sum);
            factors.offset_T[std::size_t(first + r)] = std::log(sum);
        }
        // Offsets of this block were 0 while it was summed; later blocks do not read them.
    }
    return factors;
}

// Writes the folder and returns what it says.
inline Capture make_capture(const RunFolder& run, const std::string& run_id, const CaptureMake& make) {
    static const char* const words[] = {"the",          " keeper",  " of",     " lamp",   " wrote",
                                        " every",       " evening", " into",   " long",   " book",
                                        " ship",        " had",     " passed", ".",       "\n",
                                        " Skarvholmen", " wind",    " salt",   " harbor", " quarter"};
    Capture capture;
    char created[32];
    std::snprintf(created, sizeof created, "2026-02-03T04:%02d:%02dZ", int(make.step / 60 % 60),
                  int(make.step % 60));
    capture.created = created;
    capture.command = "braid-engine capture " + run_id + "@" + std::to_string(make.step) + " --sample " +
                      std::to_string(make.sample);
    capture.checkpoint = {.folder = run.checkpoint_folder(Step(make.step)),
                          .run = run_id,
                          .step = Step(make.step),
                          .architecture_hash = "0123456789abcdef"};
    capture.tokens_seen = make.step * 4096;
    capture.settings = {{"source", "needle"}, {"sample", make.sample}, {"context", make.tokens}, {"seed", 3}};
    Random random(make.seed, "text");
    const std::int64_t T = make.tokens, needle = T / 3;
    for (std::int64_t i = 0; i < T; ++i) {
        const auto word = std::int64_t(random.below(std::uint64_t(std::size(words))));
        capture.tokens.push_back(word);
        capture.texts.emplace_back(words[word]);
    }
    const char* const said[] = {" special", " magic", " number", " is", " 7419", "036"};
    for (std::int64_t i = 0; i < 6; ++i) {
        capture.tokens[std::size_t(needle + i)] = 100 + i;
        capture.texts[std::size_t(needle + i)] = said[i];
    }
    capture.needles = {{{needle, needle + 6}, "7419036"}};
    for (std::int64_t at = 0; at < T; at += T / 7 + 1) capture.documents.push_back(at);
    capture.trained_context = T;
    capture.notes = make.notes;
    for (std::int64_t layer = 0; layer < made_layers; ++layer)
        capture.layers.push_back({layer == 0 ? "full+gdn" : layer == 1 ? "swa" : "full", made_heads});
    capture.folder = run.captures_folder() + "/" + capture_id(capture);
    std::filesystem::create_directories(capture.folder);
    for (std::int64_t layer = make.first_layer; layer < made_layers; ++layer)
        for (std::int64_t head = 0; head < made_heads; ++head) {
            const HeadFactors factors = made_factors(make, layer, head);
            AttentionPyramid pyramid = attention_pyramid(factors, make.finest);
            CaptureHead told{.layer = layer,
                             .head = head,
                             .mixer = factors.implied      ? "gdn"
                                      : factors.window > 0 ? "swa"
                                                           : "full",
                             .implied = factors.implied,
                             .window = factors.window,
                             .has_sink = !factors.sink_T.empty()};
            const std::vector<float> row = attention_row(factors, T - 1);
            if (!factors.implied) {
                double mass = 0, far = 0, entropy = 0;
                for (std::int64_t key = 0; key < T; ++key) {
                    const auto weight = double(row[std::size_t(key)]);
                    if (key >= needle && key < needle + 6) mass += weight;
                    if (T - 1 - key >= T / 8) far = std::max(far, weight);
                    if (weight > 0) entropy -= weight * std::log(weight);
                }
                told.scores = {.needle = mass,
                               .entropy = entropy / std::log(double(T)),
                               .sink = double(factors.sink_T.back()),
                               .far = far};
            }
            told.file = capture_file_name(layer, head);
            CapturedHead data;
            if (make.detail) {
                data.factors = factors;
                data.pyramid = std::move(pyramid);
            } else {
                const int coarsest = coarsest_attention_level(T);
                data.pyramid = attention_pyramid(factors, coarsest);
            }
            told.factors = make.detail;
            told.finest = data.pyramid.finest();
            EXPECT_TRUE(write_captured_head(capture.folder + "/" + told.file, data));
            capture.heads.push_back(told);
        }
    EXPECT_TRUE(write_capture_description(capture.folder, capture));
    return capture;
}

// The entropy of every head over the steps, falling at 300 of 600.
inline void add_trace(const RunFolder& run, const std::string& run_id) {
    MeasurementRecord record{
        .kind = "trace", .created = "2026-02-03T04:05:06Z", .command = "braid-engine measure trace"};
    record.checkpoint = {.folder = run.checkpoint_folder(Step(600)), .run = run_id, .step = Step(600)};
    MeasuredArray entropy{
        .name = "entropy",
        .axes = {{.name = "tokens", .unit = "tokens"}, {.name = "layer"}, {.name = "head"}}};
    for (int step = 0; step <= 600; step += 20) {
        entropy.axes[0].ticks.emplace_back(step * 4096.0);
        for (int cell = 0; cell < made_layers * made_heads; ++cell)
            entropy.values.push_back(0.25 + 0.6 / (1 + std::exp((step - 300) / 40.0)));
    }
    for (int layer = 0; layer < made_layers; ++layer) entropy.axes[1].ticks.emplace_back(double(layer));
    for (int head = 0; head < made_heads; ++head) entropy.axes[2].ticks.emplace_back(double(head));
    record.arrays.push_back(std::move(entropy));
    const Result<std::string> file = write_measurement(run.measurements_folder(), record);
    EXPECT_TRUE(file) << describe(file.error());
}

}  // namespace braid
