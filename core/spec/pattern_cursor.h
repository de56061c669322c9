// A place in the text of a pattern, and the problems found on the way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace braid {

class PatternCursor {
protected:
    explicit PatternCursor(std::string_view text) : text_(text) {}

    // At most 1,000 are kept, then one that says so.
    void report(TextSpan span, std::string rule, std::string found = "");
    // With the text of the span as what was found.
    void report_text(TextSpan span, std::string rule);

    bool at_end() const { return at_ >= text_.size(); }
    char peek() const { return text_[at_]; }
    bool looking_at(char c) const { return !at_end() && peek() == c; }
    bool at_letter() const;  // ASCII; also the letters that are no mixer
    void skip_space();
    // Bytes of a repeat sign here; 0: none.
    std::size_t repeat_sign() const;
    // Digits, saturating far above every limit.
    std::optional<std::int64_t> number();
    // Reports, as one problem, everything up to the next character that could start something, and skips it.
    void unexpected();

    std::string_view text_;
    std::size_t at_ = 0;
    Diagnostics problems_;
};

}  // namespace braid
