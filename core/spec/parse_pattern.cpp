#include <algorithm>

#include "core/spec/number_text.h"
#include "core/spec/pattern_cursor.h"
#include "core/spec/shorthand.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

constexpr std::size_t max_text = std::size_t{1} << 20;
constexpr int max_nesting = 64;
constexpr std::int64_t max_group_heads = 512;
constexpr std::size_t max_units = static_cast<std::size_t>(max_layers);

struct Unit {
    LayerSpec layer;
    TextSpan span;
};
using Units = std::vector<Unit>;

// Recursive descent that goes on after a problem, so that all are found in one pass.
class PatternParser : private PatternCursor {
public:
    PatternParser(std::string_view text, const MixerCatalog& catalog, PatternValues values)
        : PatternCursor(text), catalog_(catalog), values_(values) {}

    Checked<Pattern> run() {
        if (text_.size() > max_text) {
            report({0, text_.size()}, "is longer than 1 MiB");
            return tl::unexpected(std::move(problems_));
        }
        Units units = sequence(0);
        if (units.empty() && problems_.empty())
            report({0, text_.size()}, "is empty; write layers such as FSSS x6");
        if (!problems_.empty()) return tl::unexpected(std::move(problems_));
        Pattern pattern;
        pattern.repeated = repeated_;
        pattern.layers.reserve(units.size());
        pattern.spans.reserve(units.size());
        for (Unit& unit : units) {
            pattern.layers.push_back(std::move(unit.layer));
            pattern.spans.push_back(unit.span);
        }
        return pattern;
    }

private:
    Units sequence(int depth) {
        Units result;
        Units run;             // bare layers that a count would repeat
        bool has_run = false;  // run may be empty after a limit was hit
        bool counted = false;  // a count came last: another one has nothing to repeat
        const auto flush = [&] {
            append(result, std::move(run));
            run.clear();
            has_run = false;
        };
        for (;;) {
            skip_space();
            if (at_end() || (peek() == ')' && depth > 0)) break;
            if (const std::size_t sign = repeat_sign()) {
                const std::size_t begin = at_;
                const std::int64_t count = repeat_count(sign);
                if (has_run)
                    repeat(run, count, {begin, at_});
                else
                    report_text({begin, at_}, counted ? "is a second repeat count; put parentheses around "
                                                        "what the first one repeats"
                                                      : "repeats nothing; it belongs behind its layers");
                flush();
                counted = true;
                continue;
            }
            if (peek() == '(') {
                flush();
                counted = parenthesis(result, depth);
                continue;
            }
            counted = false;
            if (peek() == '{') {
                run.push_back(head_wise());
                has_run = true;
            } else if (at_letter()) {
                run.push_back(whole_layer());
                has_run = true;
            } else {
                unexpected();
            }
            if (run.size() > max_units) flush();  // bounds memory; append() reports it
        }
        flush();
        return result;
    }

    // Whether a count followed.
    bool parenthesis(Units& result, int depth) {
        const std::size_t open = at_++;
        if (depth + 1 > max_nesting) {
            report({open, open + 1}, "parentheses may be at most " + std::to_string(max_nesting) + " deep");
            // What is inside is not read; jump behind the partner.
            for (int level = 1; level > 0 && !at_end(); ++at_)
                level += peek() == '(' ? 1 : peek() == ')' ? -1 : 0;
        }
        const std::size_t problems = problems_.size();
        Units inner = depth + 1 > max_nesting ? Units{} : sequence(depth + 1);
        if (depth + 1 <= max_nesting) {
            if (looking_at(')'))
                ++at_;
            else
                report({open, open + 1}, "is never closed", "\"(\"");
            if (inner.empty() && problems == problems_.size() && !too_many_)
                report({open, at_}, "has no layers inside", "\"()\"");
        }
        skip_space();
        const std::size_t sign = repeat_sign();
        if (sign != 0) {
            const std::size_t begin = at_;
            const std::int64_t count = repeat_count(sign);
            repeat(inner, count, {begin, at_});
        }
        append(result, std::move(inner));
        return sign != 0;
    }

    std::int64_t repeat_count(std::size_t sign) {
        repeated_ = true;
        const std::size_t begin = at_;
        at_ += sign;
        skip_space();
        const auto count = number();
        if (!count) {
            at_ = std::min(at_, begin + sign);
            report({begin, begin + sign}, "needs a number of repeats, such as x6");
            return 1;
        }
        if (*count < 1) report({begin, at_}, "must repeat at least once", std::to_string(*count));
        return std::max<std::int64_t>(*count, 1);
    }

    void repeat(Units& units, std::int64_t count, TextSpan span) {
        const std::size_t size = units.size();
        if (too_many_ || size == 0) return;  // of nothing, a huge count would still be counted through
        if (count > max_layers / static_cast<std::int64_t>(size)) {
            report_text(span, "makes more than 10,000 layers");
            too_many_ = true;
            units.clear();
            return;
        }
        units.reserve(size * static_cast<std::size_t>(count));
        for (std::int64_t i = 1; i < count; ++i)
            for (std::size_t j = 0; j < size; ++j) units.push_back(units[j]);
    }

    void append(Units& to, Units&& units) {
        if (too_many_ || units.empty()) return;
        if (to.size() + units.size() > max_units) {
            report(units.front().span, "is beyond 10,000 layers, the most that a pattern may have");
            too_many_ = true;
            to.clear();
            return;
        }
        if (to.empty())
            to = std::move(units);
        else
            std::move(units.begin(), units.end(), std::back_inserter(to));
    }

    Unit whole_layer() {
        const std::size_t begin = at_;
        HeadGroup group = mixer();
        return {.layer = {.groups = {std::move(group)}}, .span = {begin, at_}};
    }

    Unit head_wise() {
        const std::size_t open = at_++;
        Unit unit;
        const std::size_t problems = problems_.size();
        for (;;) {
            skip_space();
            if (at_end()) {
                report({open, open + 1}, "is never closed", "\"{\"");
                break;
            }
            if (peek() == '}') {
                ++at_;
                break;
            }
            if (peek() == ',') {
                ++at_;
            } else if (at_letter()) {
                unit.layer.groups.push_back(share());
            } else {
                unexpected();
            }
        }
        unit.span = {open, at_};
        if (unit.layer.groups.empty() && problems == problems_.size())
            report(unit.span, "has no heads inside; write {F:2 S:4}", "\"{}\"");
        if (unit.layer.groups.size() > static_cast<std::size_t>(max_group_heads))
            report(unit.span, "has more than " + std::to_string(max_group_heads) + " groups");
        return unit;
    }

    HeadGroup share() {
        const std::size_t begin = at_;
        HeadGroup group = mixer();
        skip_space();
        if (!looking_at(':')) {
            report_text({begin, at_}, "needs its number of heads, such as F:2");
            return group;
        }
        ++at_;
        group.heads = heads("heads");
        skip_space();
        if (looking_at('/')) {
            ++at_;
            group.kv_heads = heads("kv heads");
        }
        return group;
    }

    std::int64_t heads(const char* what) {
        skip_space();
        const std::size_t begin = at_;
        const auto count = number();
        if (!count)
            report({begin > 0 ? begin - 1 : 0, begin},
                   std::string("needs a number of ") + what + " behind it");
        else if (*count < 1 || *count > max_group_heads)
            report({begin, at_},
                   std::string(what) + " must be between 1 and " + std::to_string(max_group_heads),
                   std::to_string(*count));
        return count.value_or(1);
    }

    // A letter and its options.
    HeadGroup mixer() {
        const std::size_t begin = at_++;
        const MixerKind* kind = catalog_.find_letter(text_[begin]);
        if (!kind) report_text({begin, at_}, "is no mixer; there are " + known_mixers(catalog_));
        HeadGroup group;
        if (kind) group.mixer = kind->description().id;
        const std::size_t end = at_;
        skip_space();
        if (looking_at('['))
            options(kind, group);
        else
            at_ = end;
        return group;
    }

    void options(const MixerKind* kind, HeadGroup& group) {
        const std::size_t open = at_++;
        bool empty = true;
        for (;;) {
            const std::size_t begin = at_;
            while (!at_end() && std::string_view(",]([{").find(peek()) == std::string_view::npos) ++at_;
            if (at_end() || (peek() != ',' && peek() != ']')) {
                report({open, open + 1}, "is never closed", "\"[\"");
                at_ = begin;
                while (!at_end() && peek() != ']') ++at_;
                if (!at_end()) ++at_;
                return;
            }
            const bool last = peek() == ']';
            const std::string_view option = trimmed(text_.substr(begin, at_ - begin));
            ++at_;
            if (option.empty()) {
                report({last && empty ? open : begin, at_}, "has an empty option; write S[w=128] or F[nope]");
            } else if (kind) {
                const auto offset = static_cast<std::size_t>(option.data() - text_.data());
                set_option(kind->description(), group, {offset, offset + option.size()});
            }
            empty = false;
            if (last) break;
        }
        if (kind) group.parameters = normalised(group.parameters, kind->description().parameters);
    }

    void set_option(const MixerDescription& mixer, HeadGroup& group, TextSpan span) {
        const std::string_view option = text_.substr(span.begin, span.end - span.begin);
        const auto equals = option.find('=');
        const std::string_view name = trimmed(option.substr(0, equals));
        for (const ParameterDescription& each : mixer.parameters) {
            std::optional<ParameterValue> value;
            if (equals == std::string_view::npos) {
                for (const ParameterWord& word : each.words)
                    if (word.word == name) value = word.value;
                if (!value) continue;
            } else {
                if (name != each.key && (each.short_key.empty() || name != each.short_key)) continue;
                const std::string_view text = trimmed(option.substr(equals + 1));
                auto parsed = values_ == PatternValues::checked ? parse_parameter(each, text, "")
                                                                : read_parameter(each, text, "");
                if (!parsed) {
                    const auto offset = static_cast<std::size_t>(text.data() - text_.data());
                    const TextSpan place = text.empty() ? span : TextSpan{offset, offset + text.size()};
                    for (Diagnostic& problem : parsed.error())
                        report(place, each.key + " " + problem.rule, std::move(problem.found));
                    value = each.default_value;
                } else {
                    value = *std::move(parsed);
                }
            }
            if (group.parameters.find(each.key)) report_text(span, each.key + " is given twice");
            group.parameters.set(each.key, *std::move(value));
            return;
        }
        report_text(span, "is no option of " + mixer.title + "; it has " + option_names(mixer));
    }

    static std::string option_names(const MixerDescription& mixer) {
        std::string text;
        const auto add = [&](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
        for (const ParameterDescription& each : mixer.parameters) {
            if (each.words.empty()) add((each.short_key.empty() ? each.key : each.short_key) + "=...");
            for (const ParameterWord& word : each.words) add(word.word);
        }
        return text;
    }

    const MixerCatalog& catalog_;
    PatternValues values_;
    bool repeated_ = false;
    bool too_many_ = false;
};

}  // namespace

Checked<Pattern> parse_pattern(std::string_view text, const MixerCatalog& catalog, PatternValues values) {
    return PatternParser(text, catalog, values).run();
}

}  // namespace braid
