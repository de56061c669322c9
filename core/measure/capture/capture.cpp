#include "core/measure/capture/capture.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "core/base/clock.h"
#include "core/engine/cpu_parallel.h"
#include "core/engine/guard.h"
#include "core/engine/ops.h"
#include "core/measure/capture/capture_heads.h"
#include "core/measure/capture/captured_rows.h"
#include "core/measure/rough_time.h"
#include "core/mixers/builtin.h"
#include "core/record/capture_folder.h"
#include "core/spec/cost.h"

namespace braid {
namespace {

constexpr double gib = double(std::int64_t{1} << 30);
constexpr std::int64_t description_bytes = 64;  // of capture.json, for each token

std::string gib_text(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, bytes < gib ? "%.0f MiB" : "%.1f GiB",
                  bytes < gib ? bytes / (1 << 20) : bytes / gib);
    return text;
}

// What it takes on a CPU, roughly: the pass, and every pair of tokens of every head once more.
struct Estimate {
    double seconds = 0, bytes = 0;
};
Estimate estimate(const ArchitectureSpec& spec, std::size_t heads, double tokens) {
    constexpr double flops_per_second = 5e10;  // a guess at what two usual cores do
    constexpr double of_a_weight = 40;         // exp() and the reductions, in FLOPs of a product
    const ArchitectureCost total = cost(spec, builtin_mixers(), std::llround(tokens));
    const double pairs = tokens * tokens / 2 * double(heads);
    const double wide =
        double(8 * spec.d_model + 4 * spec.ffn_width);  // numbers a token of a layer's buffers
    return {.seconds =
                (total.forward_flops_per_token * tokens + pairs * (2 * double(spec.head_dim) + of_a_weight)) /
                flops_per_second,
            .bytes = 4 * (wide * tokens + double(total.total_parameters))};
}

Result<void> check_length(const CaptureInput& input, std::size_t heads) {
    const auto tokens = std::int64_t(input.text.tokens.size());
    const char* place = input.text.source == CaptureSource::prompt ? "prompt" : "tokens";
    if (tokens > longest_captured_text)
        return fail(to_error(
            {{.path = place,
              .rule = "must have at most " + std::to_string(longest_captured_text) + " tokens to be captured",
              .found = std::to_string(tokens)}}));
    if (!input.measured.on_cpu || tokens <= longest_on_cpu || input.measured.allow_long) return {};
    const Estimate needed = estimate(input.measured.architecture, heads, double(tokens));
    return fail(to_error({{.path = place,
                           .rule = "must have at most " + std::to_string(longest_on_cpu) +
                                   " tokens on a CPU (these would take about " + rough_time(needed.seconds) +
                                   " and " + gib_text(needed.bytes) +
                                   " of memory); give a shorter text, --allow-long to capture it all the "
                                   "same, or --device cuda",
                           .found = std::to_string(tokens)}}));
}

using Detail = std::set<std::pair<std::int64_t, std::int64_t>>;  // (layer, head of the layer)

std::int64_t bytes_of(const CaptureInput& input, const std::vector<HeadPlace>& heads, const Detail& detail) {
    const ArchitectureSpec& spec = input.measured.architecture;
    const auto tokens = std::int64_t(input.text.tokens.size());
    std::int64_t bytes = description_bytes * tokens;
    for (const HeadPlace& head : heads) {
        const bool detailed = detail.contains({head.layer, head.place});
        const bool softmax = is_softmax(spec, head);
        // Which recurrences have factors their mixers know; the larger of the two is counted.
        const std::int64_t with =
            captured_head_bytes(tokens, detailed ? spec.head_dim : 0, finest_level(tokens, detailed, true));
        const std::int64_t without =
            softmax ? 0 : captured_head_bytes(tokens, 0, finest_level(tokens, detailed, false));
        bytes += std::max(with, without);
    }
    return bytes;
}

Result<void> check_room(const CaptureInput& input, std::int64_t needed) {
    const Result<std::int64_t> room = input.room ? input.room(input.folder) : free_bytes(input.folder);
    if (!room) return fail(room.error());
    if (needed <= *room) return {};
    return fail(
        ErrorKind::no_space,
        "the capture needs " + gib_text(double(needed)) + ", but " + gib_text(double(*room)) + " are free",
        input.folder, "Choose fewer heads in detail (--heads) or a shorter text, or make room");
}

// Out of a forward pass, through the model.
struct Ended {
    std::optional<Error> error = {};  // none: it was asked to stop
};

class Pass {
public:
    Pass(const CaptureInput& input, const std::vector<HeadPlace>& heads, const Detail& detail,
         const std::string& folder, Capture& capture)
        : input_(input), heads_(heads), detail_(detail), folder_(folder), capture_(capture) {}

    void run(Model& model) {
        ForwardTaps taps;
        taps.mixed = [&](const GroupTap& tap) {
            for (const HeadPlace& head : heads_)
                if (head.layer == tap.layer && head.group == tap.group) keep(tap, head);
        };
        taps.added = [&](std::int64_t layer, Component, const at::Tensor&, const at::Tensor&) {
            go_on(double(layer + 1));
        };
        go_on(0);
        const CpuStop stop(input_.stop);
        model.forward(token_tensor({&input_.text.tokens}), taps);
    }
    std::int64_t bytes() const { return bytes_; }

private:
    // `layers`: that are done.
    void go_on(double layers) {
        const auto all = double(input_.measured.architecture.layers.size());
        const auto layer = std::int64_t(std::min(layers, all - 1)) + 1;
        std::string text = "layer ";
        text.append(std::to_string(layer)).append(" of ").append(std::to_string(std::int64_t(all)));
        if (!input_.measured.go_on(layers / all, text)) throw Ended{};
    }

    void keep(const GroupTap& tap, const HeadPlace& place) {
        const ArchitectureSpec& spec = input_.measured.architecture;
        const bool softmax = is_softmax(spec, place), detail = detail_.contains({place.layer, place.place});
        CaptureHead head{
            .layer = place.layer,
            .head = place.place,
            .mixer = spec.layers[std::size_t(place.layer)].groups[std::size_t(place.group)].mixer,
            .implied = !softmax,
            .window = window_of(spec, place),
            .file = capture_file_name(place.layer, place.place)};
        head.scores = capture_scores(tap, place.head, softmax, head.window, capture_.needles);
        head.has_sink = head.scores.sink.has_value();
        const double of_layer = 1 / double(capture_.layers[std::size_t(place.layer)].heads);
        const std::optional<CapturedHead> captured =
            capture_head(tap, place.head, detail, [&](double fraction) {
                go_on(double(place.layer) + (double(place.place) + fraction) * of_layer);
                return true;
            });
        head.factors = captured->factors.has_value();
        head.finest = captured->pyramid.finest();
        const std::string file = folder_ + "/" + head.file;
        if (Result<void> written = write_captured_head(file, *captured); !written)
            throw Ended{std::move(written.error())};
        bytes_ += captured_head_bytes(captured->pyramid.tokens(),
                                      captured->factors ? captured->factors->width : 0, head.finest);
        capture_.heads.push_back(std::move(head));
    }

    const CaptureInput& input_;
    const std::vector<HeadPlace>& heads_;
    const Detail& detail_;
    const std::string& folder_;
    Capture& capture_;
    std::int64_t bytes_ = 0;
};

Capture described(const CaptureInput& input, const LayerMixers& mixers,
                  const std::vector<HeadPlace>& detail) {
    const MeasureInput& measured = input.measured;
    const CaptureText& text = input.text;
    Capture capture{.created = utc_now(),
                    .command = input.command,
                    .checkpoint = measured.checkpoint,
                    .tokens_seen = input.tokens_seen,
                    .settings = text.settings,
                    .source = text.source,
                    .tokens = {text.tokens.begin(), text.tokens.end()},
                    .texts = text.texts,
                    .needles = text.needles,
                    .answer = text.answer,
                    .documents = text.documents,
                    .trained_context = measured.trained_context};
    constexpr const char* names[] = {"needle", "prompt", "tokens"};
    capture.settings["source"] = names[int(text.source)];
    capture.settings["text"] = content_hash(Json(text.tokens));
    capture.settings["mixers"] = mixers_json(measured.architecture);
    capture.settings["heads"] = Json::array();
    for (const HeadPlace& head : detail) capture.settings["heads"].push_back(head_name(head));
    const auto tokens = std::int64_t(text.tokens.size());
    if (measured.trained_context && tokens > *measured.trained_context)
        capture.notes.push_back("The text of " + std::to_string(tokens) +
                                " tokens is longer than the context of the training (" +
                                std::to_string(*measured.trained_context) + ").");
    bool implied = false;
    for (std::size_t l = 0; l < mixers.size(); ++l) {
        CaptureLayer layer{.mixer = mixers_of(measured.architecture, l)};
        for (const auto& mixer : mixers[l]) layer.heads += mixer->attention_heads();
        capture.layers.push_back(std::move(layer));
        for (const HeadGroup& group : measured.architecture.layers[l].groups)
            implied = implied || !builtin_mixers().find(group.mixer)->description().softmax;
    }
    if (implied)
        capture.notes.emplace_back(
            "Of recurrent layers the matrix that the recurrence implies is shown: of any sign, and rows need "
            "not sum to 1.");
    return capture;
}

Result<CaptureAnswer> captured(const CaptureInput& input) {
    const Result<LayerMixers> mixers = make_mixers(input.measured.architecture);
    if (!mixers) return fail(mixers.error());
    const auto tokens = std::int64_t(input.text.tokens.size());
    const ArchitectureSpec& spec = input.measured.architecture;
    const std::vector<HeadPlace> heads = chosen_heads(spec, *mixers, HeadChoice::all);
    const Result<std::vector<HeadPlace>> chosen = detailed_heads(input.heads, spec, *mixers, tokens);
    if (!chosen) return fail(chosen.error());
    if (Result<void> fits = check_length(input, heads.size()); !fits) return fail(std::move(fits.error()));
    Detail detail;
    for (const HeadPlace& head : *chosen) detail.emplace(head.layer, head.place);
    if (Result<void> fits = check_room(input, bytes_of(input, heads, detail)); !fits)
        return fail(std::move(fits.error()));
    if (!input.measured.go_on(0, "opening the model")) return fail(stopped());
    const Result<std::shared_ptr<Model>> model = input.open();
    if (!model) return fail(model.error());
    const auto begin = std::chrono::steady_clock::now();
    Result<CaptureDraft> draft = CaptureDraft::begin(input.folder);
    if (!draft) return fail(std::move(draft.error()));

    CaptureAnswer answer{.capture = described(input, *mixers, *chosen)};
    answer.capture.settings["compute_type"] =
        (*model)->ops().compute_type() == at::kBFloat16 ? "bfloat16" : "float32";
    Pass pass(input, heads, detail, draft->folder(), answer.capture);
    try {
        pass.run(**model);
    } catch (Ended& ended) {
        return fail(ended.error ? std::move(*ended.error) : stopped());
    } catch (const CpuStopped&) {
        return fail(stopped());
    }
    Result<std::string> folder = draft->finish(answer.capture);
    if (!folder) return fail(std::move(folder.error()));
    answer.capture.folder = std::move(*folder);
    answer.bytes = pass.bytes();
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return answer;
}

}  // namespace

Result<CaptureAnswer> capture_attention(const CaptureInput& input) {
    return guarded("capture", [&] { return captured(input); });
}

}  // namespace braid
