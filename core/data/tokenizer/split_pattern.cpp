#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/data/tokenizer/split_pattern.h"

#include <pcre2.h>

#include <limits>

#include "core/data/utf8.h"

namespace braid {
namespace {

// Unicode's White_Space; PCRE2's \s has U+180E besides.
constexpr std::string_view white_space =
    R"(\x09-\x0D\x20\x85\xA0\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
constexpr std::string_view word_characters = R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc})";

const pcre2_code* code_of(const std::shared_ptr<const void>& code) {
    return static_cast<const pcre2_code*>(code.get());
}

// What one thread needs to match.
struct MatchMemory {
    pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
    pcre2_match_context* context = pcre2_match_context_create(nullptr);
    pcre2_jit_stack* stack = pcre2_jit_stack_create(std::size_t{1} << 15U, std::size_t{1} << 26U, nullptr);
    MatchMemory() {
        pcre2_jit_stack_assign(context, nullptr, stack);
        pcre2_set_match_limit(context, std::numeric_limits<std::uint32_t>::max());
        pcre2_set_depth_limit(context, std::numeric_limits<std::uint32_t>::max());
    }
    MatchMemory(const MatchMemory&) = delete;
    MatchMemory& operator=(const MatchMemory&) = delete;
    ~MatchMemory() {
        pcre2_jit_stack_free(stack);
        pcre2_match_context_free(context);
        pcre2_match_data_free(data);
    }
};

tl::unexpected<Error> refused(const std::string& pattern, std::size_t at, const std::string& what) {
    return fail(ErrorKind::invalid_input,
                what + " at byte " + std::to_string(at) + " of the pattern " + pattern.substr(0, 200));
}

}  // namespace

Result<std::string> pcre2_pattern(const std::string& pattern) {
    std::string out;
    bool in_class = false;
    std::size_t class_begin = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        if (c == '\\' && i + 1 < pattern.size()) {
            const char escaped = pattern[++i];
            const auto shorthand = [&](std::string_view set, bool negated) -> bool {
                if (in_class && negated) return false;
                out += in_class ? std::string(set) : (negated ? "[^" : "[") + std::string(set) + "]";
                return true;
            };
            bool known = true;
            if (escaped == 's' || escaped == 'S')
                known = shorthand(white_space, escaped == 'S');
            else if (escaped == 'w' || escaped == 'W')
                known = shorthand(word_characters, escaped == 'W');
            else if (escaped == 'h' || escaped == 'H' || escaped == 'K' || escaped == 'G' || escaped == 'R' ||
                     escaped == 'X' || escaped == 'C')
                known = false;  // these mean something else in each engine
            else
                out.append({'\\', escaped});
            if (!known) return refused(pattern, i - 1, std::string("\\") + escaped + " is not supported");
            continue;
        }
        if (in_class) {
            if (c == '&' && i + 1 < pattern.size() && pattern[i + 1] == '&')
                return refused(pattern, i, "an intersection of classes (&&) is not supported");
            if (c == '[') return refused(pattern, i, "a class inside a class is not supported");
            if (c == ']' && i != class_begin) in_class = false;
        } else if (c == '[') {
            in_class = true;
            class_begin = i + 1;
            if (class_begin < pattern.size() && pattern[class_begin] == '^') {
                out += "[^";
                ++i;
                ++class_begin;
                continue;
            }
        } else if (c == '(' && pattern.compare(i, 3, "(?<") == 0 && i + 3 < pattern.size() &&
                   pattern[i + 3] != '=' && pattern[i + 3] != '!') {
            return refused(pattern, i, "a named group is not supported");
        }
        out += c;
    }
    return out;
}

Result<SplitPattern> SplitPattern::compile(const std::string& pattern, RegexDialect dialect) {
    Result<std::string> rewritten = pcre2_pattern(pattern);
    if (!rewritten) return fail(std::move(rewritten.error()));
    if (valid_utf8_prefix(*rewritten) != rewritten->size())
        return fail(ErrorKind::invalid_input, "the pattern is not UTF-8");
    int error = 0;
    std::size_t offset = 0;
    std::uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NO_AUTO_CAPTURE | PCRE2_NEVER_BACKSLASH_C;
    options |= dialect == RegexDialect::oniguruma ? PCRE2_MULTILINE : PCRE2_DOLLAR_ENDONLY;
    pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(rewritten->data()), rewritten->size(),
                                     options, &error, &offset, nullptr);
    if (code == nullptr) {
        char message[200] = {};
        pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR*>(message), sizeof message);
        return refused(*rewritten, offset, message);
    }
    std::shared_ptr<const void> owned(code,
                                      [](void* one) { pcre2_code_free(static_cast<pcre2_code*>(one)); });
    // Where the processor has no JIT the interpreter does the same, slower.
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    return SplitPattern(std::move(owned));
}

void SplitPattern::find_all(std::string_view text, std::vector<TextPiece>& matches) const {
    static thread_local MatchMemory memory;
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    const std::size_t* places = pcre2_get_ovector_pointer(memory.data);
    for (std::size_t at = 0; at < text.size();) {
        int found = pcre2_match(code_of(code_), subject, text.size(), at, PCRE2_NO_UTF_CHECK, memory.data,
                                memory.context);
        if (found == PCRE2_ERROR_JIT_STACKLIMIT)  // the interpreter's stack is the heap
            found = pcre2_match(code_of(code_), subject, text.size(), at, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                                memory.data, memory.context);
        if (found < 0) return;  // no match in the rest
        if (places[1] > places[0] && places[0] >= at) {
            matches.push_back({static_cast<std::uint32_t>(places[0]), static_cast<std::uint32_t>(places[1])});
            at = places[1];
        } else {
            at = std::max(at, places[0]);
            if (at < text.size()) at += utf8_character(text, at);
        }
    }
}

}  // namespace braid
