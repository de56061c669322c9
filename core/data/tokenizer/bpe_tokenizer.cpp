#include "core/data/tokenizer/bpe_tokenizer.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "core/data/tokenizer/word_cache.h"
#include "core/data/utf8.h"

namespace braid {

struct BpeTokenizer::Scratch {
    WordCache cache;
    std::vector<BpeSymbol> symbols;
    std::vector<std::int32_t> word_ids;
    std::vector<TextPiece> words;
    std::vector<AddedPart> parts;
    std::vector<AddedPart> normalized_parts;
    NormalizedText normalized;
};

// A scratch for the time of one call.
struct BpeTokenizer::Lease {
    explicit Lease(const BpeTokenizer& owner) : owner_(owner) {
        const std::lock_guard lock(owner_.mutex_);
        if (!owner_.idle_.empty()) {
            scratch = std::move(owner_.idle_.back());
            owner_.idle_.pop_back();
        }
        if (scratch == nullptr) scratch = std::make_unique<Scratch>();
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
        const std::lock_guard lock(owner_.mutex_);
        owner_.idle_.push_back(std::move(scratch));
    }
    const BpeTokenizer& owner_;
    std::unique_ptr<Scratch> scratch;
};

// Where tokens go: ids, and spans mapped back to the text that was given.
struct BpeTokenizer::Out {
    std::vector<std::int32_t>& ids;
    std::vector<TokenSpan>* spans = nullptr;
    std::uint32_t offset = 0;                    // of the part at hand in the text
    const NormalizedText* normalized = nullptr;  // of the part at hand; null: as it was
    std::uint32_t at = 0;                        // in the (normalised) part

    void put(std::int32_t id, std::uint32_t bytes) {
        ids.push_back(id);
        if (spans != nullptr) {
            TokenSpan span{at, at + bytes};
            if (normalized != nullptr && bytes > 0)
                span = {normalized->from[at].begin, normalized->from[at + bytes - 1].end};
            spans->push_back({span.begin + offset, span.end + offset});
        }
        at += bytes;
    }
};

std::size_t BpeTokenizer::Hash::operator()(std::string_view text) const {
    return XXH3_64bits(text.data(), text.size());
}

BpeTokenizer::BpeTokenizer(TokenizerInfo info, BpeParts parts)
    : Tokenizer(std::move(info)), parts_(std::move(parts)) {
    for (const AddedToken& token : parts_.added) {
        if (token.special) info_.special.push_back(token.id);
        if (token.normalized) {
            AddedToken changed = token;
            NormalizedText text;
            if (parts_.normalizer.apply(token.content, text)) changed.content = text.text;
            added_normalized_.add(std::move(changed));
        } else {
            added_.add(token);
        }
    }
    std::sort(info_.special.begin(), info_.special.end());
    info_.special.erase(std::unique(info_.special.begin(), info_.special.end()), info_.special.end());
    by_bytes_.reserve(parts_.pieces.size());
    for (std::size_t id = 0; id < parts_.pieces.size(); ++id) {
        const std::string& piece = parts_.pieces[id];
        const auto number = static_cast<std::int32_t>(id);
        // No text is a special token by way of its words, and no character the byte that stands for it.
        const bool fallback = !parts_.from_bytes && piece.size() == 1 &&
                              parts_.byte_ids[static_cast<unsigned char>(piece[0])] == number;
        if (!piece.empty() && !fallback && !is_special(number)) by_bytes_.try_emplace(piece, number);
    }
}

BpeTokenizer::~BpeTokenizer() = default;

std::string_view BpeTokenizer::bytes(std::int32_t id) const {
    if (id < 0 || static_cast<std::size_t>(id) >= parts_.pieces.size()) return {};
    return (parts_.shown.empty() ? parts_.pieces : parts_.shown)[static_cast<std::size_t>(id)];
}

std::int32_t BpeTokenizer::find(std::string_view token) const {
    for (const AddedToken& one : parts_.added)
        if (one.content == token) return one.id;
    const auto found = by_bytes_.find(token);
    return found == by_bytes_.end() ? -1 : found->second;
}

std::string BpeTokenizer::decode(std::span<const std::int32_t> ids, bool with_special) const {
    std::string text = Tokenizer::decode(ids, with_special);
    if (parts_.drop_first_space && text.starts_with(' ')) text.erase(0, 1);
    return text;
}

void BpeTokenizer::encode(std::string_view text, SpecialText special, std::vector<std::int32_t>& ids,
                          std::vector<TokenSpan>* spans) const {
    const Lease lease(*this);
    Scratch& scratch = *lease.scratch;
    Out out{.ids = ids, .spans = spans};
    scratch.parts.clear();
    added_.split(text, special, scratch.parts);
    for (const AddedPart& part : scratch.parts) {
        out.offset = part.begin;
        out.normalized = nullptr;
        out.at = 0;
        if (part.id >= 0) {
            out.put(part.id, part.end - part.begin);
            continue;
        }
        const std::string_view inside = text.substr(part.begin, part.end - part.begin);
        const bool changed = !parts_.normalizer.empty() && valid_utf8_prefix(inside) == inside.size() &&
                             parts_.normalizer.apply(inside, scratch.normalized = {});
        if (changed) out.normalized = &scratch.normalized;
        const std::string_view now = changed ? std::string_view(scratch.normalized.text) : inside;
        if (added_normalized_.empty()) {
            encode_part(now, scratch, out);
            continue;
        }
        scratch.normalized_parts.clear();
        added_normalized_.split(now, special, scratch.normalized_parts);
        for (const AddedPart& one : scratch.normalized_parts) {
            out.at = one.begin;
            if (one.id >= 0)
                out.put(one.id, one.end - one.begin);
            else
                encode_part(now.substr(one.begin, one.end - one.begin), scratch, out);
        }
    }
}

// A part without added tokens. Bytes that are no UTF-8 are words of their own.
void BpeTokenizer::encode_part(std::string_view text, Scratch& scratch, Out& out) const {
    while (!text.empty()) {
        const std::size_t valid = valid_utf8_prefix(text);
        if (valid > 0) encode_run(text.substr(0, valid), scratch, out);
        text.remove_prefix(valid);
        std::size_t invalid = 0;
        while (invalid < text.size() && utf8_character(text, invalid) == 0) ++invalid;
        if (invalid > 0) encode_word(text.substr(0, invalid), scratch, out);
        text.remove_prefix(invalid);
    }
}

void BpeTokenizer::encode_run(std::string_view run, Scratch& scratch, Out& out) const {
    parts_.words.split(run, scratch.words);
    const std::uint32_t begin = out.at;
    for (const TextPiece& word : scratch.words) {
        out.at = begin + word.begin;
        encode_word(run.substr(word.begin, word.end - word.begin), scratch, out);
    }
    out.at = begin + static_cast<std::uint32_t>(run.size());
}

void BpeTokenizer::start_from_characters(std::string_view word, std::vector<BpeSymbol>& symbols) const {
    bool after_unknown = false;
    for (std::size_t at = 0; at < word.size();) {
        const std::size_t length = std::max<std::size_t>(1, utf8_character(word, at));
        const std::string_view character = word.substr(at, length);
        at += length;
        const auto known = by_bytes_.find(character);
        if (known != by_bytes_.end() && utf8_character(character, 0) > 0) {
            symbols.push_back({known->second, static_cast<std::uint32_t>(length)});
            after_unknown = false;
            continue;
        }
        const bool as_bytes = std::all_of(character.begin(), character.end(), [&](char c) {
            return parts_.byte_ids[static_cast<unsigned char>(c)] >= 0;
        });
        if (as_bytes) {
            for (const char c : character)
                symbols.push_back({parts_.byte_ids[static_cast<unsigned char>(c)], 1});
            after_unknown = false;
        } else if (after_unknown && parts_.join_unknown) {
            symbols.back().bytes += static_cast<std::uint32_t>(length);
        } else {
            // Without an unknown token the character is lost, as in the tokenizer's own library.
            symbols.push_back({info_.unknown, static_cast<std::uint32_t>(length)});
            after_unknown = true;
        }
    }
}

void BpeTokenizer::encode_word(std::string_view word, Scratch& scratch, Out& out) const {
    const bool cached = parts_.from_bytes && word.size() <= WordCache::max_bytes;
    std::uint64_t hash = 0;
    if (cached) {
        hash = XXH3_64bits(word.data(), word.size());
        const std::span<const std::int32_t> known = scratch.cache.find(word, hash);
        if (!known.empty()) {
            if (out.spans == nullptr) {
                out.ids.insert(out.ids.end(), known.begin(), known.end());
                out.at += static_cast<std::uint32_t>(word.size());
                return;
            }
            for (const std::int32_t id : known)
                out.put(id, static_cast<std::uint32_t>(parts_.pieces[static_cast<std::size_t>(id)].size()));
            return;
        }
    }
    std::vector<BpeSymbol>& symbols = scratch.symbols;
    symbols.clear();
    if (parts_.whole_word_first)
        if (const auto known = by_bytes_.find(word); known != by_bytes_.end())
            symbols.push_back({known->second, static_cast<std::uint32_t>(word.size())});
    if (symbols.empty()) {
        if (parts_.from_bytes)
            for (const char c : word) symbols.push_back({parts_.byte_ids[static_cast<unsigned char>(c)], 1});
        else
            start_from_characters(word, symbols);
        merge_word(parts_.merges, symbols);
    }
    scratch.word_ids.clear();
    for (const BpeSymbol& symbol : symbols) {
        if (symbol.id < 0) {
            out.at += symbol.bytes;
            continue;
        }
        scratch.word_ids.push_back(symbol.id);
        out.put(symbol.id, symbol.bytes);
    }
    if (cached) scratch.cache.put(word, hash, scratch.word_ids);
}

}  // namespace braid
