// A hybrid language model: embedding, pre-norm blocks, final norm, head (its own, or the embedding). Forward
// and backward are written out on an Ops; buffers are allocated once for a shape.
//
// Functions may throw what ATen throws (out of memory); the caller's public entry is guarded
// (core/engine/guard.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/engine/activation_plan.h"
#include "core/engine/forward_taps.h"
#include "core/engine/ops.h"
#include "core/engine/parameter_store.h"
#include "core/spec/architecture.h"

namespace braid {

class Model {
public:
    // The spec must be valid. A model that is only read needs no memory for gradients: without `trainable`
    // forward_backward(), input_gradient() and head_gradient_norms() throw. Errors: unavailable (a mixer that
    // cannot be trained yet), out_of_memory.
    static Result<std::unique_ptr<Model>> create(const ArchitectureSpec& spec, std::shared_ptr<Ops> ops,
                                                 bool trainable = true);
    ~Model();

    const ArchitectureSpec& spec() const;
    Ops& ops() const;
    const LayerMixers& mixers() const;
    ParameterStore& parameters();
    const ParameterStore& parameters() const;

    // Most bytes that activations may take in forward_backward(), as far as that is possible: what does not
    // fit is computed again in the backward pass, to the same bits. 0, as at first: three quarters of what
    // the device has free when they are allocated; no limit on the CPU.
    void limit_activations(std::int64_t bytes);
    // What came of it; null before the first forward_backward().
    const ActivationPlan* activation_plan() const;

    // Told how far a backward pass is, as soon as the device has been given that far: after stage 0 the
    // gradients of the head (where it is not the embedding) and of the final norm are complete, after stage
    // i those of the i-th layer from the end, after the one behind the first layer those of the embedding.
    using StageDone = std::function<void(std::int64_t stage)>;

    // tokens, targets: int64 or int32 [B, T], on any device; targets below 0 are left out of the loss.
    // Adds scale * d(sum of the losses)/dp to the gradients and the sum of the losses to loss_sum(). For the
    // mean over a global batch give scale = 1 / (number of its targets). All micro-batches of a run have one
    // shape. weights_BT (statistics type), where defined, multiplies what each target adds to the gradients;
    // the sum of the losses stays unweighted. starts_BT (int32, on the CPU), where defined, says where in its
    // sequence the document of each token begins (core/data/batch.h, document_starts()): documents are then
    // kept apart.
    void forward_backward(const at::Tensor& tokens_BT, const at::Tensor& targets_BT, double scale,
                          const at::Tensor& weights_BT = {}, const at::Tensor& starts_BT = {},
                          const StageDone& stage_done = {});

    // Whether the layers of `spec` would allocate the same parameters; else invalid_input that names `path`
    // and the first parameter that differs.
    Result<void> check_layers(const ArchitectureSpec& spec, const std::string& path) const;
    // The layers with other settings that allocate the same parameters: windows, position encodings. Weights,
    // gradients and what else looks into parameters() stay. Error: that of check_layers().
    Result<void> change_layers(const ArchitectureSpec& spec);

    // Query heads that have a projection of their own, in the order of head_gradient_norms().
    struct HeadPlace {
        std::int64_t layer = 0;  // from 0
        std::int64_t head = 0;   // of the layer, over its groups, from 0
    };
    std::vector<HeadPlace> query_heads() const;
    // |dL/dW_Q[head]|_F of the gradients as they are: [number of query_heads()], on the
    // device.
    at::Tensor head_gradient_norms() const;

    // Sum of losses since zero_gradients(), in nats: 0-dim device tensor; item() synchronises.
    const at::Tensor& loss_sum() const;
    void zero_gradients();  // and loss_sum()

    struct Evaluation {
        at::Tensor loss_BT;  // nats; 0 where the target is below 0
        at::Tensor top_BT;   // int64, the likeliest next token
    };
    // Forward only; nothing is kept for a backward pass. The tensors are fresh and on the device.
    Evaluation evaluate(const at::Tensor& tokens_BT, const at::Tensor& targets_BT,
                        const at::Tensor& starts_BT = {}, const ForwardTaps* taps = nullptr);

    // Next-token logits [P, V] (statistics type) at positions [P, 2] of (sequence, token).
    at::Tensor logits(const at::Tensor& tokens_BT, const at::Tensor& positions_P2,
                      const ForwardTaps* taps = nullptr);
    // The blocks alone, for what the taps see.
    void forward(const at::Tensor& tokens_BT, const ForwardTaps& taps);

    // d(sum of dlogits_PV . logits at positions_P2)/d(embedding of each token): [B, T, D], residual_type(),
    // fresh. The gradients of the parameters accumulate as in forward_backward().
    at::Tensor input_gradient(const at::Tensor& tokens_BT, const at::Tensor& positions_P2,
                              const at::Tensor& dlogits_PV);

private:
    struct Parts;
    explicit Model(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

}  // namespace braid
