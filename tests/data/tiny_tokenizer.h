// Small tokenizer files, made here.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/data/utf8.h"

namespace braid {

// GPT-2's letter for a byte.
inline std::string letter_of(unsigned byte) {
    const auto itself = [](unsigned b) {
        return (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
    };
    char32_t extra = 256;
    for (unsigned b = 0; b < byte; ++b) extra += itself(b) ? 0 : 1;
    std::string letter;
    append_utf8(letter, itself(byte) ? static_cast<char32_t>(byte) : extra);
    return letter;
}

inline std::string letters_of(const std::string& bytes) {
    std::string letters;
    for (const char c : bytes) letters += letter_of(static_cast<unsigned char>(c));
    return letters;
}

inline std::vector<std::pair<std::string, std::string>> tiny_merges() {
    return {{"t", "h"},       {"th", "e"}, {" ", "the"}, {"a", "n"}, {"an", "d"}, {" ", "and"},
            {"\xC3", "\xBC"}, {"i", "n"},  {"in", "g"},  {" ", "w"}, {" w", "e"}, {"\n", "\n"}};
}

// A byte-level BPE tokenizer.json: ids 0..255 are the bytes, then the merges, then <|endoftext|>.
inline Json tiny_tokenizer_json() {
    Json vocab = Json::object();
    for (unsigned byte = 0; byte < 256; ++byte) vocab[letter_of(byte)] = byte;
    Json merges = Json::array();
    int id = 256;
    for (const auto& [left, right] : tiny_merges()) {
        vocab[letters_of(left + right)] = id++;
        merges.push_back(letters_of(left) + " " + letters_of(right));
    }
    return {
        {"version", "1.0"},
        {"truncation", nullptr},
        {"padding", nullptr},
        {"added_tokens",
         {{{"id", id},
           {"content", "<|endoftext|>"},
           {"single_word", false},
           {"lstrip", false},
           {"rstrip", false},
           {"normalized", false},
           {"special", true}}}},
        {"normalizer", nullptr},
        {"pre_tokenizer",
         {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}}},
        {"post_processor", nullptr},
        {"decoder", {{"type", "ByteLevel"}}},
        {"model",
         {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false},
          {"vocab", vocab},
          {"merges", merges}}}};
}

inline std::string base64(const std::string& bytes) {
    static const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned bits = 0;
        for (std::size_t j = 0; j < 3; ++j)
            bits = bits << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
        for (std::size_t j = 0; j < 4; ++j)
            text += i + j > bytes.size() ? '=' : digits[bits >> (18 - 6 * j) & 63U];
    }
    return text;
}

// The same as tiktoken ranks.
inline std::string tiny_ranks() {
    std::string text;
    for (int byte = 0; byte < 256; ++byte)
        text += base64(std::string(1, static_cast<char>(byte))) + " " + std::to_string(byte) + "\n";
    int id = 256;
    for (const auto& [left, right] : tiny_merges())
        text += base64(left + right) + " " + std::to_string(id++) + "\n";
    return text;
}

inline std::vector<std::string> hostile_texts() {
    return {"",
            "the weaver and the thing",
            "  the \n\n and\t",
            "gr\xC3\xBC\xC3\x9F dich \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9 \xD7\xA9\xD7\x81\xD6\xB8",
            "\xE2\x96\x81 \xE2\x96\x81x",
            "<|endoftext|> <s>",
            std::string("\0\x01\x7F", 3),
            std::string(3'000, ' ') + "x",
            std::string(2'000, 'a'),
            "bad \xFF\xC3 the \xE2\x82 end\xF0",
            "\x80\x80the\xFE"};
}

}  // namespace braid
