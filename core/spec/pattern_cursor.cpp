#include "core/spec/pattern_cursor.h"

#include <algorithm>

#include "core/spec/number_text.h"

namespace braid {
namespace {

constexpr std::size_t max_problems = 1000;
constexpr std::string_view brackets = "(){}[],";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

// Characters, as an editor counts them: continuation bytes of UTF-8 do not count.
std::string column(std::string_view text, std::size_t at) {
    const auto starts =
        std::count_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at),
                      [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    return "column " + std::to_string(starts + 1);
}

}  // namespace

void PatternCursor::report(TextSpan span, std::string rule, std::string found) {
    if (problems_.size() == max_problems) {
        rule = "and more problems from here on";
        found.clear();
    }
    if (problems_.size() <= max_problems)
        problems_.push_back({column(text_, span.begin), std::move(rule), std::move(found), span});
}

void PatternCursor::report_text(TextSpan span, std::string rule) {
    constexpr std::size_t longest = 40;
    report(span, std::move(rule),
           "\"" + shortened(text_.substr(span.begin, span.end - span.begin), longest) + "\"");
}

bool PatternCursor::at_letter() const { return !at_end() && is_letter(peek()); }

void PatternCursor::skip_space() {
    while (!at_end() && is_space(peek())) ++at_;
}

std::size_t PatternCursor::repeat_sign() const {
    if (at_end()) return 0;
    if (peek() == 'x' || peek() == 'X' || peek() == '*') return 1;
    return text_.substr(at_).starts_with("\u00d7") ? 2 : 0;
}

std::optional<std::int64_t> PatternCursor::number() {
    const std::size_t begin = at_;
    const bool negative = looking_at('-');
    if (negative) ++at_;
    const std::size_t digits = at_;
    std::int64_t value = 0;
    constexpr std::int64_t ceiling = 1'000'000'000'000;
    for (; !at_end() && is_digit(peek()); ++at_) value = std::min(ceiling, value * 10 + (peek() - '0'));
    if (at_ == digits) {
        at_ = begin;
        return std::nullopt;
    }
    return negative ? -value : value;
}

void PatternCursor::unexpected() {
    const std::size_t begin = at_;
    if (is_digit(peek())) {
        number();
        const std::string count(text_.substr(begin, std::min<std::size_t>(at_ - begin, 20)));
        report_text({begin, at_}, "is a number without x; a repeat count is written x" + count);
        return;
    }
    if (peek() == ')' || peek() == ']' || peek() == '}') {
        ++at_;
        report_text({begin, at_}, "closes nothing that was opened");
        return;
    }
    do ++at_;
    while (!at_end() && !is_space(peek()) && !is_letter(peek()) && !is_digit(peek()) &&
           brackets.find(peek()) == std::string_view::npos && repeat_sign() == 0);
    report_text({begin, at_}, "is not part of a pattern");
}

}  // namespace braid
