// B sequences, t tokens of a chunk, N = B*t rows; D, C, O, F, V as in core/engine/activations.h and ops.h.
#include "core/engine/inference.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/engine/layer_weights.h"

namespace braid {
namespace {

// f(tensor of one state, tensors of the same place of all) over every tensor of MixerState.
template <class F>
MixerState combine(std::span<const InferenceState> states, std::size_t layer, std::size_t group, F&& f) {
    MixerState result{.capacity = states[0].layers()[layer][group].capacity};
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

InferenceState InferenceState::stack(std::span<const InferenceState> states) {
    if (states.empty()) throw std::invalid_argument("no states to stack");
    InferenceState result;
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

InferenceState InferenceState::select(std::span<const std::int64_t> sequences) const {
    InferenceState result;
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
    Model& model;
    std::int64_t chunk = 0;
    double eps = 0;  // of norms
    std::vector<LayerWeights> layers = {};
    at::Tensor embedding_VD = {}, head_VD = {}, norm_D = {};

    // Buffers of a pass, for as many rows as the last one had.
    struct Buffers {
        at::Tensor x_ND, middle_ND, y_ND, rstd_N, tokens_N;
        at::Tensor in, out, gate_up, hidden;  // flat; as large as the widest layer
    } b = {};

    Ops& ops() const { return model.ops(); }

    void reserve(std::int64_t rows) {
        if (b.rstd_N.defined() && b.rstd_N.size(0) == rows) return;
        b = {};
        const auto device = at::TensorOptions().device(ops().device());
        const auto compute = device.dtype(ops().compute_type());
        const std::int64_t width = model.spec().d_model;
        std::int64_t in = 0, out = 0, ffn = 0;
        for (const LayerWeights& layer : layers) {
            in = std::max(in, layer.in_CD.size(0));
            out = std::max(out, layer.out_DO.size(1));
            ffn = std::max(ffn, layer.ffn.down_DF.size(1));
        }
        b = {.x_ND = at::empty({rows, width}, device.dtype(ops().residual_type())),
             .middle_ND = at::empty({rows, width}, device.dtype(ops().residual_type())),
             .y_ND = at::empty({rows, width}, compute),
             .rstd_N = at::empty({rows}, device.dtype(ops().statistics_type())),
             .tokens_N = at::empty({rows}, device.dtype(at::kLong)),
             .in = at::empty({rows * in}, compute),
             .out = at::empty({rows * out}, compute),
             .gate_up = at::empty({rows * 2 * ffn}, compute),
             .hidden = at::empty({rows * ffn}, compute)};
    }

    // tokens_Bt through the blocks and the final norm, into b.y_ND. mix(mixer, parameters, in, out, state).
    template <class Mix>
    void pass(InferenceState& state, const at::Tensor& tokens_Bt, Mix&& mix) {
        const std::int64_t batch = tokens_Bt.size(0), count = tokens_Bt.size(1), rows = batch * count;
        reserve(rows);
        b.tokens_N.copy_(tokens_Bt.reshape({-1}));
        ops().embedding(embedding_VD, b.tokens_N, b.x_ND);
        const auto matrix = [rows](const at::Tensor& flat, std::int64_t cols) {
            return flat.narrow(0, 0, rows * cols).view({rows, cols});
        };
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const LayerWeights& w = layers[l];
            const at::Tensor in_NC = matrix(b.in, w.in_CD.size(0)), out_NO = matrix(b.out, w.out_DO.size(1));
            const std::int64_t ffn = w.ffn.down_DF.size(1);
            ops().rms_norm(b.x_ND, w.norm_D, eps, b.y_ND, b.rstd_N);
            ops().linear(b.y_ND, w.in_CD, in_NC);
            for_groups(
                model.mixers()[l], [&](std::size_t g, auto in, auto in_width, auto out, auto out_width) {
                    const auto columns = [&](const at::Tensor& x_NC, std::int64_t first, std::int64_t width) {
                        return x_NC.view({batch, count, x_NC.size(1)}).narrow(2, first, width);
                    };
                    mix(*model.mixers()[l][g], w.mixers[g], columns(in_NC, in, in_width),
                        columns(out_NO, out, out_width), state.layers_[l][g]);
                });
            ops().linear_add(out_NO, w.out_DO, b.x_ND, b.middle_ND);
            ops().ffn(w.ffn, eps,
                      {.x_ND = b.middle_ND,
                       .rstd_N = b.rstd_N,
                       .y_ND = b.y_ND,
                       .gate_up_N2F = matrix(b.gate_up, 2 * ffn),
                       .h_NF = matrix(b.hidden, ffn)},
                      b.x_ND);
        }
        ops().rms_norm(b.x_ND, norm_D, eps, b.y_ND, b.rstd_N);
    }

    at::Tensor logits(const at::Tensor& y_ND) const {
        return at::mm(y_ND, head_VD.t()).to(ops().statistics_type());
    }

    // One pass a chunk; behind(first, count) follows each, and is the last where it returns false.
    template <class Behind>
    void prefill(InferenceState& state, const at::Tensor& tokens_BT, Behind&& behind) {
        if (tokens_BT.dim() != 2 || tokens_BT.size(0) != state.batch() || tokens_BT.size(1) < 1)
            throw std::invalid_argument("prefill needs tokens of " + std::to_string(state.batch()) +
                                        " sequences");
        const std::int64_t seen = state.lengths_.front(), tokens = tokens_BT.size(1);
        if (std::any_of(state.lengths_.begin(), state.lengths_.end(),
                        [&](auto each) { return each != seen; }))
            throw std::invalid_argument("prefill needs sequences of one length");
        require_room(state, tokens);
        for (std::int64_t first = 0; first < tokens; first += chunk) {
            const std::int64_t count = std::min(chunk, tokens - first);
            pass(state, tokens_BT.narrow(1, first, count),
                 [&](const Mixer& mixer, const MixerParameters& parameters, const at::Tensor& in_BTC,
                     const at::Tensor& out_BTC, MixerState& mixer_state) {
                     mixer.extend(ops(), parameters, in_BTC, out_BTC, mixer_state, seen + first);
                 });
            for (std::int64_t& length : state.lengths_) length += count;
            if (!behind(first, count)) return;
        }
    }

    static void require_room(const InferenceState& state, std::int64_t tokens) {
        const std::int64_t longest = *std::max_element(state.lengths_.begin(), state.lengths_.end());
        if (longest + tokens > state.capacity_)
            throw std::invalid_argument("a state of " + std::to_string(state.capacity_) +
                                        " tokens has no room for " + std::to_string(longest) + " and " +
                                        std::to_string(tokens) + " more");
    }
};

Generator::Generator(Model& model, std::int64_t chunk)
    : parts_(std::make_unique<Parts>(
          Parts{.model = model, .chunk = std::max<std::int64_t>(chunk, 1), .eps = norm_eps(model.spec())})) {
    const ParameterStore& store = model.parameters();
    for (const LayerParameters& layer : store.layout().layers)
        parts_->layers.push_back(weights_of(store, layer));
    parts_->embedding_VD = store.compute_view(store.layout().embedding);
    parts_->head_VD = store.compute_view(store.layout().head);
    parts_->norm_D = store.compute_view(store.layout().final_norm);
}
Generator::~Generator() = default;

InferenceState Generator::start(std::int64_t batch, std::int64_t capacity) const {
    if (batch < 1 || capacity < 1)
        throw std::invalid_argument("a state needs a sequence and room for a token");
    InferenceState state;
    state.capacity_ = capacity;
    state.lengths_.assign(std::size_t(batch), 0);
    for (const auto& groups : parts_->model.mixers()) {
        state.layers_.emplace_back();
        for (const auto& mixer : groups)
            state.layers_.back().push_back(mixer->make_state(parts_->ops(), batch, capacity));
    }
    return state;
}

at::Tensor Generator::prefill(InferenceState& state, const at::Tensor& tokens_BT) {
    at::Tensor last_BV;
    parts_->prefill(state, tokens_BT, [&](std::int64_t first, std::int64_t count) {
        if (first + count < tokens_BT.size(1)) return true;
        const at::Tensor y_BtD = parts_->b.y_ND.view({tokens_BT.size(0), count, -1});
        last_BV = parts_->logits(y_BtD.select(1, count - 1).contiguous());
        return true;
    });
    return last_BV;
}

void Generator::prefill(InferenceState& state, const at::Tensor& tokens_BT,
                        const std::function<bool(std::int64_t, const at::Tensor&)>& receive) {
    // A run of positions at a time, so that logits never exceed these elements by much.
    constexpr std::int64_t logit_elements = std::int64_t{1} << 26;
    const std::int64_t batch = tokens_BT.size(0), vocab = parts_->model.spec().vocab;
    const std::int64_t run = std::max<std::int64_t>(logit_elements / (batch * vocab), 1);
    parts_->prefill(state, tokens_BT, [&](std::int64_t first, std::int64_t count) {
        const at::Tensor y_BtD = parts_->b.y_ND.view({batch, count, -1});
        for (std::int64_t begin = 0; begin < count; begin += run) {
            const std::int64_t size = std::min(run, count - begin);
            const at::Tensor rows = y_BtD.narrow(1, begin, size).reshape({batch * size, -1});
            if (!receive(first + begin, parts_->logits(rows).view({batch, size, vocab}))) return false;
        }
        return true;
    });
}

at::Tensor Generator::step(InferenceState& state, const at::Tensor& tokens_B) {
    if (tokens_B.dim() != 1 || tokens_B.size(0) != state.batch())
        throw std::invalid_argument("step needs a token of each of " + std::to_string(state.batch()) +
                                    " sequences");
    Parts::require_room(state, 1);
    const StepPlace place{.positions_B = at::tensor(state.lengths_, at::kLong).to(parts_->ops().device()),
                          .longest = *std::max_element(state.lengths_.begin(), state.lengths_.end()) + 1};
    parts_->pass(state, tokens_B.unsqueeze(1),
                 [&](const Mixer& mixer, const MixerParameters& parameters, const at::Tensor& in_B1C,
                     const at::Tensor& out_B1C, MixerState& mixer_state) {
                     mixer.step(parts_->ops(), parameters, in_B1C, out_B1C, mixer_state, place);
                 });
    for (std::int64_t& length : state.lengths_) ++length;
    return parts_->logits(parts_->b.y_ND);
}

}  // namespace braid
