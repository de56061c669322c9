// Finding the key tokens of texts with a reference model (paper Eq. 7; evaluation.md, LongPPL).
#pragma once

#include <functional>

#include "core/data/key_tokens.h"
#include "core/engine/model.h"

namespace braid {

struct KeyTokenProgress {
    std::int64_t samples_done = 0;
    std::int64_t samples = 0;
    std::int64_t key_tokens = 0;
};

// Fills the spans of `samples`, texts for the tokenizer of the reference. A token is key iff its loss with
// the short context exceeds its loss with the whole text by more than rule.gain and the latter is below
// rule.sure. The short context: windows of short_context + advance tokens, advanced by `advance`, of which
// the last `advance` positions are scored; no token before position short_context can be key. Errors:
// invalid_input (a tokenizer with more tokens than the model), interrupted (go_on said no), out_of_memory.
Result<void> find_key_tokens(Model& reference, const Tokenizer& tokenizer, const KeyTokenRule& rule,
                             std::vector<KeySample>& samples,
                             const std::function<bool(const KeyTokenProgress&)>& go_on = {});

}  // namespace braid
