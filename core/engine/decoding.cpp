#include "core/engine/decoding.h"

#include <ATen/ops/argmax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <exception>

namespace braid {
namespace {

// Recording takes as long as a few steps, and the first of them make what is kept (tables, scratch).
constexpr std::int64_t plain_steps = 6;

}  // namespace

void Decoding::take(const InferenceState& state) {
    const auto on_device = at::TensorOptions().dtype(at::kLong).device(pass_.ops().device());
    if (now_.state != state.id_) {
        now_ = {};  // the old one goes first
        now_.state = state.id_;
        now_.layers = state.layers_;
        now_.capacity = state.capacity_;
        now_.tokens_B = at::empty({state.batch()}, on_device);
        now_.positions_B = at::empty({state.batch()}, on_device);
        now_.buffers = pass_.buffers(state.batch());
    }
    if (now_.lengths == state.lengths_) return;
    now_.lengths = state.lengths_;
    now_.positions_B.copy_(at::tensor(state.lengths_, at::kLong));
}

void Decoding::once() {
    // Of a device that computes beside the host every step is the same: nothing follows from how many keys
    // there are by now.
    const std::int64_t longest = pass_.ops().device().is_cpu()
                                     ? *std::max_element(now_.lengths.begin(), now_.lengths.end()) + 1
                                     : now_.capacity;
    const StepPlace place{.positions_B = now_.positions_B, .longest = longest};
    pass_.run(now_.buffers, now_.layers, now_.tokens_B.unsqueeze(1),
              [&](const Mixer& mixer, const MixerParameters& parameters, const at::Tensor& in_B1C,
                  const at::Tensor& out_B1C,
                  MixerState& state) { mixer.step(pass_.ops(), parameters, in_B1C, out_B1C, state, place); });
    now_.logits_BV = pass_.logits(now_.buffers.y_ND);
    now_.likeliest_B = at::argmax(now_.logits_BV, -1);
    now_.positions_B.add_(1);
}

void Decoding::advance() {
    if (!now_.recording && !now_.plain && now_.steps >= plain_steps) {
        try {
            now_.recording = pass_.ops().record([this] { once(); });
        } catch (const std::exception&) {
            // What cannot be recorded is done as before; an error of it shows there.
        }
        now_.plain = now_.recording == nullptr;
    }
    if (now_.recording)
        now_.recording->replay();
    else
        once();
    ++now_.steps;
}

void Decoding::count_up(InferenceState& state) {
    for (std::int64_t& length : state.lengths_) ++length;
    now_.lengths = state.lengths_;
}

at::Tensor Decoding::step(InferenceState& state, const at::Tensor& tokens_B) {
    take(state);
    now_.tokens_B.copy_(tokens_B);
    advance();
    count_up(state);
    return now_.recording ? now_.logits_BV.clone() : now_.logits_BV;
}

at::Tensor Decoding::greedy(InferenceState& state, const at::Tensor& tokens_B, std::int64_t count) {
    take(state);
    now_.tokens_B.copy_(tokens_B);
    const at::Tensor found_nB = at::empty({count, state.batch()}, now_.tokens_B.options());
    for (std::int64_t i = 0; i < count; ++i) {
        advance();
        count_up(state);
        now_.tokens_B.copy_(now_.likeliest_B);
        found_nB.select(0, i).copy_(now_.likeliest_B);
    }
    return found_nB.to(at::kCPU);
}

}  // namespace braid
