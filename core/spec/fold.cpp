#include "core/spec/fold.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace braid {
namespace {

constexpr std::size_t max_period = 64;
constexpr std::size_t max_nested_period = 32;

std::size_t digits(std::size_t number) { return std::to_string(number).size(); }

// What stands before the rest of the text decides its separators: a bare run that is followed by a counted
// one would be repeated with it, so that one needs parentheses.
enum Before { nothing, bare, bare_after_count, counted, before_kinds };

struct Choice {
    std::size_t period = 0;  // 0: one bare layer
    std::size_t count = 1;
    bool nested = false;
};

class Folder {
public:
    explicit Folder(const std::vector<std::string>& layers) : layers_(layers) {
        std::map<std::string_view, int> numbers;
        length_before_.push_back(0);
        for (const std::string& layer : layers) {
            tokens_.push_back(numbers.try_emplace(layer, static_cast<int>(numbers.size())).first->second);
            length_before_.push_back(length_before_.back() + layer.size());
        }
    }

    // Layers [begin, end). At the top level a text without a count gets " x1"; inside parentheses it does
    // not.
    std::string fold(std::size_t begin, std::size_t end, bool top) const {
        std::size_t length = 0;
        const auto choices = solve(begin, end, top, length);
        std::string text;
        bool any_count = false;
        Before before = nothing;
        for (std::size_t i = begin; i < end;) {
            const Choice& choice = choices[i - begin][before];
            if (choice.period == 0) {
                if (before == counted) text += ' ';
                text += layers_[i++];
                before = after_bare(before);
                continue;
            }
            if (before != nothing) text += ' ';
            const bool parentheses = choice.nested || before == bare || before == bare_after_count;
            if (parentheses) text += '(';
            if (choice.nested)
                text += fold(i, i + choice.period, false);
            else
                for (std::size_t j = i; j < i + choice.period; ++j) text += layers_[j];
            text += parentheses ? ")x" : " x";
            text += std::to_string(choice.count);
            i += choice.period * choice.count;
            any_count = true;
            before = counted;
        }
        if (top && !any_count) text += " x1";
        return text;
    }

private:
    static Before after_bare(Before before) {
        return before == nothing || before == bare ? bare : bare_after_count;
    }

    // The first choice for each start and each thing before it; `length` of the whole text.
    std::vector<std::array<Choice, before_kinds>> solve(std::size_t begin, std::size_t end, bool top,
                                                        std::size_t& length) const {
        const std::size_t n = end - begin;
        std::vector<std::array<Choice, before_kinds>> choices(n);
        std::vector<std::array<std::size_t, before_kinds>> best(n + 1);
        best[n].fill(0);
        if (top) best[n][bare] = 3;  // " x1"
        const std::size_t longest = std::min(top ? max_period : max_nested_period, n / 2);
        // same[p]: how many layers from i on equal the one p further.
        std::vector<std::size_t> same(longest + 1, 0);
        for (std::size_t i = n; i-- > 0;) {
            const std::size_t at = begin + i;
            for (std::size_t b = 0; b < before_kinds; ++b)
                best[i][b] = (b == counted ? 1 : 0) + layers_[at].size() +
                             best[i + 1][after_bare(static_cast<Before>(b))];
            for (std::size_t p = 1; p <= longest; ++p) {
                same[p] = i + p < n && tokens_[at] == tokens_[at + p] ? same[p] + 1 : 0;
                if (same[p] < p || has_smaller_period(same, p)) continue;
                const std::size_t count = 1 + same[p] / p;
                const std::size_t flat = length_before_[at + p] - length_before_[at];
                const std::size_t rest = best[i + p * count][counted];
                std::size_t nested = std::numeric_limits<std::size_t>::max();
                if (top && p >= 3 && p <= max_nested_period) solve(at, at + p, false, nested);
                for (std::size_t b = 0; b < before_kinds; ++b) {
                    const bool after_run = b == bare || b == bare_after_count;
                    const std::size_t sign = (b == nothing ? 0 : 1) + (after_run ? 3 : 2) + digits(count);
                    const std::size_t nested_sign = (b == nothing ? 0 : 1) + 3 + digits(count);
                    if (flat + sign + rest < best[i][b]) {
                        best[i][b] = flat + sign + rest;
                        choices[i][b] = {p, count, false};
                    }
                    if (nested < flat && nested + nested_sign + rest < best[i][b]) {
                        best[i][b] = nested + nested_sign + rest;
                        choices[i][b] = {p, count, true};
                    }
                }
            }
        }
        length = best[0][nothing];
        return choices;
    }

    // Then "FSFS x3" is not worth a look: "FS x6" was already tried.
    static bool has_smaller_period(const std::vector<std::size_t>& same, std::size_t p) {
        for (std::size_t smaller = 1; smaller * 2 <= p; ++smaller)
            if (p % smaller == 0 && same[smaller] + smaller >= p) return true;
        return false;
    }

    const std::vector<std::string>& layers_;
    std::vector<int> tokens_;
    std::vector<std::size_t> length_before_;
};

}  // namespace

std::string fold_repeats(const std::vector<std::string>& layers) {
    if (layers.empty()) return {};
    return Folder(layers).fold(0, layers.size(), true);
}

}  // namespace braid
