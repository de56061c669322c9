// The Torch side of a mixer: a group of heads inside one layer, between the layer's fused input projection
// and its output projection. The block does both projections for all its groups at once; a mixer sees its own
// columns.
//
// A new mixer is one folder under core/mixers and one line in mixers.def.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/mixers/torch/ops.h"
#include "core/spec/mixer_kind.h"

namespace braid {

enum class Init {
    fan_in,  // U(+-1/sqrt(columns))
    normal,
    ones,
    zeros,
    log_of_1_to_16,      // log U(1, 16): A_log of Mamba-2
    log_of_0_to_16,      // log U(0, 16): A_log of Gated DeltaNet
    inverse_softplus_dt  // x with softplus(x) log-uniform in [1e-3, 0.1]: dt_bias
};

// Rows of the layer's input projection: a matrix [rows, D] of its own to Muon and in checkpoints.
struct ProjectionRequest {
    std::string name;  // "q_proj"
    std::int64_t rows = 0;
};

// A small parameter of the mixer, updated by AdamW without weight decay (sinks, A_log, dt_bias).
struct VectorRequest {
    std::string name;  // "sinks"
    std::int64_t size = 0;
    Init init = Init::zeros;
    std::int64_t cols = 0;  // > 0: a table [size / cols, cols], such as the taps of a convolution
};

// A matrix inside the mixer, besides its rows of the input projection; Muon updates it.
struct MatrixRequest {
    std::string name;  // "gate_up_proj"
    std::int64_t rows = 0;
    std::int64_t cols = 0;
};

struct MixerParameter {
    at::Tensor value;     // compute_type()
    at::Tensor master;    // master_type(), for what must not be rounded (decays, weights of norms)
    at::Tensor gradient;  // master_type()
};

// In the order of vectors() and matrices().
struct MixerParameters {
    std::vector<MixerParameter> vectors, matrices;
};

// What a forward pass leaves for its backward pass; allocated once for a fixed B and T.
struct MixerMemory {
    std::vector<at::Tensor> tensors;
    Documents documents = {};  // of the batch at hand; set before forward()
};

// What a mixer keeps of the tokens that it has seen: keys and values, or a recurrent state. The first
// dimension of every tensor but constants is the sequence, so that states of sequences can be stacked, picked
// and dropped.
struct MixerState {
    std::int64_t capacity = 0;           // tokens that a sequence may come to, where the mixer wants to know
    std::vector<at::Tensor> cache = {};  // grows with the context up to its capacity
    std::vector<at::Tensor> recurrent = {};  // of constant size
    std::vector<at::Tensor> constant = {};   // of no sequence: what a step reads and does not change
};

// Where the one token of each sequence stands that step() is given.
struct StepPlace {
    at::Tensor positions_B;    // int64 on the device: tokens before it
    std::int64_t longest = 0;  // at least the largest of them plus 1, at most the state's capacity
};

// A forward pass over whole sequences without documents, as forward() left it; for looking into a mixer.
struct MixerPass {
    const Ops& ops;
    const MixerParameters& parameters;
    const at::Tensor& in_BTC;
    const at::Tensor& out_BTC;
    const MixerMemory& memory;
};

// How one head weighed the values that it had seen, r rows (queries) of its T: the S keys of weights_BrS are
// those up to the last of these queries. Softmax attention: the shares, which sum to 1 with that of the sink.
// Recurrent mixers: the matrix that their recurrence implies (of any sign). All of statistics_type().
struct AttentionRows {
    at::Tensor weights_BrS;   // 0 for keys that a row does not see
    at::Tensor sink_Br = {};  // undefined: no sink
    at::Tensor values_BSV;
    at::Tensor output_BrV;  // of the pass, before norms and gates: weights_BrS times values_BSV
};

// What the rows of one head follow from, small enough to keep; K numbers a token. statistics_type() unless
// said otherwise. core/attention/head_factors.h has the formulas.
struct AttentionFactors {
    at::Tensor q_BTK, k_BTK;   // the scale of the scores is in q, the strength of writing in k
    at::Tensor offset_BT;      // float64: log of the denominator with the sink; implied: sum of log decays
    at::Tensor sink_BT = {};   // its share; undefined: no sink
    at::Tensor diagonal = {};  // 0-dim, of an implied matrix; undefined: 0
    std::int64_t window = 0;   // 0: every earlier key
    bool implied = false;
};

// Of a recurrent mixer, statistics_type(); undefined of others.
struct RecurrentGates {
    at::Tensor log_decay_BTS = {};  // of each state, <= 0; or [S]: constant
    at::Tensor write_BTS = {};      // strength with which a token is written (beta, dt); undefined: 1
};

class Mixer {
public:
    virtual ~Mixer() = default;
    virtual std::vector<ProjectionRequest> projections() const = 0;
    virtual std::vector<VectorRequest> vectors() const = 0;
    virtual std::vector<MatrixRequest> matrices() const { return {}; }
    virtual std::int64_t output_width() const = 0;  // columns that enter the output projection

    virtual MixerMemory allocate(Ops& ops, std::int64_t batch, std::int64_t tokens) const = 0;

    // in_BTC: this mixer's columns of the input projection, in the order of projections(); may be changed in
    // place (RoPE), which backward() relies on. out_BTC: its output_width() columns.
    virtual void forward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                         const at::Tensor& out_BTC, MixerMemory& memory) const = 0;
    // din_BTC is overwritten; gradients of the parameters accumulate. in_BTC and out_BTC as forward() left
    // them.
    virtual void backward(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                          const at::Tensor& out_BTC, const at::Tensor& dout_BTC, const at::Tensor& din_BTC,
                          MixerMemory& memory) const = 0;

    // The state before the first token; `capacity` tokens is the most that it will see.
    virtual MixerState make_state(Ops& ops, std::int64_t batch, std::int64_t capacity) const = 0;
    // The next T tokens of every sequence, `first` of which are in the state already: prefill. In the form
    // that is quick for many tokens (chunked).
    virtual void extend(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_BTC,
                        const at::Tensor& out_BTC, MixerState& state, std::int64_t first) const = 0;
    // One token of every sequence, each at its own place: decoding. In the recurrent form.
    virtual void step(Ops& ops, const MixerParameters& parameters, const at::Tensor& in_B1C,
                      const at::Tensor& out_B1C, MixerState& state, const StepPlace& place) const = 0;

    // Heads that attention_rows() knows, each with as many columns of out_BTC.
    virtual std::int64_t attention_heads() const = 0;
    // Queries [first, first + count) of one head. Memory grows with count * T.
    virtual AttentionRows attention_rows(const MixerPass& pass, std::int64_t head, std::int64_t first,
                                         std::int64_t count) const = 0;
    // None where the rows have no such form (the delta rule).
    virtual std::optional<AttentionFactors> attention_factors(const MixerPass&, std::int64_t /*head*/) const {
        return {};
    }
    virtual RecurrentGates gates(const MixerPass&) const { return {}; }
};

// The module of a group of heads; null where the mixer has none (it can be composed but not trained yet).
std::unique_ptr<Mixer> make_mixer(const HeadGroup& group, const MixerContext& context);

}  // namespace braid
