// Reading a text once and continuing it, token by token, through each mixer's state: a KV cache (of the
// window's length where there is one) or a recurrent state.
//
//   Generator generator(model);
//   InferenceState state = generator.start(batch, capacity);
//   at::Tensor logits_BV = generator.prefill(state, prompt_BT);
//   while (...) logits_BV = generator.step(state, next_B);
//
// Prompts of different lengths: prefill each as a batch of one, then InferenceState::stack() them; step()
// takes each sequence on from its own length. select() drops the sequences that have ended.
//
// Functions throw what ATen throws (out of memory) and std::invalid_argument where a state has no room or
// tokens do not fit it; the caller's public entry is guarded (core/engine/guard.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/engine/model.h"
#include "core/mixers/torch/mixer.h"

namespace braid {

class InferenceState {
public:
    std::int64_t batch() const { return std::int64_t(lengths_.size()); }
    std::int64_t capacity() const { return capacity_; }  // tokens that a sequence may come to
    const std::vector<std::int64_t>& lengths() const { return lengths_; }  // tokens seen, by sequence
    // The state of a group of heads, [layer][group]: for measurements that look inside.
    const std::vector<std::vector<MixerState>>& layers() const { return layers_; }

    std::int64_t bytes() const;  // of the tensors

    // Sequences of several states of one model, in their order; capacities must be equal.
    static InferenceState stack(std::span<const InferenceState> states);
    // The sequences with these numbers, in this order; one may be taken several times. A copy.
    InferenceState select(std::span<const std::int64_t> sequences) const;

private:
    friend class Generator;
    friend class Decoding;
    // Views of these sequences' tensors: what is written there is written here.
    InferenceState rows(std::int64_t begin, std::int64_t count) const;
    std::uint64_t id_ = 0;  // of these tensors
    std::int64_t capacity_ = 0;
    std::vector<std::int64_t> lengths_;
    std::vector<std::vector<MixerState>> layers_;
};

class Generator {
public:
    // `chunk`: what chunk() is to say; 0: as the device likes.
    explicit Generator(Model& model, std::int64_t chunk = 0);
    ~Generator();
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;

    // Empty sequences that may come to `capacity` tokens each.
    InferenceState start(std::int64_t batch, std::int64_t capacity) const;

    // Tokens of a sequence that go through the model at once; memory grows with them, not with the prompt.
    std::int64_t chunk() const;

    // The next tokens [B, T >= 1], int64 or int32 on any device, of sequences of one length. Returns the
    // logits [B, V] (statistics type) behind the last of them.
    at::Tensor prefill(InferenceState& state, const at::Tensor& tokens_BT);
    // The same with the logits behind every token, a run of positions at a time: receive(first, logits_BtV)
    // where `first` counts from the first of these tokens. The tensor is overwritten after the call. false
    // ends the pass: the state then has seen the tokens of the chunks so far.
    void prefill(InferenceState& state, const at::Tensor& tokens_BT,
                 const std::function<bool(std::int64_t first, const at::Tensor& logits_BtV)>& receive);
    // One token a sequence, [B]. Logits [B, V].
    at::Tensor step(InferenceState& state, const at::Tensor& tokens_B);
    // These tokens, [B], then the likeliest one each time, `count` steps in all: what each step found, int64
    // [count, B] on the CPU. The host waits once; on a GPU a step is one launch after the first few.
    at::Tensor greedy(InferenceState& state, const at::Tensor& tokens_B, std::int64_t count);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace braid
