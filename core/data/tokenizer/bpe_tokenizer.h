// Byte-pair tokenizers, whatever file they came from: added tokens, normalisation, words, merges.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/data/tokenizer/added_tokens.h"
#include "core/data/tokenizer/bpe_merge.h"
#include "core/data/tokenizer/normalizer.h"
#include "core/data/tokenizer/pair_table.h"
#include "core/data/tokenizer/pre_tokenizer.h"
#include "core/data/tokenizer/tokenizer.h"

namespace braid {

struct BpeParts {
    std::vector<std::string> pieces = {};  // the bytes of each id; empty: there is none
    std::vector<std::string> shown = {};   // the same as bytes() gives them, where that differs
    PairTable merges = PairTable();
    std::array<std::int32_t, 256> byte_ids{};  // the token of a single byte; -1: none
    // Words start as bytes (true) or as characters, those without a token as bytes or the unknown token.
    bool from_bytes = true;
    bool whole_word_first = false;  // a word that is a token is that token, whatever the merges say
    bool join_unknown = false;      // several unknown characters in a row are one unknown token
    Normalizer normalizer = {};
    PreTokenizer words = {};
    std::vector<AddedToken> added = {};
    bool drop_first_space = false;  // decode() takes one space from the front
};

class BpeTokenizer final : public Tokenizer {
public:
    BpeTokenizer(TokenizerInfo info, BpeParts parts);
    ~BpeTokenizer() override;

    void encode(std::string_view text, SpecialText special, std::vector<std::int32_t>& ids,
                std::vector<TokenSpan>* spans) const override;
    std::string_view bytes(std::int32_t id) const override;
    std::string decode(std::span<const std::int32_t> ids, bool with_special) const override;
    std::int32_t find(std::string_view token) const override;

private:
    struct Scratch;  // what one thread needs while it encodes; kept for the next call
    struct Lease;
    struct Out;
    struct Hash {
        std::size_t operator()(std::string_view text) const;
    };
    void encode_part(std::string_view text, Scratch& scratch, Out& out) const;
    void encode_run(std::string_view run, Scratch& scratch, Out& out) const;
    void encode_word(std::string_view word, Scratch& scratch, Out& out) const;
    void start_from_characters(std::string_view word, std::vector<BpeSymbol>& symbols) const;

    BpeParts parts_;
    AddedTokens added_;                                                  // looked for in the text as it is
    AddedTokens added_normalized_;                                       // looked for behind the normalizer
    std::unordered_map<std::string_view, std::int32_t, Hash> by_bytes_;  // views into parts_.pieces
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<Scratch>> idle_;
};

}  // namespace braid
