// Tokens that are looked for in the text itself, before it is cut into words ("<|endoftext|>", runs of
// spaces); semantics of tokenizer.json's added_tokens: the leftmost, the longest of those, without overlap.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/tokenizer/tokenizer.h"

namespace braid {

struct AddedToken {
    std::int32_t id = -1;
    std::string content;
    bool special = false;
    bool single_word = false;  // only between characters that are no letters, digits, connectors
    bool left_strip = false;   // takes the white space before
    bool right_strip = false;  // and behind
    bool normalized = false;   // looked for in the normalised text
};

// A part of a text: an added token, or (id -1) what lies between two.
struct AddedPart {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::int32_t id = -1;
};

class AddedTokens {
public:
    AddedTokens();
    // Later tokens of the same content replace earlier ones.
    void add(AddedToken token);
    bool empty() const { return tokens_.empty(); }
    const std::vector<AddedToken>& all() const { return tokens_; }

    // Appends the parts of the text, in order.
    void split(std::string_view text, SpecialText special, std::vector<AddedPart>& parts) const;

private:
    struct Node {
        std::vector<std::pair<unsigned char, std::uint32_t>> next;  // few, so searched one by one
        std::int32_t token = -1;                                    // index into tokens_
    };
    std::int32_t longest_at(std::string_view text, std::size_t at) const;

    std::vector<AddedToken> tokens_;
    std::vector<Node> nodes_;
    std::array<bool, 256> first_{};
};

}  // namespace braid
