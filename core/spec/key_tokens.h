// Key tokens of long texts (LongPPL, Fang et al., 2024; paper Eqs. 7 and 8): the tokens that a reference
// model predicts well with the whole text before them and badly with a short part of it. They are kept as
// places in the text, so that a model with any tokenizer can be scored on them.
//
// A key-token file is JSON: {"schema_version", "rule", "reference", "tokenizer", "corpus",
// "samples": [{"text", "spans": [[begin, end], ..]}]}; spans are half-open byte ranges of the text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/spec/token_span.h"

namespace braid {

inline constexpr int key_tokens_schema_version = 1;

// Tokens of a text that a model is asked to read at once, at most.
inline constexpr std::int64_t longest_read_text = std::int64_t{1} << 24;

struct KeyTokenRule {
    std::int64_t context = 16'384;       // tokens of a sample, of the reference's tokenizer
    std::int64_t short_context = 4'096;  // a scored token sees at least so many with the short context,
    std::int64_t advance = 1'024;        // and less than so many more
    double gain = 2;                     // short loss - full loss must be more, nats
    double sure = 2;                     // full loss must be less, nats
    std::int64_t fewest = 10;            // samples with fewer key tokens are left out of a score
    bool operator==(const KeyTokenRule&) const = default;
};
// Rules between the fields; paths are the fields' names.
Diagnostics validate(const KeyTokenRule& rule);

struct KeySample {
    std::string text = {};              // valid UTF-8
    std::vector<TokenSpan> spans = {};  // ascending, not touching each other
    bool operator==(const KeySample&) const = default;
};

// A key-token file as a value; the tokenizer is not looked into.
struct KeyTokenFile {
    KeyTokenRule rule = {};
    Json reference =
        Json::object();  // which model found them: {"checkpoint", "run", "step", "architecture_hash"}
    Json tokenizer = Json::object();  // of the reference: {"kind", "file", "vocab", ..}
    std::string corpus = {};          // hash of the corpus the texts come from
    std::vector<KeySample> samples = {};
};

Json to_json(const KeyTokenFile& file);
// All problems at once; spans that touch become one.
Checked<KeyTokenFile> key_token_file_from_json(const Json& json);
Result<KeyTokenFile> read_key_token_file(const std::string& file);

}  // namespace braid
