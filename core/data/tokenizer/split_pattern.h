// The regular expressions by which tokenizers cut text into words, run by PCRE2. They were written for other
// engines (Oniguruma in tokenizer.json, Rust's regex in tiktoken); what those mean differently is rewritten:
// \s is Unicode's White_Space, \w letters, marks, digits and connectors, $ and ^ as the engine has them. What
// cannot be rewritten (intersections of classes, classes in classes) is refused by name. Character classes
// follow the Unicode version of PCRE2.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace braid {

// Bytes [begin, end) of a text.
struct TextPiece {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool operator==(const TextPiece&) const = default;
};

enum class RegexDialect {
    rust,       // $ and ^ are the ends of the text
    oniguruma,  // $ and ^ are the ends of a line
};

class SplitPattern {
public:
    // invalid_input with the reason and the place in the pattern.
    static Result<SplitPattern> compile(const std::string& pattern, RegexDialect dialect);

    // Appends all matches in a valid UTF-8 text, in order; empty ones are left out. Safe from several
    // threads.
    void find_all(std::string_view text, std::vector<TextPiece>& matches) const;

private:
    explicit SplitPattern(std::shared_ptr<const void> code) : code_(std::move(code)) {}
    std::shared_ptr<const void> code_;
};

// For tests: the pattern as PCRE2 gets it.
Result<std::string> pcre2_pattern(const std::string& pattern);

}  // namespace braid
