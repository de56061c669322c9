// LongCE: weights of the loss that let tokens count more which gain from long context (Fang et al., 2024,
// "What is Wrong with Perplexity for Long-context Language Modeling?", Eq. 8; evaluation.md calls it an
// option of training).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace braid {

class Model;

struct LongceRule {
    std::int64_t window = 0;  // tokens of the short context, less than T
    double cap = 5;           // largest weight
};

// [B, T], statistics type, on the device: min(exp(loss with the short context - loss with the whole), cap),
// from the model as it is. The short context of a token is a window that begins up to `window` tokens before
// it, advanced by half of it: each token sees between window / 2 and window tokens. The first `window` tokens
// have weight 1. starts_BT: as in Model::evaluate().
at::Tensor longce_weights(Model& model, const at::Tensor& tokens_BT, const at::Tensor& targets_BT,
                          const LongceRule& rule, const at::Tensor& starts_BT = {});

}  // namespace braid
