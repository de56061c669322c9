// One text through a model: the logits behind each of its tokens, and its continuation token by token.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/engine/model.h"

namespace braid {

// receive(first, logits): rows of V float32 of the tokens from `first` on, a run of positions at a time. What
// it returns as an error ends the pass and is returned. Tokens are of the model's vocabulary. Errors also:
// out_of_memory.
Result<void> text_logits(
    Model& model, std::span<const std::int64_t> tokens,
    const std::function<Result<void>(std::int64_t first, std::span<const float> logits)>& receive);

struct Continuation {
    std::int64_t tokens = 64;  // at most
    double temperature = 1;    // 0: the likeliest token each time
    std::uint64_t seed = 1;
    std::vector<std::int32_t> ends = {};  // tokens that end the text; they are not given to `receive`
};

enum class ContinuationEnd { tokens, end_token, stopped };

// receive(token) gets each token as it is drawn; false stops. The same model, prompt and seed give the same
// text on one device. The prompt must not be empty. Errors: out_of_memory; internal (logits that are not
// finite).
Result<ContinuationEnd> continue_text(Model& model, std::span<const std::int32_t> prompt,
                                      const Continuation& rule,
                                      const std::function<bool(std::int32_t token)>& receive);

}  // namespace braid
