// tiktoken's rank files: lines of "BASE64-OF-BYTES RANK"; the rank is the id and the order of merging. The
// file has neither the split pattern nor special tokens: these come from the encoding, which is told by the
// number of ranks or named (TokenizerOptions::pattern).
#pragma once

#include "core/data/tokenizer/tokenizer.h"

namespace braid {

struct TiktokenEncoding {
    const char* name;     // "cl100k"
    const char* pattern;  // a regular expression
    std::int64_t ranks;   // of its published file
    std::int64_t vocab;
    std::vector<std::pair<std::string, std::int32_t>> special;
    const char* bos;  // "": none
    const char* eos;
};
std::span<const TiktokenEncoding> tiktoken_encodings();

bool is_tiktoken_ranks(std::string_view head);
// Files of another size than their encoding's get <|endoftext|> as the id behind the last rank.
Result<std::shared_ptr<const Tokenizer>> read_tiktoken_ranks(std::string_view bytes, TokenizerInfo info);

}  // namespace braid
