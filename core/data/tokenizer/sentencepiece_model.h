// What a SentencePiece .model file (a serialised ModelProto) says, read without its library: the pieces and
// the settings that decide whether text survives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace braid {

struct SentencePieceEntry {
    enum Type : std::uint8_t { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };
    std::string text;
    Type type = normal;
};

struct SentencePieceModel {
    std::vector<SentencePieceEntry> pieces;  // by id
    std::string algorithm = "unigram";       // "unigram", "bpe", "word", "char"
    bool byte_fallback = false;
    std::string normalizer = {};  // "nmt_nfkc", "identity", ..
    bool normalizes = false;      // has a character map
    bool dummy_prefix = true;
    bool remove_extra_whitespaces = true;
    bool escape_whitespaces = true;
    bool whitespace_as_suffix = false;
    std::int64_t bos = -1, eos = -1, unknown = 0;
};

bool is_sentencepiece_model(std::string_view head);
Result<SentencePieceModel> parse_sentencepiece_model(std::string_view bytes, const std::string& file);

}  // namespace braid
