// B sequences, t tokens of a chunk; D, V as in core/engine/activations.h and ops.h.
#include "core/engine/inference.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

#include "core/engine/decoding.h"
#include "core/engine/model_pass.h"

namespace braid {
namespace {

// Tokens of a prompt at once on the CPU; on a GPU rows of all prompts, which keep it busy, so that most are
// read as a whole.
constexpr std::int64_t cpu_chunk = 1024, gpu_rows = 32'768;

std::uint64_t new_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

// f(tensor of one state, tensors of the same place of all) over every tensor of MixerState.
template <class F>
MixerState combine(std::span<const InferenceState> states, std::size_t layer, std::size_t group, F&& f) {
    MixerState result{.capacity = states[0].layers()[layer][group].capacity,
                      .constant = states[0].layers()[layer][group].constant};
    for (std::vector<at::Tensor> MixerState::*part : {&MixerState::cache, &MixerState::recurrent})
        for (std::size_t i = 0; i < (states[0].layers()[layer][group].*part).size(); ++i) {
            std::vector<at::Tensor> tensors;
            for (const InferenceState& state : states)
                tensors.push_back((state.layers()[layer][group].*part)[i]);
            (result.*part).push_back(f(tensors));
        }
    return result;
}

}  // namespace

std::int64_t InferenceState::bytes() const {
    std::int64_t bytes = 0;
    for (const std::vector<MixerState>& groups : layers_)
        for (const MixerState& group : groups)
            for (const auto* part : {&group.cache, &group.recurrent})
                for (const at::Tensor& tensor : *part) bytes += static_cast<std::int64_t>(tensor.nbytes());
    return bytes;
}

InferenceState InferenceState::stack(std::span<const InferenceState> states) {
    if (states.empty()) throw std::invalid_argument("no states to stack");
    InferenceState result;
    result.id_ = new_id();
    result.capacity_ = states[0].capacity_;
    for (const InferenceState& state : states) {
        if (state.capacity_ != result.capacity_)
            throw std::invalid_argument("states to stack must have one capacity, got " +
                                        std::to_string(result.capacity_) + " and " +
                                        std::to_string(state.capacity_));
        result.lengths_.insert(result.lengths_.end(), state.lengths_.begin(), state.lengths_.end());
    }
    for (std::size_t l = 0; l < states[0].layers_.size(); ++l) {
        result.layers_.emplace_back();
        for (std::size_t g = 0; g < states[0].layers_[l].size(); ++g)
            result.layers_.back().push_back(combine(
                states, l, g, [](const std::vector<at::Tensor>& tensors) { return at::cat(tensors, 0); }));
    }
    return result;
}

InferenceState InferenceState::rows(std::int64_t begin, std::int64_t count) const {
    InferenceState result;
    result.id_ = new_id();
    result.capacity_ = capacity_;
    result.lengths_.assign(lengths_.begin() + begin, lengths_.begin() + begin + count);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        result.layers_.emplace_back();
        for (std::size_t g = 0; g < layers_[l].size(); ++g)
            result.layers_.back().push_back(combine(
                {this, 1}, l, g,
                [&](const std::vector<at::Tensor>& tensors) { return tensors[0].narrow(0, begin, count); }));
    }
    return result;
}

InferenceState InferenceState::select(std::span<const std::int64_t> sequences) const {
    InferenceState result;
    result.id_ = new_id();
    result.capacity_ = capacity_;
    for (std::int64_t each : sequences) {
        if (each < 0 || each >= batch())
            throw std::invalid_argument("sequence " + std::to_string(each) + " of " +
                                        std::to_string(batch()));
        result.lengths_.push_back(lengths_[std::size_t(each)]);
    }
    const at::Tensor rows =
        at::tensor(at::ArrayRef<std::int64_t>(sequences.data(), sequences.size()), at::kLong);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        result.layers_.emplace_back();
        for (std::size_t g = 0; g < layers_[l].size(); ++g)
            result.layers_.back().push_back(
                combine({this, 1}, l, g, [&](const std::vector<at::Tensor>& tensors) {
                    return tensors[0].index_select(0, rows.to(tensors[0].device()));
                }));
    }
    return result;
}

struct Generator::Parts {
    ModelPass pass;
    std::int64_t chunk = 0;  // 0: by the device
    Decoding decoding{pass};
    ModelPass::Buffers buffers = {};  // for as many rows as the last pass had

    Parts(Model& model, std::int64_t tokens) : pass(model), chunk(tokens) {}

    // One pass a chunk; behind(first, count) follows each, and is the last where it returns false.
    template <class Behind>
    void prefill(InferenceState& state, const at::Tensor& tokens_BT, std::int64_t chunk_tokens,
                 Behind&& behind) {
        const std::int64_t seen = state.lengths_.front(), tokens = tokens_BT.size(1);
        for (std::int64_t first = 0; first < tokens; first += chunk_tokens) {
            const std::int64_t count = std::min(chunk_tokens, tokens - first);
            if (const std::int64_t rows = state.batch() * count; buffers.rows() != rows) {
                buffers = {};  // the old ones go first
                buffers = pass.buffers(rows);
            }
            pass.run(buffers, state.layers_, tokens_BT.narrow(1, first, count),
                     [&](const Mixer& mixer, const MixerParameters& parameters, const at::Tensor& in_BTC,
                         const at::Tensor& out_BTC, MixerState& mixer_state) {
                         mixer.extend(pass.ops(), parameters, in_BTC, out_BTC, mixer_state, seen + first);
                     });
            for (std::int64_t& length : state.lengths_) length += count;
            if (!behind(first, count)) return;
        }
    }

    static void require_prompt(const InferenceState& state, const at::Tensor& tokens_BT) {
        if (tokens_BT.dim() != 2 || tokens_BT.size(0) != state.batch() || tokens_BT.size(1) < 1)
            throw std::invalid_argument("prefill needs tokens of " + std::to_string(state.batch()) +
                                        " sequences");
        if (std::any_of(state.lengths_.begin(), state.lengths_.end(),
                        [&](auto each) { return each != state.lengths_.front(); }))
            throw std::invalid_argument("prefill needs sequences of one length");
        require_room(state, tokens_BT.size(1));
    }
    static void require_room(const InferenceState& state, std::int64_t tokens) {
        const std::int64_t longest = *std::max_element(state.lengths_.begin(), state.lengths_.end());
        if (longest + tokens > state.capacity_)
            throw std::invalid_argument("a state of " + std::to_string(state.capacity_) +
                                        " tokens has no room for " + std::to_string(longest) + " and " +
                                        std::to_string(tokens) + " more");
    }
    static void require_tokens(const InferenceState& state, const at::Tensor& tokens_B) {
        if (tokens_B.dim() != 1 || tokens_B.size(0) != state.batch())
            throw std::invalid_argument("a step needs a token of each of " + std::to_string(state.batch()) +
                                        " sequences");
    }
};

Generator::Generator(Model& model, std::int64_t chunk)
    : parts_(std::make_unique<Parts>(model, std::max<std::int64_t>(chunk, 0))) {}
Generator::~Generator() = default;

std::int64_t Generator::chunk() const {
    if (parts_->chunk > 0) return parts_->chunk;
    return parts_->pass.ops().device().is_cpu() ? cpu_chunk : gpu_rows;
}

InferenceState Generator::start(std::int64_t batch, std::int64_t capacity) const {
    if (batch < 1 || capacity < 1)
        throw std::invalid_argument("a state needs a sequence and room for a token");
    parts_->decoding.forget();
    InferenceState state;
    state.id_ = new_id();
    state.capacity_ = capacity;
    state.lengths_.assign(std::size_t(batch), 0);
    for (const auto& groups : parts_->pass.model().mixers()) {
        state.layers_.emplace_back();
        for (const auto& mixer : groups)
            state.layers_.back().push_back(mixer->make_state(parts_->pass.ops(), batch, capacity));
    }
    return state;
}

at::Tensor Generator::prefill(InferenceState& state, const at::Tensor& tokens_BT) {
    parts_->require_prompt(state, tokens_BT);
    const std::int64_t batch = tokens_BT.size(0), tokens = tokens_BT.size(1), most = chunk();
    // A GPU reads long prompts one or two at a time, each as a whole: as training does.
    const std::int64_t together = parts_->chunk > 0 || parts_->pass.ops().device().is_cpu()
                                      ? batch
                                      : std::max<std::int64_t>(1, gpu_rows / std::min(tokens, gpu_rows));
    std::vector<at::Tensor> last;  // [b, D]
    for (std::int64_t begin = 0; begin < batch; begin += together) {
        const std::int64_t count = std::min(together, batch - begin);
        InferenceState part = state.rows(begin, count);
        parts_->prefill(
            part, tokens_BT.narrow(0, begin, count), most, [&](std::int64_t first, std::int64_t size) {
                if (first + size == tokens)
                    last.push_back(parts_->buffers.y_ND.view({count, size, -1}).select(1, size - 1).clone());
                return true;
            });
    }
    for (std::int64_t& length : state.lengths_) length += tokens;
    return parts_->pass.logits(at::cat(last, 0));
}

void Generator::prefill(InferenceState& state, const at::Tensor& tokens_BT,
                        const std::function<bool(std::int64_t, const at::Tensor&)>& receive) {
    // A run of positions at a time, so that logits never exceed these elements by much.
    constexpr std::int64_t logit_elements = std::int64_t{1} << 26;
    const std::int64_t batch = tokens_BT.size(0), vocab = parts_->pass.model().spec().vocab;
    const std::int64_t run = std::max<std::int64_t>(logit_elements / (batch * vocab), 1);
    parts_->require_prompt(state, tokens_BT);
    const std::int64_t most = std::min(chunk(), std::max(cpu_chunk, gpu_rows / batch));
    parts_->prefill(state, tokens_BT, most, [&](std::int64_t first, std::int64_t count) {
        const at::Tensor y_BtD = parts_->buffers.y_ND.view({batch, count, -1});
        for (std::int64_t begin = 0; begin < count; begin += run) {
            const std::int64_t size = std::min(run, count - begin);
            const at::Tensor rows = y_BtD.narrow(1, begin, size).reshape({batch * size, -1});
            if (!receive(first + begin, parts_->pass.logits(rows).view({batch, size, vocab}))) return false;
        }
        return true;
    });
}

at::Tensor Generator::step(InferenceState& state, const at::Tensor& tokens_B) {
    Parts::require_tokens(state, tokens_B);
    Parts::require_room(state, 1);
    return parts_->decoding.step(state, tokens_B);
}

at::Tensor Generator::greedy(InferenceState& state, const at::Tensor& tokens_B, std::int64_t count) {
    Parts::require_tokens(state, tokens_B);
    if (count < 1) throw std::invalid_argument("greedy decoding needs a token to find");
    Parts::require_room(state, count);
    return parts_->decoding.greedy(state, tokens_B, count);
}

}  // namespace braid
