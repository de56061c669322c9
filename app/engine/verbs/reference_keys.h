// Key tokens of a reference model, found once for a project and reused: <project>/key_tokens/<hash>.json, the
// hash that of the reference's weights, the rule, the texts and the tokenizers.
#pragma once

#include <string>

#include "app/engine/cli/command_line.h"
#include "core/data/corpus.h"
#include "core/data/key_tokens.h"

namespace braid::cli {

struct ReferenceRequest {
    std::string reference = {};  // CHECKPOINT
    std::string project = {};    // --project
    std::string tokenizer = {};  // of the reference; empty: that of its corpus, else of `corpus`
    KeyTokenRule rule = {};
    std::int64_t samples = 32;
    std::string device = "auto";
    std::int64_t threads = 0;
    bool quiet = false;
};

// The paper's 4,096 + 1,024 from a context of 16,384 on; below it the same shares of the context.
KeyTokenRule rule_for_context(std::int64_t context);

// Texts with their key tokens, from validation documents of `corpus`. Errors: invalid_input (a tokenizer that
// is not the reference's, a reference trained with less context than the rule has, no long document),
// interrupted.
Result<KeyTokens> find_reference_keys(const ReferenceRequest& request, const Corpus& corpus);

// The file with them in the project's cache; made if need be.
Result<std::string> cached_reference_keys(const ReferenceRequest& request, const Corpus& corpus);

}  // namespace braid::cli
