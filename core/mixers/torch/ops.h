// What a model needs from a device: the same set of operations on the CPU (kernels/cpu and ATen) and in the
// CUDA plugin. There is no autograd in the training path: every operation comes with its gradient, written
// out.
//
// Shape letters: B sequences, T tokens, N = B*T rows, D model width, F FFN width, V vocabulary, H query
// heads, G key/value heads, K head dimension, C columns of a projection, R x C rows and columns of a matrix.
//
// Rules for implementations
// - Outputs are given, allocated, and overwritten unless "accumulates" is said. Scratch belongs to the
//   implementation and is kept from call to call: a steady step allocates nothing.
// - No host synchronisation: results that the host wants stay in device tensors until a metric is read.
// - Tensors whose name ends in a column slice (q, k, v, o and their gradients) may have any batch and row
//   stride; the last dimension is contiguous. Everything else is contiguous.
// - Types: weights and activations have compute_type(), but weights of norms master_type(); the residual
//   stream and its gradient have residual_type(),
//   parameters, their gradients and optimizer state master_type(), row statistics (rstd, lse, losses)
//   statistics_type().
// - Equal inputs give equal bits from run to run at a fixed number of threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/mixers/softmax/rope_rule.h"
#include "core/mixers/torch/linear_attention.h"

namespace braid {

// Rotary tables of one rule: cos and sin of t * frequency_i, i < rotary_dim / 2, times the rule's attention
// factor.
struct RopeTable {
    at::Tensor cos_TK2;  // [T, rotary_dim/2], statistics_type()
    at::Tensor sin_TK2;
};

// Documents of a batch that are kept apart: attention does not look across their bounds, recurrent states
// start anew behind each. Undefined: every sequence is one document.
struct Documents {
    at::Tensor starts_BT;      // int32, contiguous: where in its sequence the document of each token begins
    at::Tensor bounds;         // int32 [documents + 1]: the first of the B*T rows of each, then B*T
    std::int64_t longest = 0;  // tokens of the longest
    bool defined() const { return starts_BT.defined(); }
};

// Softmax attention (core/mixers: "full", "swa"; paper Eq. 1 and 2). Query head h reads key/value head h /
// (H/G).
struct AttentionRule {
    std::int64_t window = 0;  // keys [t-window+1, t]; 0: all of [0, t]
    double scale = 1.0;       // of q.k
    Documents documents = {};
    // What q and k have been turned by (channels behind its width have not): attention_backward() gives the
    // gradients of what they were before. Undefined: nothing.
    RopeTable turned = {};
};

// What softmax attention does to queries and keys (biases: values too) before they meet, in this order; what
// is undefined is left out.
struct HeadRule {
    std::array<at::Tensor, 3> bias = {};    // of q, k and v: [H * K], [G * K], [G * K], compute_type()
    std::array<at::Tensor, 2> norm_K = {};  // weights of RMSNorm over the channels of a head of q, of k
    double norm_eps = 1e-6;
    RopeTable rope = {};     // row t is for position t; channels behind its width are not turned
    std::int64_t log_n = 0;  // queries times max(1, ln(position + 1) / ln(log_n)); 0: as they are
};

// Decays and strengths of writing that a recurrent mixer reads from its tokens, one a state S:
// dt = softplus(raw + bias), log g = max(-exp(min(A_log, 60)) dt, -100), strength = sigmoid(write).
struct GateInput {
    at::Tensor raw_BTS;          // a column slice
    at::Tensor a_log_S, bias_S;  // master_type()
    at::Tensor write_BTS = {};   // a column slice; undefined: no strength
};
struct GateOutput {  // statistics_type(), contiguous
    at::Tensor dt_BTS, log_decay_BTS;
    at::Tensor strength_BTS = {};
};

// Norm and gate of a recurrent mixer's output, over W channels: y = x rstd weight act(gate), or, gate first,
// z = x act(gate), y = z rstd weight; rstd = (mean(.^2) + eps)^-1/2.
struct GatedNormRule {
    double eps = 1e-6;
    bool gate_first = false;
    bool silu = true;  // act; else the logistic function
};

// Matrices of one shape that Muon updates, each on its own. Matrix i is rows*cols contiguous elements from
// offsets[i] on, in the flat parameter, gradient and momentum storage alike.
struct MuonGroup {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::vector<std::int64_t> offsets = {};
    at::Tensor device_offsets = {};  // the same, int64, on the device
};

struct MuonRule {
    double momentum = 0.95;  // Nesterov
    double weight_decay = 0.1;
    std::int64_t newton_schulz_steps = 5;
};

struct AdamwRule {
    double beta1 = 0.9;
    double beta2 = 0.95;
    double eps = 1e-8;
};

// Flat storage as the optimizer sees it; see core/engine/parameter_store.h.
struct OptimizerTensors {
    at::Tensor values;      // masters
    at::Tensor gradients;   // master_type()
    at::Tensor compute;     // compute_type() copy of the masters; the same tensor as values where types agree
    at::Tensor momentum;    // Muon's momentum and AdamW's first moment, as long as values
    at::Tensor exp_avg_sq;  // AdamW's second moment, from adamw_begin on
    std::int64_t adamw_begin = 0;
};

// What changes from step to step, in one small device tensor (master_type()), so that a captured step can be
// replayed.
namespace step_scalar {
enum Index : std::int64_t {
    learning_rate,
    bias_correction1,  // 1 - beta1^step
    bias_correction2,
    gradient_norm,  // written by gradient_norm_and_clip()
    clip_factor,    // min(1, max_norm / norm); multiplies every gradient that the optimizer reads
    applied,        // 1; 0: loss or norm is not finite, and the update leaves everything as it is
    count
};
}

// A kernel that was asked for by name cannot compute what it was given.
class KernelRefused : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// What an operation was computed by.
struct KernelUse {
    std::string operation;  // "attention", "recurrence"
    std::string call;       // "16384 tokens, window 512, 12/2 heads of 64, sink"
    std::string kernel;     // "cudnn"
    bool operator==(const KernelUse&) const = default;
};

// Work that a device has recorded. It can be done again and again by one launch, on the memory that it was
// recorded with, which stays as long as the recording.
class Recording {
public:
    virtual ~Recording() = default;
    virtual void replay() = 0;
};

class Ops {
public:
    virtual ~Ops() = default;

    virtual std::string name() const = 0;  // "cpu", "cuda"
    virtual at::Device device() const = 0;
    virtual at::ScalarType master_type() const = 0;   // float32; float64 for tests on the CPU
    virtual at::ScalarType compute_type() const = 0;  // float32 on the CPU, bfloat16 on CUDA
    virtual at::ScalarType residual_type() const = 0;
    virtual at::ScalarType statistics_type() const = 0;  // float32; float64 with float64 masters

    // Only implementations whose result never varies from run to run. Those of the CPU are so always.
    virtual void set_deterministic(bool) {}

    // Kernels that attention can be forced to, the preferred first.
    virtual std::vector<std::string> attention_kernels() const = 0;
    // One of them, or "auto": for each call the first of them that can compute it. Calls throw KernelRefused
    // where the one that was asked for cannot.
    virtual void set_attention_kernel(const std::string& name) = 0;
    // The same of recurrences, linear_attention() and its gradient. "reference" is made of matrix products.
    virtual std::vector<std::string> recurrence_kernels() const { return {"reference"}; }
    virtual void set_recurrence_kernel(const std::string&) {}
    // Where there is a choice of kernels: each kind of call since the ops were made or told to forget, once,
    // in their order.
    const std::vector<KernelUse>& kernels_used() const { return kernels_used_; }
    void forget_kernels_used() { kernels_used_.clear(); }

    // What `work` asks of the device, recorded and not done. Null where the device cannot record. Throws
    // where `work` does what cannot be recorded, such as waiting for the device.
    virtual std::unique_ptr<Recording> record(const std::function<void()>& work);
    // Most bytes of device memory held at a time since the last reset, free for later ones included; 0: not
    // known.
    virtual std::int64_t peak_memory() const { return 0; }
    virtual void reset_peak_memory() {}
    // Bytes of device memory that could be allocated now; 0: not known.
    virtual std::int64_t free_memory() const { return 0; }

    // x = weight[tokens]. Tokens are int64, valid.
    virtual void embedding(const at::Tensor& weight_VD, const at::Tensor& tokens_N,
                           const at::Tensor& x_ND) = 0;
    // dweight[tokens] += dx; accumulates.
    virtual void embedding_backward(const at::Tensor& tokens_N, const at::Tensor& dx_ND,
                                    const at::Tensor& dweight_VD) = 0;

    // rstd = (mean(x^2) + eps)^-1/2, y = x * rstd * weight.
    virtual void rms_norm(const at::Tensor& x_ND, const at::Tensor& weight_D, double eps,
                          const at::Tensor& y_ND, const at::Tensor& rstd_N) = 0;
    // dx += gradient through the norm; dweight accumulates. Where it is defined, rounded_ND (compute_type())
    // receives dx too: products read it there.
    virtual void rms_norm_backward(const at::Tensor& dy_ND, const at::Tensor& x_ND,
                                   const at::Tensor& weight_D, const at::Tensor& rstd_N,
                                   const at::Tensor& dx_ND, const at::Tensor& dweight_D,
                                   const at::Tensor& rounded_ND) = 0;

    // Products: what lies between the rows of activations, where they begin further apart than they are wide,
    // may be overwritten.
    // y = x W^T.
    virtual void linear(const at::Tensor& x_NC, const at::Tensor& weight_RC, const at::Tensor& y_NR) = 0;
    // sum = residual + x W^T; sum may be residual itself, else they do not overlap.
    virtual void linear_add(const at::Tensor& x_NC, const at::Tensor& weight_RC,
                            const at::Tensor& residual_NR, const at::Tensor& sum_NR) = 0;
    // dx = dy W; both have compute_type().
    virtual void linear_backward_input(const at::Tensor& dy_NR, const at::Tensor& weight_RC,
                                       const at::Tensor& dx_NC) = 0;
    // dW += dy^T x.
    virtual void linear_backward_weight(const at::Tensor& dy_NR, const at::Tensor& x_NC,
                                        const at::Tensor& dweight_RC) = 0;

    // The table of a rule (resolved), made on first use and kept for a while: use it at once. Exact to the
    // statistics type.
    const RopeTable& rope_table(const RopeRule& rule, std::int64_t tokens);

    // Rotates halves in place: (a, b) -> (a cos - b sin, b cos + a sin) for a = x[.., i], b = x[.., i + K/2];
    // with inverse = true by the opposite angle, which is the gradient. K is twice the table's width; of a
    // head that is turned in part, x is a view of those channels.
    virtual void rope(const at::Tensor& x_BTHK, const RopeTable& table, bool inverse) = 0;

    // o_t = sum_s p_ts v_s with p = softmax over the visible keys and the sink, which has no value; lse
    // includes the sink. An undefined sink_H means none.
    virtual void attention(const AttentionRule& rule, const at::Tensor& q_BTHK, const at::Tensor& k_BTGK,
                           const at::Tensor& v_BTGK, const at::Tensor& sink_H, const at::Tensor& o_BTHK,
                           const at::Tensor& lse_BHT) = 0;
    // dsink = - sum_t exp(sink - lse) (do . o) accumulates; dq, dk, dv are overwritten, dq and dk turned back
    // by rule.turned.
    virtual void attention_backward(const AttentionRule& rule, const at::Tensor& do_BTHK,
                                    const at::Tensor& q_BTHK, const at::Tensor& k_BTGK,
                                    const at::Tensor& v_BTGK, const at::Tensor& sink_H,
                                    const at::Tensor& o_BTHK, const at::Tensor& lse_BHT,
                                    const at::Tensor& dq_BTHK, const at::Tensor& dk_BTGK,
                                    const at::Tensor& dv_BTGK, const at::Tensor& dsink_H) = 0;

    // Attention of queries [first_query, first_query + Q) to keys [first_key, first_key + T) of the same
    // sequence by the rule's window; no gradient. Keys as a cache holds them. For prefill after a prefix.
    virtual void attention_over(const AttentionRule& rule, const at::Tensor& q_BQHK, const at::Tensor& k_BGTK,
                                const at::Tensor& v_BGTK, const at::Tensor& sink_H, std::int64_t first_key,
                                std::int64_t first_query, const at::Tensor& o_BQHK);
    // Decoding, one token a sequence; positions_B (int64): tokens before it. k_BGSK and v_BGSK are caches of
    // S tokens, full ones rings: token t is at t mod S.
    // The token by the rule: q is changed in place, k and v go to the caches (and may change).
    virtual void cache_token(const HeadRule& rule, const at::Tensor& q_BHK, const at::Tensor& k_BGK,
                             const at::Tensor& v_BGK, const at::Tensor& positions_B, const at::Tensor& k_BGSK,
                             const at::Tensor& v_BGSK);
    // Its attention to the cached keys, itself included.
    virtual void attention_step(double scale, const at::Tensor& q_BHK, const at::Tensor& k_BGSK,
                                const at::Tensor& v_BGSK, const at::Tensor& sink_H,
                                const at::Tensor& positions_B, const at::Tensor& o_BHK);

    // See core/mixers/torch/linear_attention.h. The chunked form, made of matrix products. `boundaries` comes
    // from linear_boundaries() for the same rule and shape, or is undefined where no backward pass follows;
    // last_BSKV receives the state after the last token, or is undefined; it may be initial_BSKV itself.
    virtual void linear_attention(const LinearRule& rule, const LinearInput& input, const at::Tensor& o_BTRV,
                                  const at::Tensor& boundaries, const at::Tensor& last_BSKV);
    // States that the backward pass starts from; everything between them is computed again.
    virtual at::Tensor linear_boundaries(const LinearRule& rule, const LinearShape& shape, std::int64_t batch,
                                         std::int64_t tokens);
    virtual void linear_attention_backward(const LinearRule& rule, const LinearInput& input,
                                           const at::Tensor& boundaries, const at::Tensor& do_BTRV,
                                           const LinearGradient& gradient);
    // The recurrent form for one token (T = 1): state_BSKV before it, then after it.
    virtual void linear_attention_step(const LinearRule& rule, const LinearInput& input,
                                       const at::Tensor& state_BSKV, const at::Tensor& o_B1RV);

    virtual void recurrent_gates(const GateInput& input, const GateOutput& output);

    // x, gate, y: [N, heads, W], any row and head stride. An undefined weight is 1.
    virtual void gated_norm(const GatedNormRule& rule, const at::Tensor& x_NHW, const at::Tensor& gate_NHW,
                            const at::Tensor& weight_W, const at::Tensor& y_NHW);
    // dx and dgate are overwritten; dx may be x itself; dweight accumulates.
    virtual void gated_norm_backward(const GatedNormRule& rule, const at::Tensor& dy_NHW,
                                     const at::Tensor& x_NHW, const at::Tensor& gate_NHW,
                                     const at::Tensor& weight_W, const at::Tensor& dx_NHW,
                                     const at::Tensor& dgate_NHW, const at::Tensor& dweight_W);

    // Causal convolution of each channel with its own taps: y_t = sum_i taps[:, i] x_{t-I+1+i}. history holds
    // the I - 1 tokens before the first, then the last I - 1; undefined: zeros, and not kept. Any row stride.
    // With documents, which have no history, the taps reach no token of another one.
    virtual void short_convolution(const Documents& documents, const at::Tensor& x_BTC,
                                   const at::Tensor& taps_CI, const at::Tensor& y_BTC,
                                   const at::Tensor& history_BIC);
    // From zeros before the first token. dx is overwritten, dtaps accumulates.
    virtual void short_convolution_backward(const Documents& documents, const at::Tensor& dy_BTC,
                                            const at::Tensor& x_BTC, const at::Tensor& taps_CI,
                                            const at::Tensor& dx_BTC, const at::Tensor& dtaps_CI);

    // h = silu(gate) * up; gate_up_N2F holds gate in its first F columns, up in the last.
    virtual void swiglu(const at::Tensor& gate_up_N2F, const at::Tensor& h_NF) = 0;
    // dgate_up from dh; h, where it is defined, is computed again beside it, to the same bits, so that a
    // model need not keep it.
    virtual void swiglu_backward(const at::Tensor& gate_up_N2F, const at::Tensor& dh_NF,
                                 const at::Tensor& dgate_up_N2F, const at::Tensor& h_NF) = 0;

    // Head and cross-entropy of a training step. loss_n = logsumexp(y_n W^T) - (y_n W^T)[target_n]; targets
    // below 0 are left out. loss_sum (0-dim, statistics_type()) accumulates sum_n loss_n; dy = scale *
    // d(loss_sum)/dy is overwritten; dW accumulates scale * d(loss_sum)/dW. Logits exist for a chunk of rows
    // at a time. weights_N (statistics_type()) multiplies the gradient of each row, not the loss that is
    // summed; undefined: all 1.
    virtual void head_loss(const at::Tensor& y_ND, const at::Tensor& weight_VD, const at::Tensor& targets_N,
                           const at::Tensor& weights_N, double scale, const at::Tensor& loss_sum,
                           const at::Tensor& dy_ND, const at::Tensor& dweight_VD) = 0;
    // The same loss per row (0 where the target is below 0) and the index of the largest logit (int64), no
    // gradient.
    virtual void head_evaluate(const at::Tensor& y_ND, const at::Tensor& weight_VD,
                               const at::Tensor& targets_N, const at::Tensor& loss_N,
                               const at::Tensor& top_N) = 0;

    // Pre-norm FFN half of a block: x += swiglu(rms_norm(x) W_gate_up^T) W_down^T. Keeps what the backward
    // needs. The default calls the operations above; a device that gains from doing a block of rows at once
    // overrides it.
    struct FfnWeights {
        at::Tensor norm_D, gate_up_2FD, down_DF;
    };
    struct FfnSaved {
        at::Tensor x_ND;  // x before the FFN, residual_type()
        at::Tensor rstd_N, y_ND, gate_up_N2F;
        at::Tensor h_NF;      // of at least as many rows as a device does at once
        bool h_kept = false;  // h_NF is there until ffn_backward(); else scratch that layers share
    };
    // next = x + ffn(x); next_ND may not overlap saved.x_ND, which holds the input.
    virtual void ffn(const FfnWeights& weights, double eps, const FfnSaved& saved, const at::Tensor& next_ND);
    // gate_up_N2F from y_ND once more, to the same bits.
    virtual void ffn_again(const FfnWeights& weights, const FfnSaved& saved);
    struct FfnScratch {
        at::Tensor dh_NF, dgate_up_N2F, dy_ND;
        at::Tensor rounded_ND = {};  // dx_ND in compute_type(); undefined where that is residual_type()
    };
    // dx_ND: gradient of next on entry, of x on return; so is scratch.rounded_ND. Gradients of the weights
    // accumulate.
    virtual void ffn_backward(const FfnWeights& weights, const FfnSaved& saved, const at::Tensor& dx_ND,
                              const FfnScratch& scratch, const FfnWeights& dweights);

    // scalars[gradient_norm] = |gradients|_2; scalars[clip_factor] = min(1, max_norm / norm), or 1 for
    // max_norm 0.
    virtual void gradient_norm_and_clip(const at::Tensor& gradients, double max_norm,
                                        const at::Tensor& scalars) = 0;
    // Decides about an update, from scalars[gradient_norm] and, where it is defined, loss_sum. Both finite:
    // counts it in updates (int64, [1]) and writes the bias corrections of so many steps; scalars[applied].
    virtual void begin_update(const at::Tensor& loss_sum, const AdamwRule& rule, const at::Tensor& updates,
                              const at::Tensor& scalars) = 0;
    // In place, each matrix alone: X / (|X|_F + 1e-7), then X <- aX + (bA + cA^2) X with A = X X^T and
    // (a, b, c) = (3.4445, -4.7750, 2.0315); the smaller side's Gram matrix is used.
    virtual void newton_schulz(const at::Tensor& x_nRC, std::int64_t steps) = 0;
    // m = momentum m + (1 - momentum) g, u = momentum m + (1 - momentum) g, u orthogonalised;
    // p = p (1 - lr wd) - lr 0.2 sqrt(max(R, C)) u. Refreshes the compute copy. Here and in adamw_step()
    // nothing changes where scalars[applied] is 0.
    virtual void muon_step(const MuonGroup& group, const MuonRule& rule, const OptimizerTensors& tensors,
                           const at::Tensor& scalars) = 0;
    // AdamW with bias correction on the elements [begin, end). Refreshes the compute copy.
    virtual void adamw_step(std::int64_t begin, std::int64_t end, double weight_decay, const AdamwRule& rule,
                            const OptimizerTensors& tensors, const at::Tensor& scalars) = 0;

protected:
    void note_kernel(KernelUse use);
    // What attention_backward() owes to rule.turned, of dq and dk that stand.
    void turn_back(const RopeTable& turned, const at::Tensor& dq_BTHK, const at::Tensor& dk_BTGK);
    // For a recording, which must keep them.
    std::vector<at::Tensor> rope_tensors() const;

private:
    std::map<std::pair<RopeRule, std::int64_t>, RopeTable> rope_tables_;
    std::vector<KernelUse> kernels_used_;
};

}  // namespace braid
