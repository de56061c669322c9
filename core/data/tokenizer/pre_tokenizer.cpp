#include "core/data/tokenizer/pre_tokenizer.h"

#include <algorithm>
#include <array>

#include "core/base/json_reader.h"

namespace braid {
namespace {

constexpr const char* gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

struct BehaviorName {
    SplitBehavior behavior;
    const char* name;
};
constexpr std::array<BehaviorName, 5> behaviors = {{
    {SplitBehavior::isolated, "Isolated"},
    {SplitBehavior::removed, "Removed"},
    {SplitBehavior::merged_with_previous, "MergedWithPrevious"},
    {SplitBehavior::merged_with_next, "MergedWithNext"},
    {SplitBehavior::contiguous, "Contiguous"},
}};

SplitBehavior read_behavior(JsonReader& reader, SplitBehavior missing) {
    if (reader.find("behavior") == nullptr) return missing;
    std::string name;
    reader.text("behavior", name);
    for (const BehaviorName& one : behaviors)
        if (name == one.name) return one.behavior;
    reader.report(reader.place("behavior"),
                  "must be Isolated, Removed, MergedWithPrevious, MergedWithNext or Contiguous", Json(name));
    return missing;
}

// A text as a pattern that matches just it.
std::string literal(std::string_view text) {
    std::string pattern;
    for (const char c : text) {
        if (std::string_view("\\^$.|?*+()[]{}-#&").find(c) != std::string_view::npos) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

}  // namespace

PreTokenizer PreTokenizer::from_json(const Json& json, const std::string& path, Diagnostics& problems) {
    PreTokenizer tokenizer;
    tokenizer.read(json, path, problems);
    return tokenizer;
}

PreTokenizer PreTokenizer::of(SplitPattern pattern) {
    PreTokenizer tokenizer;
    tokenizer.steps_.push_back({std::move(pattern)});
    return tokenizer;
}

void PreTokenizer::add(const std::string& pattern, SplitBehavior behavior, bool invert,
                       const std::string& path, Diagnostics& problems) {
    Result<SplitPattern> compiled = SplitPattern::compile(pattern, RegexDialect::oniguruma);
    if (compiled)
        steps_.push_back({std::move(*compiled), behavior, invert});
    else
        problems.push_back({.path = path, .rule = compiled.error().message, .found = {}});
}

void PreTokenizer::read(const Json& json, const std::string& path, Diagnostics& problems) {
    if (json.is_null()) return;
    JsonReader reader(json, path, problems);
    if (!reader.is_object()) return;
    std::string type;
    reader.text("type", type);
    if (byte_level_) {
        reader.report(path, "nothing may follow ByteLevel", Json(type));
        return;
    }
    if (type == "Sequence") {
        const Json* list = reader.require("pretokenizers");
        if (list == nullptr) return;
        if (!list->is_array()) return reader.report(reader.place("pretokenizers"), "must be a list", *list);
        for (std::size_t i = 0; i < list->size(); ++i)
            read((*list)[i], path + ".pretokenizers[" + std::to_string(i) + "]", problems);
    } else if (type == "ByteLevel") {
        bool use_regex = true;
        reader.flag("use_regex", use_regex);
        reader.flag("add_prefix_space", prefix_space_);
        if (prefix_space_ && !steps_.empty())
            reader.report(reader.place("add_prefix_space"), "is supported in the first step only",
                          Json(true));
        if (use_regex) add(gpt2_pattern, SplitBehavior::isolated, false, path, problems);
        byte_level_ = true;
    } else if (type == "Split") {
        bool invert = false;
        const SplitBehavior behavior = read_behavior(reader, SplitBehavior::isolated);
        reader.flag("invert", invert);
        const Json* pattern = reader.require("pattern");
        if (pattern == nullptr) return;
        const auto text_in = [&](const char* key) -> const std::string* {
            if (!pattern->is_object() || !pattern->contains(key) || !(*pattern)[key].is_string())
                return nullptr;
            return &(*pattern)[key].get_ref<const std::string&>();
        };
        if (const std::string* regex = text_in("Regex"))
            add(*regex, behavior, invert, reader.place("pattern"), problems);
        else if (const std::string* text = text_in("String"))
            add(literal(*text), behavior, invert, reader.place("pattern"), problems);
        else
            reader.report(reader.place("pattern"), "must be {\"Regex\": PATTERN} or {\"String\": TEXT}",
                          *pattern);
    } else if (type == "Digits") {
        bool each = false;
        reader.flag("individual_digits", each);
        add(R"(\p{N})", each ? SplitBehavior::isolated : SplitBehavior::contiguous, false, path, problems);
    } else if (type == "Punctuation") {
        add(R"([\p{P}!-/:-@\[-`\{-~])", read_behavior(reader, SplitBehavior::isolated), false, path,
            problems);
    } else if (type == "Whitespace") {
        add(R"(\w+|[^\w\s]+)", SplitBehavior::removed, true, path, problems);
    } else if (type == "WhitespaceSplit") {
        add(R"(\s)", SplitBehavior::removed, false, path, problems);
    } else {
        reader.report(reader.place("type"),
                      "this pre-tokenizer is not supported; known are ByteLevel, Split, Digits, Punctuation, "
                      "Whitespace, WhitespaceSplit, Sequence",
                      Json(type));
    }
}

bool PreTokenizer::removes_text() const {
    return std::any_of(steps_.begin(), steps_.end(),
                       [](const Step& step) { return step.behavior == SplitBehavior::removed; });
}

void PreTokenizer::apply(const Step& step, std::string_view text, TextPiece piece,
                         std::vector<TextPiece>& out) {
    const std::string_view part = text.substr(piece.begin, piece.end - piece.begin);
    std::vector<TextPiece> matches;
    step.pattern.find_all(part, matches);
    std::vector<Part> parts;
    std::uint32_t at = 0;
    const auto add = [&](std::uint32_t begin, std::uint32_t end, bool match) {
        if (end > begin) parts.push_back({{piece.begin + begin, piece.begin + end}, match != step.invert});
    };
    for (const TextPiece& match : matches) {
        add(at, match.begin, false);
        add(match.begin, match.end, true);
        at = match.end;
    }
    add(at, static_cast<std::uint32_t>(part.size()), false);

    const std::size_t first = out.size();
    bool previous = false;  // whether the part before was a match
    const auto join = [&](const Part& one, bool with_last) {
        if (with_last && out.size() > first)
            out.back().end = one.piece.end;
        else
            out.push_back(one.piece);
        previous = one.match;
    };
    switch (step.behavior) {
        case SplitBehavior::isolated:
            for (const Part& one : parts) out.push_back(one.piece);
            break;
        case SplitBehavior::removed:
            for (const Part& one : parts)
                if (!one.match) out.push_back(one.piece);
            break;
        case SplitBehavior::merged_with_previous:
            for (const Part& one : parts) join(one, one.match && !previous);
            break;
        case SplitBehavior::merged_with_next: {
            // From the end, so that a match takes what follows it and not what follows that.
            std::vector<TextPiece> reversed;
            for (auto one = parts.rbegin(); one != parts.rend(); ++one) {
                if (one->match && !previous && !reversed.empty())
                    reversed.back().begin = one->piece.begin;
                else
                    reversed.push_back(one->piece);
                previous = one->match;
            }
            out.insert(out.end(), reversed.rbegin(), reversed.rend());
            break;
        }
        case SplitBehavior::contiguous:
            for (const Part& one : parts) join(one, one.match == previous && out.size() > first);
            break;
    }
}

void PreTokenizer::split(std::string_view text, std::vector<TextPiece>& words) const {
    words.clear();
    if (text.empty()) return;
    const TextPiece whole{0, static_cast<std::uint32_t>(text.size())};
    if (steps_.empty()) {
        words.push_back(whole);
        return;
    }
    // The usual case, one pattern that keeps everything, without the parts in between.
    if (steps_.size() == 1 && steps_[0].behavior == SplitBehavior::isolated) {
        steps_[0].pattern.find_all(text, words);
        std::uint32_t at = 0;
        bool gapless = true;
        for (const TextPiece& word : words) {
            gapless = gapless && word.begin == at;
            at = word.end;
        }
        if (gapless && at == whole.end) return;
        words.clear();
    }
    std::vector<TextPiece> before{whole};
    for (const Step& step : steps_) {
        words.clear();
        for (const TextPiece& piece : before) apply(step, text, piece, words);
        before = words;
    }
}

}  // namespace braid
