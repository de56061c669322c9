#include "core/measure/capture/capture.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>

#include "core/base/clock.h"
#include "core/base/count.h"
#include "core/engine/cpu_parallel.h"
#include "core/engine/guard.h"
#include "core/engine/ops.h"
#include "core/measure/capture/capture_heads.h"
#include "core/measure/capture/captured_rows.h"
#include "core/measure/capture/finished_heads.h"
#include "core/measure/rough_time.h"
#include "core/mixers/builtin.h"
#include "core/record/capture_folder.h"
#include "core/spec/cost.h"

namespace braid {
namespace {

constexpr double gib = double(std::int64_t{1} << 30);
constexpr std::int64_t description_bytes = 64;  // of capture.json, for each token

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
                                   " and " + bytes_text(std::int64_t(needed.bytes)) +
                                   " of memory); give a shorter text, --allow-long to capture it all the "
                                   "same, or --device cuda",
                           .found = std::to_string(tokens)}}));
}

using Detail = std::set<std::pair<std::int64_t, std::int64_t>>;  // (layer, head of the layer)

// What is still to be written.
std::int64_t bytes_of(const CaptureInput& input, const std::vector<HeadPlace>& heads, const Detail& detail,
                      FinishedHeads& finished) {
    const ArchitectureSpec& spec = input.measured.architecture;
    const auto tokens = std::int64_t(input.text.tokens.size());
    std::int64_t bytes = description_bytes * tokens;
    for (const HeadPlace& head : heads) {
        const bool detailed = detail.contains({head.layer, head.place});
        if (finished.find(head, detailed) != nullptr) continue;
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
    return fail(ErrorKind::no_space,
                "the capture needs " + bytes_text(needed) + ", but " + bytes_text(*room) + " are free",
                input.folder, "Choose fewer heads in detail (--heads) or a shorter text, or make room");
}

// Out of a forward pass, through the model.
struct Ended {
    std::optional<Error> error = {};  // none: it was asked to stop
    bool done = false;                // no layer that comes yet is needed
};

class Pass {
public:
    Pass(const CaptureInput& input, const std::vector<HeadPlace>& heads, const Detail& detail,
         FinishedHeads& finished, const std::string& folder, Capture& capture)
        : input_(input),
          heads_(heads),
          detail_(detail),
          finished_(finished),
          folder_(folder),
          capture_(capture),
          kept_(heads.size()) {}

    void run(const std::shared_ptr<Model>& model) {
        take_finished();
        go_on(0);
        if (missing_ > 0) {
            const CpuStop stop(input_.stop);
            RememberedPass* remembered = input_.remembered;
            if (remembered != nullptr) remembered->begin(model, input_.text.tokens);
            if (remembered == nullptr || !remember(*remembered)) compute(*model);
        }
        for (std::optional<CaptureHead>& head : kept_) capture_.heads.push_back(std::move(*head));
    }
    std::int64_t bytes() const { return bytes_; }
    std::size_t computed() const { return computed_; }
    bool passed() const { return passed_; }

private:
    bool detailed(const HeadPlace& place) const { return detail_.contains({place.layer, place.place}); }

    // `layers`: that are done.
    void go_on(double layers) {
        const auto all = double(input_.measured.architecture.layers.size());
        const auto layer = std::int64_t(std::min(layers, all - 1)) + 1;
        std::string text = "layer ";
        text.append(std::to_string(layer)).append(" of ").append(std::to_string(std::int64_t(all)));
        if (!input_.measured.go_on(layers / all, text)) throw Ended{};
    }

    void take_finished() {
        for (std::size_t i = 0; i < heads_.size(); ++i) {
            const CaptureHead* head = finished_.find(heads_[i], detailed(heads_[i]));
            const std::string file = folder_ + "/" + capture_file_name(heads_[i].layer, heads_[i].place);
            // One that has gone meanwhile is computed.
            if (head == nullptr || !FinishedHeads::put(finished_.file_of(*head), file)) {
                ++missing_;
                continue;
            }
            kept_[i] = *head;
            count(file);
        }
    }

    void count(const std::string& file) {
        std::error_code ignored;
        const auto size = std::filesystem::file_size(file, ignored);
        bytes_ += ignored ? 0 : std::int64_t(size);
    }

    // From the last pass, where it left all that is wanted.
    bool remember(RememberedPass& pass) {
        for (std::size_t i = 0; i < heads_.size(); ++i)
            if (!kept_[i] && !pass.holds(heads_[i].layer, heads_[i].group)) return false;
        for (std::size_t i = 0; i < heads_.size(); ++i)
            if (!kept_[i])
                pass.visit(heads_[i].layer, heads_[i].group, [&](const GroupTap& tap) { keep(tap, i); });
        return true;
    }

    void compute(Model& model) {
        passed_ = true;
        ForwardTaps taps;
        taps.mixed = [&](const GroupTap& tap) {
            for (std::size_t i = 0; i < heads_.size(); ++i)
                if (heads_[i].layer == tap.layer && heads_[i].group == tap.group && !kept_[i]) keep(tap, i);
            if (input_.remembered != nullptr) input_.remembered->keep(tap, rank(tap));
            if (missing_ == 0) throw Ended{.done = true};
        };
        taps.added = [&](std::int64_t layer, Component, const at::Tensor&, const at::Tensor&) {
            go_on(double(layer + 1));
        };
        try {
            model.forward(token_tensor({&input_.text.tokens}), taps);
        } catch (const Ended& ended) {
            if (!ended.done) throw;
        }
    }

    RememberedPass::Rank rank(const GroupTap& tap) const {
        const HeadPlace place{.layer = tap.layer, .group = tap.group};
        if (!is_softmax(input_.measured.architecture, place)) return RememberedPass::Rank::recurrent;
        return window_of(input_.measured.architecture, place) > 0 ? RememberedPass::Rank::window
                                                                  : RememberedPass::Rank::full;
    }

    void keep(const GroupTap& tap, std::size_t which) {
        const HeadPlace& place = heads_[which];
        const ArchitectureSpec& spec = input_.measured.architecture;
        const bool softmax = is_softmax(spec, place);
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
            capture_head(tap, place.head, detailed(place), [&](double fraction) {
                go_on(double(place.layer) + (double(place.place) + fraction) * of_layer);
                return true;
            });
        head.factors = captured->factors.has_value();
        head.finest = captured->pyramid.finest();
        const auto wanted = [&] { return input_.stop == nullptr || !input_.stop->load(); };
        Result<void> written = write_captured_head(folder_ + "/" + head.file, *captured, wanted);
        if (!written) throw Ended{.error = std::move(written.error())};
        count(folder_ + "/" + head.file);
        kept_[which] = std::move(head);
        ++computed_;
        --missing_;
    }

    const CaptureInput& input_;
    const std::vector<HeadPlace>& heads_;
    const Detail& detail_;
    FinishedHeads& finished_;
    const std::string& folder_;
    Capture& capture_;
    std::vector<std::optional<CaptureHead>> kept_;  // by place in heads_
    std::int64_t bytes_ = 0;
    std::size_t missing_ = 0, computed_ = 0;
    bool passed_ = false;
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
    CaptureAnswer answer{.capture = described(input, *mixers, *chosen)};
    FinishedHeads finished(input.folder, answer.capture, input.weights_written);
    if (Result<void> fits = check_room(input, bytes_of(input, heads, detail, finished)); !fits)
        return fail(std::move(fits.error()));
    if (!input.measured.go_on(0, "opening the model")) return fail(stopped());
    const Result<std::shared_ptr<Model>> model = input.open();
    if (!model) return fail(model.error());
    const auto begin = std::chrono::steady_clock::now();
    Result<CaptureDraft> draft = CaptureDraft::begin(input.folder);
    if (!draft) return fail(std::move(draft.error()));

    const std::string type = (*model)->ops().compute_type() == at::kBFloat16 ? "bfloat16" : "float32";
    answer.capture.settings["compute_type"] = type;
    finished.keep_type(type);
    Pass pass(input, heads, detail, finished, draft->folder(), answer.capture);
    try {
        pass.run(*model);
    } catch (Ended& ended) {
        return fail(ended.error ? std::move(*ended.error) : stopped());
    } catch (const CpuStopped&) {
        return fail(stopped());
    }
    Result<std::string> folder = draft->finish(answer.capture);
    if (!folder) return fail(std::move(folder.error()));
    answer.capture.folder = std::move(*folder);
    answer.bytes = pass.bytes();
    answer.computed = pass.computed();
    answer.passed = pass.passed();
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return answer;
}

}  // namespace

Result<CaptureAnswer> capture_attention(const CaptureInput& input) {
    return guarded("capture", [&] { return captured(input); });
}

}  // namespace braid
