// One token of every sequence after the other. What a step needs and leaves lies on the device: a device that
// can record (Ops::record) then does each step of a state by one launch, and the host waits for none of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/engine/inference.h"
#include "core/engine/model_pass.h"

namespace braid {

class Decoding {
public:
    explicit Decoding(const ModelPass& pass) : pass_(pass) {}

    // As Generator::step() and greedy().
    at::Tensor step(InferenceState& state, const at::Tensor& tokens_B);
    at::Tensor greedy(InferenceState& state, const at::Tensor& tokens_B, std::int64_t count);
    // Lets go of the last state and of what was recorded for it.
    void forget() { now_ = {}; }

private:
    // The state that is being decoded, and its step.
    struct Now {
        std::uint64_t state = 0;                 // InferenceState::id_; 0: none
        ModelPass::States layers = {};           // the state's own tensors
        std::vector<std::int64_t> lengths = {};  // what positions_B holds
        std::int64_t capacity = 0;
        std::int64_t steps = 0;  // done as plain launches
        at::Tensor tokens_B = {}, positions_B = {};
        at::Tensor logits_BV = {}, likeliest_B = {};  // behind the last step; with a recording: its memory
        ModelPass::Buffers buffers = {};
        std::unique_ptr<Recording> recording = {};
        bool plain = false;  // the device does not record, or not this
    };
    void take(const InferenceState& state);
    void once();     // asks the device for one step
    void advance();  // one step, recorded where that is possible
    void count_up(InferenceState& state);

    const ModelPass& pass_;
    Now now_ = {};
};

}  // namespace braid
