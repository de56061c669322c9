// Key tokens (core/spec/key_tokens.h) as a model reads them: found in long texts, mapped to a tokenizer,
// scored.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/data/batch.h"
#include "core/data/corpus.h"
#include "core/data/tokenizer/tokenizer.h"
#include "core/spec/key_tokens.h"

namespace braid {

struct KeyTokens {
    KeyTokenRule rule = {};
    Json reference =
        Json::object();  // which model found them: {"checkpoint", "run", "step", "architecture_hash"}
    TokenizerInfo tokenizer = {};  // of the reference
    std::string corpus = {};       // hash of the corpus the texts come from
    std::vector<KeySample> samples = {};
};

Json to_json(const KeyTokens& keys);
Checked<KeyTokens> key_tokens_from_json(const Json& json);
Result<KeyTokens> read_key_tokens(const std::string& file);
Result<void> write_key_tokens(const std::string& file, const KeyTokens& keys);
// Whether texts of so many tokens each can be read again from a file, however many of them are key.
// Error: invalid_input, with what to do.
Result<void> check_key_file_size(std::span<const KeySample> samples, std::int64_t tokens);

// Texts of at least `tokens` tokens from the validation documents, cut into pieces of that
// length; at most `samples`, spread over the documents. Their spans are empty. Error: invalid_input where no
// document is long enough, with the length of the longest, or where a file could not hold them
// (check_key_file_size).
Result<std::vector<KeySample>> long_texts(const Corpus& corpus, std::int64_t tokens, std::int64_t samples);

// Samples as a model with this tokenizer reads them: [B, T], cut or padded to `context` tokens.
LongTextSet make_long_text_set(const KeyTokens& keys, const Tokenizer& tokenizer, std::int64_t context);

struct LongPpl {
    double log_longppl = 0;    // mean loss of the key tokens of all samples kept, nats; NaN where none is
    std::int64_t samples = 0;  // kept: with at least `fewest` key tokens
    std::int64_t samples_given = 0;
    std::int64_t key_tokens = 0;  // of the samples kept
    double log_ppl = 0;           // mean loss of all tokens
    std::int64_t tokens = 0;
};
// The set for a corpus' tokenizer; refuses one in which no sample has enough key tokens within the context.
// `file` is where the keys were read from, for messages.
Result<LongTextSet> checked_long_text_set(const KeyTokens& keys, const Tokenizer& tokenizer,
                                          std::int64_t context, const std::string& file);

// loss_BT: nats, as Model::evaluate() gives it. Per sample exp(mean loss of its key tokens); over samples the
// mean in log space, weighted by the number of key tokens.
LongPpl score_longppl(const LongTextSet& set, std::span<const float> loss_BT);

}  // namespace braid
