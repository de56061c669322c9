#include "core/data/tokenizer/added_tokens.h"

#include <utf8proc.h>

#include <algorithm>

#include "core/data/utf8.h"

namespace braid {
namespace {

bool is_word(char32_t c) {
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
        case UTF8PROC_CATEGORY_LU:
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LT:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_LO:
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_MC:
        case UTF8PROC_CATEGORY_ME:
        case UTF8PROC_CATEGORY_ND:
        case UTF8PROC_CATEGORY_NL:
        case UTF8PROC_CATEGORY_PC:
            return true;
        default:
            return c == 0x200C || c == 0x200D;
    }
}

bool is_space(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
           c == 0x3000;
}

// Length of the character that begins at / ends before `at`, and whether it passes; 0 where there is none.
template <class Test>
std::size_t passes_after(std::string_view text, std::size_t at, const Test& test) {
    const std::size_t length = at < text.size() ? utf8_character(text, at) : 0;
    return length > 0 && test(utf8_code_point(text, at, length)) ? length : 0;
}
template <class Test>
std::size_t passes_before(std::string_view text, std::size_t at, const Test& test) {
    for (std::size_t length = 1; length <= 4 && length <= at; ++length)
        if (utf8_character(text, at - length) == length)
            return test(utf8_code_point(text, at - length, length)) ? length : 0;
    return 0;
}

}  // namespace

AddedTokens::AddedTokens() : nodes_(1) {}

void AddedTokens::add(AddedToken token) {
    if (token.content.empty()) return;
    std::uint32_t node = 0;
    for (const char c : token.content) {
        const auto byte = static_cast<unsigned char>(c);
        auto& next = nodes_[node].next;
        const auto known =
            std::find_if(next.begin(), next.end(), [&](const auto& one) { return one.first == byte; });
        if (known != next.end()) {
            node = known->second;
            continue;
        }
        next.emplace_back(byte, static_cast<std::uint32_t>(nodes_.size()));
        node = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
    }
    first_[static_cast<unsigned char>(token.content[0])] = true;
    if (nodes_[node].token >= 0) {
        tokens_[static_cast<std::size_t>(nodes_[node].token)] = std::move(token);
        return;
    }
    nodes_[node].token = static_cast<std::int32_t>(tokens_.size());
    tokens_.push_back(std::move(token));
}

std::int32_t AddedTokens::longest_at(std::string_view text, std::size_t at) const {
    std::int32_t found = -1;
    for (std::uint32_t node = 0; at < text.size(); ++at) {
        const auto& next = nodes_[node].next;
        const auto byte = static_cast<unsigned char>(text[at]);
        const auto step =
            std::find_if(next.begin(), next.end(), [&](const auto& one) { return one.first == byte; });
        if (step == next.end()) break;
        node = step->second;
        if (nodes_[node].token >= 0) found = nodes_[node].token;
    }
    return found;
}

void AddedTokens::split(std::string_view text, SpecialText special, std::vector<AddedPart>& parts) const {
    std::size_t done = 0;  // everything before is in `parts`
    if (!tokens_.empty())
        for (std::size_t at = 0; at < text.size();) {
            if (!first_[static_cast<unsigned char>(text[at])]) {
                ++at;
                continue;
            }
            const std::int32_t found = longest_at(text, at);
            if (found < 0) {
                ++at;
                continue;
            }
            const AddedToken& token = tokens_[static_cast<std::size_t>(found)];
            std::size_t begin = at;
            std::size_t end = at + token.content.size();
            at = end;
            if (token.special && special == SpecialText::as_text) continue;
            if (token.single_word &&
                (passes_before(text, begin, is_word) > 0 || passes_after(text, end, is_word) > 0))
                continue;
            if (token.left_strip) {
                for (std::size_t length = 1; length > 0 && begin > done; begin -= length)
                    length = passes_before(text, begin, is_space);
            }
            if (token.right_strip)
                while (const std::size_t length = passes_after(text, end, is_space)) end += length;
            // A token that took the white space behind it does not keep another one from being found there.
            begin = std::max(begin, done);
            end = std::max(end, begin);
            if (begin > done)
                parts.push_back({static_cast<std::uint32_t>(done), static_cast<std::uint32_t>(begin), -1});
            parts.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), token.id});
            done = end;
        }
    if (text.size() > done)
        parts.push_back({static_cast<std::uint32_t>(done), static_cast<std::uint32_t>(text.size()), -1});
}

}  // namespace braid
