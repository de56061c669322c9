#include "core/measure/greedy_answers.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/engine/guard.h"
#include "core/engine/inference.h"

namespace braid {
namespace {

constexpr std::size_t most_problems = 20;
// On a GPU: steps between two looks at what came out, and what prompts and states may take at once.
constexpr std::int64_t gpu_steps = 16;
constexpr std::int64_t gpu_prompt_tokens = 32'768;
constexpr std::int64_t gpu_state_bytes = std::int64_t{4} << 30, cpu_state_bytes = std::int64_t{1} << 30;

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
          on_cpu_(model.ops().device().is_cpu()),
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
        const std::int64_t bytes = options_.state_bytes > 0 ? options_.state_bytes
                                   : on_cpu_                ? cpu_state_bytes
                                                            : gpu_state_bytes;
        for (std::size_t first = 0; first < order.size();) {
            const std::int64_t capacity = room(order[first]);
            const std::int64_t each = std::max<std::int64_t>(1, generator_.start(1, capacity).bytes());
            // Stacking and selecting copy: both copies live for a moment.
            const std::int64_t fit = std::clamp<std::int64_t>(
                bytes / (2 * each), 1, std::max<std::int64_t>(1, options_.most_sequences));
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
    // A sequence of the batch whose answer goes on.
    struct Open {
        std::size_t prompt = 0;
        std::int64_t row = 0;   // of the state
        std::int64_t last = 0;  // its newest token
    };

    std::int64_t length(std::size_t prompt) const { return std::int64_t(prompts_[prompt].tokens.size()); }
    std::int64_t room(std::size_t prompt) const { return length(prompt) + prompts_[prompt].new_tokens; }
    Result<void> hand_over(std::span<const std::size_t> members) const {
        if (!options_.batch_done) return {};
        std::vector<GreedyAnswer> answers;
        for (const std::size_t member : members) answers.push_back(answers_[member]);
        return options_.batch_done(members, answers);
    }
    bool go_on() const { return !options_.go_on || options_.go_on(progress_); }

    // The likeliest token behind each of these prompts, which are of one length; none where it was stopped.
    std::vector<std::int64_t> read(InferenceState& state, std::span<const std::size_t> members) {
        const std::int64_t count = length(members.front()), rows = std::int64_t(members.size());
        at::Tensor tokens_BT = at::empty({rows, count}, at::kInt);
        for (std::int64_t row = 0; row < rows; ++row)
            std::copy_n(prompts_[members[std::size_t(row)]].tokens.data(), count,
                        tokens_BT.mutable_data_ptr<std::int32_t>() + row * count);
        tokens_BT = tokens_BT.to(model_.ops().device());
        // A stop is obeyed within one piece.
        const std::int64_t piece = generator_.chunk();
        at::Tensor logits_BV;
        for (std::int64_t first = 0; first < count; first += piece) {
            if (!go_on()) return {};
            const std::int64_t size = std::min(piece, count - first);
            logits_BV = generator_.prefill(state, tokens_BT.narrow(1, first, size));
            progress_.tokens_read += rows * size;
        }
        const at::Tensor found_B = logits_BV.argmax(-1).to(at::kCPU);
        const std::int64_t* found = found_B.const_data_ptr<std::int64_t>();
        return {found, found + rows};
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

    // Reads the prompts, those of one length together where a GPU would be idle otherwise. False: stopped.
    bool read_all(std::span<const std::size_t> members, std::int64_t capacity,
                  std::vector<InferenceState>& states, std::vector<Open>& open) {
        for (std::size_t first = 0; first < members.size();) {
            const std::int64_t tokens = length(members[first]);
            const auto most =
                on_cpu_ ? std::size_t{1} : std::size_t(std::max<std::int64_t>(1, gpu_prompt_tokens / tokens));
            std::size_t count = 1;
            while (count < most && first + count < members.size() && length(members[first + count]) == tokens)
                ++count;
            const auto group = members.subspan(first, count);
            InferenceState state = generator_.start(std::int64_t(count), capacity);
            const std::vector<std::int64_t> found = read(state, group);
            if (found.empty()) return false;
            std::vector<std::int64_t> stay;
            for (std::size_t i = 0; i < count; ++i)
                if (!ends(group[i], found[i])) {
                    stay.push_back(std::int64_t(i));
                    open.push_back({.prompt = group[i], .row = std::int64_t(open.size()), .last = found[i]});
                }
            if (stay.size() == count)
                states.push_back(std::move(state));
            else if (!stay.empty())
                states.push_back(state.select(stay));
            first += count;
        }
        return true;
    }

    bool batch(std::span<const std::size_t> members, std::int64_t capacity) {
        std::vector<InferenceState> states;
        std::vector<Open> open;
        if (!read_all(members, capacity, states, open)) return false;
        if (open.empty()) return true;
        InferenceState state = InferenceState::stack(states);
        states.clear();
        std::vector<std::int64_t> last(open.size());
        while (!open.empty()) {
            if (!go_on()) return false;
            std::int64_t steps = steps_of(state, open);
            // Rows that have ended are stepped along until half of them have, or one is in the way.
            if (open.size() < last.size() && (on_cpu_ || steps == 0 || 2 * open.size() <= last.size())) {
                std::vector<std::int64_t> rows;
                for (Open& each : open) rows.push_back(std::exchange(each.row, std::int64_t(rows.size())));
                state = state.select(rows);
                last.resize(open.size());
                steps = steps_of(state, open);
            }
            for (const Open& each : open) last[std::size_t(each.row)] = each.last;
            const at::Tensor tokens_B = at::tensor(last, at::kLong).to(model_.ops().device());
            const at::Tensor found_nB = generator_.greedy(state, tokens_B, steps);
            const auto found = found_nB.accessor<std::int64_t, 2>();
            for (std::int64_t step = 0; step < steps; ++step) {
                for (Open& each : open) each.last = found[step][each.row];
                std::erase_if(open, [this](const Open& each) { return ends(each.prompt, each.last); });
            }
        }
        return true;
    }

    // As many as are wanted before the next look: on the CPU each token is looked at.
    std::int64_t steps_of(const InferenceState& state, const std::vector<Open>& open) const {
        if (on_cpu_) return 1;
        std::int64_t most = 1;
        for (const Open& each : open)
            most = std::max(
                most, prompts_[each.prompt].new_tokens - std::int64_t(answers_[each.prompt].tokens.size()));
        const std::int64_t longest = *std::max_element(state.lengths().begin(), state.lengths().end());
        return std::min({gpu_steps, most, state.capacity() - longest});
    }

    Model& model_;
    Generator generator_;
    std::span<const GreedyPrompt> prompts_;
    const GreedyOptions& options_;
    bool on_cpu_;
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
