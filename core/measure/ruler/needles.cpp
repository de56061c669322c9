#include "core/measure/ruler/needles.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "core/measure/ruler/words.h"

namespace braid {
namespace {

constexpr std::int64_t new_tokens = 128;
constexpr std::array<std::string_view, 6> sentence_ends = {".", "!", "?", "\u3002", "\uff01", "\uff1f"};
constexpr std::int64_t most_words = 40;  // of a sentence: needles lie between sentences
constexpr std::size_t most_word_bytes = 64;
constexpr std::int64_t depths = 40;  // evenly from 0 to 1, taken without replacement

std::string part(Random& random, NeedlePart kind) {
    switch (kind) {
        case NeedlePart::words:
            return random_word_pair(random);
        case NeedlePart::number:
            return random_number(random, 7);
        case NeedlePart::uuid:
            return random_uuid(random);
    }
    return {};
}

std::string_view name_of(NeedlePart kind, bool plural) {
    switch (kind) {
        case NeedlePart::words:
            return plural ? "words" : "word";
        case NeedlePart::number:
            return plural ? "numbers" : "number";
        case NeedlePart::uuid:
            return plural ? "uuids" : "uuid";
    }
    return {};
}

std::string sentence(const NeedleVariant& variant, const std::string& key, const std::string& value) {
    std::string text = "A special magic ";
    return text.append(name_of(variant.value, false))
        .append(" for ")
        .append(key)
        .append(" is ")
        .append(value)
        .append(".");
}

struct Needle {
    std::string key = {};
    std::vector<std::string> values = {};
};

std::vector<Needle> draw_needles(const NeedleVariant& variant, Random& random) {
    std::vector<Needle> needles;
    std::unordered_set<std::string> known;
    const auto fresh = [&](NeedlePart kind) {
        std::string text = part(random, kind);
        while (!known.insert(text).second) text = part(random, kind);
        return text;
    };
    for (std::int64_t k = 0; k < variant.keys; ++k) {
        needles.push_back({.key = fresh(variant.key)});
        for (std::int64_t v = 0; v < variant.values; ++v)
            needles.back().values.push_back(fresh(variant.value));
    }
    return needles;
}

std::vector<std::string> draw_hay(const NeedleVariant& variant, const TextRequest& request, std::int64_t size,
                                  const std::vector<Needle>& needles) {
    if (variant.haystack == Haystack::essay) return essay_sentences(request.sources.essay, size);
    std::vector<std::string> hay;
    Random random = request.random("hay");
    while (static_cast<std::int64_t>(hay.size()) < size) {
        if (variant.haystack == Haystack::noise) {
            hay.emplace_back(noise_sentence(static_cast<std::int64_t>(hay.size())));
            continue;
        }
        const std::string key = part(random, variant.key);
        const bool asked =
            std::any_of(needles.begin(), needles.end(), [&](const Needle& one) { return one.key == key; });
        if (!asked) hay.push_back(sentence(variant, key, part(random, variant.value)));
    }
    return hay;
}

// Places 0 .. size of the haystack before which the needles go; the first is that of the wanted depth.
std::vector<std::int64_t> draw_places(const NeedleVariant& variant, const TextRequest& request,
                                      std::int64_t size, std::int64_t count, Random& random) {
    const bool even = variant.haystack == Haystack::essay;
    std::vector<std::int64_t> places = distinct_below(random, even ? depths : size + 1, count);
    // A haystack smaller than its needles: several at one place.
    for (std::size_t i = places.size(); i < static_cast<std::size_t>(count); ++i)
        places.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size) + 1)));
    if (even)
        for (std::int64_t& place : places) place = place * size / (depths - 1);
    if (request.depth) places[0] = std::llround(*request.depth * static_cast<double>(size));
    return places;
}

TextQuestion make(const NeedleVariant& variant, const TextRequest& request, std::int64_t size) {
    Random random = request.random("needles");
    const std::vector<Needle> needles = draw_needles(variant, random);
    std::vector<std::string> hay = draw_hay(variant, request, size, needles);
    const auto units = static_cast<std::int64_t>(hay.size());
    const std::vector<std::int64_t> places =
        draw_places(variant, request, units, variant.keys * variant.values, random);
    // Needle 0 is asked for, and with it the next ones: keys are in random order anyway.
    std::vector<std::pair<std::int64_t, std::string>> hidden;
    TextQuestion question;
    std::vector<std::string> keys;
    for (std::size_t k = 0; k < needles.size(); ++k) {
        for (const std::string& value : needles[k].values) {
            hidden.emplace_back(places[hidden.size()], sentence(variant, needles[k].key, value));
            if (static_cast<std::int64_t>(k) < variant.queries) question.expected.push_back(value);
        }
        if (static_cast<std::int64_t>(k) < variant.queries) keys.push_back(needles[k].key);
    }
    if (question.expected.size() == 1)
        question.depth = units == 0 ? 0 : static_cast<double>(places[0]) / static_cast<double>(units);
    std::stable_sort(hidden.begin(), hidden.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });

    const char* const joint = variant.haystack == Haystack::needles ? "\n" : " ";
    std::string text;
    auto next = hidden.begin();
    const auto add = [&](const std::string& piece) { text.append(text.empty() ? "" : joint).append(piece); };
    for (std::int64_t i = 0; i <= units; ++i) {
        for (; next != hidden.end() && next->first == i; ++next) add(next->second);
        if (i < units) add(hay[static_cast<std::size_t>(i)]);
    }
    const bool several = question.expected.size() > 1;
    std::string magic = "special magic ";
    magic.append(name_of(variant.value, several));
    const std::string asked = enumeration(keys);
    question.question.append("Which ").append(magic).append(" does the text give for ");
    question.question.append(asked).append("?");
    question.prompt.append("Some special magic ")
        .append(name_of(variant.value, true))
        .append(" are hidden in the text below. Keep them in mind: there will be a question about them.\n")
        .append(text)
        .append("\n")
        .append(question.question)
        .append(" In the text, the ")
        .append(magic)
        .append(" for ")
        .append(asked)
        .append(several ? " are" : " is");
    return question;
}

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool ends_sentence(std::string_view word) {
    return std::any_of(sentence_ends.begin(), sentence_ends.end(),
                       [&](std::string_view end) { return word.ends_with(end); });
}

// Up to a blank. Where a script has none between words, up to the end of the sentence, or so many bytes:
// whole characters.
std::string_view next_word(std::string_view text) {
    std::size_t size = 0;
    while (size < text.size() && !is_blank(text[size])) {
        std::size_t character = 1;
        while (size + character < text.size() && character < 4 &&
               (static_cast<unsigned char>(text[size + character]) & 0xC0U) == 0x80U)
            ++character;
        if (size > 0 && size + character > most_word_bytes) break;
        size += character;
        if (character > 1 && ends_sentence(text.substr(0, size))) break;
    }
    return text.substr(0, size);
}

}  // namespace

std::vector<std::string> essay_sentences(const std::string& essay, std::int64_t words) {
    std::vector<std::string> sentences(1);
    std::int64_t in_sentence = 0;
    bool blank = false;  // before the next word
    std::size_t at = 0;
    for (std::int64_t word = 0; word < words;) {
        if (at >= essay.size()) {
            if (word == 0) break;  // nothing but blanks
            at = 0;
            blank = true;
            continue;
        }
        if (is_blank(essay[at])) {
            blank = true;
            ++at;
            continue;
        }
        const std::string_view next = next_word(std::string_view(essay).substr(at));
        std::string& now = sentences.back();
        now.append(blank && !now.empty() ? " " : "").append(next);
        at += next.size();
        blank = false;
        ++word;
        if (++in_sentence < most_words && !ends_sentence(next)) continue;
        sentences.emplace_back();
        in_sentence = 0;
    }
    if (sentences.back().empty()) sentences.pop_back();
    return sentences;
}

TextTask needle_task(std::string id, std::string title, const NeedleVariant& variant) {
    return {.id = std::move(id),
            .title = std::move(title),
            .new_tokens = new_tokens,
            .needle = true,
            .missing =
                [variant](const TextSources& sources) {
                    return std::string(variant.haystack == Haystack::essay && sources.essay.empty()
                                           ? "needs a text to hide needles in: --haystack FILE"
                                           : "");
                },
            .make = [variant](const TextRequest& request,
                              std::int64_t size) { return make(variant, request, size); },
            .mark = mark_share_found};
}

}  // namespace braid
