#include "core/measure/greedy_answers.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <numeric>

#include "core/engine/guard.h"
#include "core/engine/inference.h"

namespace braid {
namespace {

constexpr std::size_t most_problems = 20;
// Tokens of a prompt between two looks at go_on: a stop is obeyed within one piece.
constexpr std::int64_t tokens_at_a_time = Generator::default_chunk;

Diagnostics check(const Model& model, std::span<const GreedyPrompt> prompts) {
    Diagnostics problems;
    const std::int64_t vocab = model.spec().vocab;
    for (std::size_t i = 0; i < prompts.size() && problems.size() < most_problems; ++i) {
        std::string place = "prompts[";
        place.append(std::to_string(i)).append("]");
        if (prompts[i].tokens.empty())
            problems.push_back({.path = place, .rule = "must have a token", .found = {}});
        if (prompts[i].new_tokens < 1)
            problems.push_back({.path = place + ".new_tokens",
                                .rule = "must be at least 1",
                                .found = std::to_string(prompts[i].new_tokens)});
        for (const std::int32_t token : prompts[i].tokens)
            if (token < 0 || token >= vocab) {
                problems.push_back(
                    {.path = place,
                     .rule = "must have tokens below the model's vocabulary of " + std::to_string(vocab),
                     .found = std::to_string(token)});
                break;
            }
    }
    return problems;
}

std::int64_t bytes_of(const InferenceState& state) {
    std::int64_t bytes = 0;
    for (const auto& groups : state.layers())
        for (const MixerState& group : groups)
            for (const auto* part : {&group.cache, &group.recurrent})
                for (const at::Tensor& tensor : *part) bytes += std::int64_t(tensor.nbytes());
    return bytes;
}

// With dynamic scaling the frequencies follow from the room of a state: in a batch they would from that of
// the longest prompt, and an answer would depend on which others are beside it.
bool turns_with_room(const ArchitectureSpec& spec) {
    for (const LayerSpec& layer : spec.layers)
        for (const HeadGroup& group : layer.groups)
            if (const ParameterValue* scaling = group.parameters.find("rope_scaling");
                scaling != nullptr && to_text(*scaling) == "dynamic")
                return true;
    return false;
}

class Answering {
public:
    Answering(Model& model, std::span<const GreedyPrompt> prompts, const GreedyOptions& options)
        : model_(model),
          generator_(model),
          prompts_(prompts),
          options_(options),
          own_room_(turns_with_room(model.spec())),
          answers_(prompts.size()) {
        progress_.answers = std::int64_t(prompts.size());
        for (const GreedyPrompt& prompt : prompts)
            progress_.tokens_to_read += std::int64_t(prompt.tokens.size());
    }

    Result<void> all() {
        // Prompts of like length share a batch: its capacity is that of the longest.
        std::vector<std::size_t> order(prompts_.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [this](std::size_t a, std::size_t b) { return room(a) > room(b); });
        for (std::size_t first = 0; first < order.size();) {
            const std::int64_t capacity = room(order[first]);
            const std::int64_t each = std::max<std::int64_t>(1, bytes_of(generator_.start(1, capacity)));
            // Stacking and selecting copy: both copies live for a moment.
            const std::int64_t fit = std::clamp<std::int64_t>(
                options_.state_bytes / (2 * each), 1, std::max<std::int64_t>(1, options_.most_sequences));
            std::size_t count = std::min(order.size() - first, std::size_t(fit));
            if (own_room_)
                for (std::size_t i = 1; i < count; ++i)
                    if (room(order[first + i]) != capacity) count = i;
            const auto members = std::span<const std::size_t>(order).subspan(first, count);
            if (!batch(members, capacity))
                return fail(ErrorKind::interrupted, "stopped before all answers were generated");
            if (Result<void> taken = hand_over(members); !taken) return taken;
            first += count;
        }
        return {};
    }
    std::vector<GreedyAnswer> take() { return std::move(answers_); }

private:
    std::int64_t room(std::size_t prompt) const {
        return std::int64_t(prompts_[prompt].tokens.size()) + prompts_[prompt].new_tokens;
    }
    Result<void> hand_over(std::span<const std::size_t> members) const {
        if (!options_.batch_done) return {};
        std::vector<GreedyAnswer> answers;
        for (const std::size_t member : members) answers.push_back(answers_[member]);
        return options_.batch_done(members, answers);
    }
    bool go_on() const { return !options_.go_on || options_.go_on(progress_); }

    // The likeliest token behind the prompt; -1 where it was stopped.
    std::int64_t read(InferenceState& state, const std::vector<std::int32_t>& tokens) {
        const auto count = std::int64_t(tokens.size());
        at::Tensor logits_1V;
        for (std::int64_t first = 0; first < count; first += tokens_at_a_time) {
            if (!go_on()) return -1;
            const std::int64_t size = std::min(tokens_at_a_time, count - first);
            const at::Tensor piece = at::from_blob(const_cast<std::int32_t*>(tokens.data()) + first,
                                                   {1, size}, at::TensorOptions().dtype(at::kInt));
            logits_1V = generator_.prefill(state, piece.to(model_.ops().device()));
            progress_.tokens_read += size;
        }
        return logits_1V.argmax(-1).item<std::int64_t>();
    }

    // Notes the token; true where its answer has ended.
    bool ends(std::size_t prompt, std::int64_t token) {
        GreedyAnswer& answer = answers_[prompt];
        const auto id = std::size_t(token);
        const bool stop = id < options_.stops.size() && options_.stops[id];
        if (!stop) {
            answer.tokens.push_back(std::int32_t(token));
            ++progress_.tokens_generated;
        }
        const bool ended = stop || (options_.ended && options_.ended(answer.tokens));
        answer.truncated = !ended && std::int64_t(answer.tokens.size()) >= prompts_[prompt].new_tokens;
        if (ended || answer.truncated) ++progress_.answers_done;
        return ended || answer.truncated;
    }

    bool batch(std::span<const std::size_t> members, std::int64_t capacity) {
        std::vector<InferenceState> states;
        std::vector<std::size_t> open;
        std::vector<std::int64_t> last;
        for (const std::size_t member : members) {
            InferenceState state = generator_.start(1, capacity);
            const std::int64_t token = read(state, prompts_[member].tokens);
            if (token < 0) return false;
            if (ends(member, token)) continue;
            states.push_back(std::move(state));
            open.push_back(member);
            last.push_back(token);
        }
        if (open.empty()) return true;
        InferenceState state = InferenceState::stack(states);
        states.clear();
        for (;;) {
            if (!go_on()) return false;
            const at::Tensor tokens_B = at::tensor(last, at::kLong).to(model_.ops().device());
            const at::Tensor next_B = generator_.step(state, tokens_B).argmax(-1).to(at::kCPU);
            const std::int64_t* next = next_B.const_data_ptr<std::int64_t>();
            std::vector<std::int64_t> stay;
            for (std::size_t i = 0; i < open.size(); ++i)
                if (!ends(open[i], next[i])) stay.push_back(std::int64_t(i));
            if (stay.empty()) return true;
            if (stay.size() < open.size()) state = state.select(stay);
            for (std::size_t i = 0; i < stay.size(); ++i) {
                last[i] = next[stay[i]];
                open[i] = open[std::size_t(stay[i])];
            }
            last.resize(stay.size());
            open.resize(stay.size());
        }
    }

    Model& model_;
    Generator generator_;
    std::span<const GreedyPrompt> prompts_;
    const GreedyOptions& options_;
    bool own_room_ = false;  // only prompts with the same room share a batch
    std::vector<GreedyAnswer> answers_;
    GreedyProgress progress_;
};

}  // namespace

Result<std::vector<GreedyAnswer>> greedy_answers(Model& model, std::span<const GreedyPrompt> prompts,
                                                 const GreedyOptions& options) {
    if (const Diagnostics problems = check(model, prompts); !problems.empty())
        return fail(to_error(problems));
    return guarded("generating answers", [&]() -> Result<std::vector<GreedyAnswer>> {
        Answering answering(model, prompts, options);
        if (const Result<void> done = answering.all(); !done) return fail(done.error());
        return answering.take();
    });
}

}  // namespace braid
