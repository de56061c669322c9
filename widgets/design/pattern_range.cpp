#include "widgets/design/pattern_range.h"

#include <QString>
#include <algorithm>
#include <cctype>

#include "widgets/design/spec_document.h"

namespace braid::ui {

namespace {

qsizetype characters(std::string_view text, std::size_t bytes) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(std::min(bytes, text.size()))).size();
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Where `word` stands alone in [begin, end); npos: nowhere.
std::size_t find_word(std::string_view text, std::size_t begin, std::size_t end, std::string_view word) {
    for (std::size_t at = text.find(word, begin); at != std::string_view::npos && at + word.size() <= end;
         at = text.find(word, at + 1)) {
        const bool starts = at == 0 || !is_word(text[at - 1]);
        const std::size_t after = at + word.size();
        if (starts && (after >= text.size() || !is_word(text[after]))) {
            return at;
        }
    }
    return std::string_view::npos;
}

}  // namespace

PatternRange pattern_range(std::string_view text, TextSpan bytes) {
    const qsizetype whole = characters(text, text.size());
    qsizetype begin = std::min(characters(text, bytes.begin), whole);
    qsizetype end = std::clamp(characters(text, bytes.end), begin, whole);
    if (begin == end && begin > 0 && begin == whole) {
        --begin;
    } else if (begin == end && end < whole) {
        ++end;
    }
    return {.begin = begin, .length = end - begin};
}

std::string place_in_layer(std::string_view path) {
    for (const std::string_view list : {"layers[", "groups["}) {
        if (path.starts_with(list)) {
            const std::size_t close = path.find(']');
            path.remove_prefix(close == std::string_view::npos ? path.size() : close + 1);
            if (path.starts_with('.')) {
                path.remove_prefix(1);
            }
        }
    }
    return std::string(path);
}

TextSpan narrowed_span(std::string_view text, TextSpan layer, std::string_view path,
                       const MixerCatalog& catalog) {
    std::size_t begin = layer.begin;
    std::size_t end = std::min(layer.end, text.size());
    // The group's own part of "{F:2 S[w=0]:4}".
    const std::size_t groups = path.find("groups[");
    if (groups != std::string_view::npos && begin < end && text[begin] == '{') {
        std::size_t number = 0;
        for (std::size_t i = groups + 7; i < path.size() && std::isdigit(static_cast<unsigned char>(path[i]));
             ++i) {
            number = number * 10 + static_cast<std::size_t>(path[i] - '0');
        }
        std::size_t depth = 0;
        std::size_t seen = 0;
        for (std::size_t i = begin + 1; i < end; ++i) {
            depth += text[i] == '[' ? 1 : 0;
            depth -= text[i] == ']' && depth > 0 ? 1 : 0;
            if (depth == 0 && std::isalpha(static_cast<unsigned char>(text[i]))) {
                if (seen == number) {
                    begin = i;
                } else if (seen == number + 1) {
                    end = i;
                    break;
                }
                ++seen;
            }
        }
        while (end > begin && (text[end - 1] == ' ' || text[end - 1] == ',' || text[end - 1] == '}')) {
            --end;
        }
    }
    const std::string key = place_in_layer(path);
    for (const auto& kind : catalog.all()) {
        const ParameterDescription* parameter = find_parameter(kind->description().parameters, key);
        if (!parameter) {
            continue;
        }
        std::vector<std::string_view> names{parameter->key};
        if (!parameter->short_key.empty()) {
            names.push_back(parameter->short_key);
        }
        for (const std::string_view name : names) {
            const std::size_t at = find_word(text, begin, end, name);
            if (at == std::string_view::npos) {
                continue;
            }
            std::size_t after = text.find_first_of(",]", at);
            after = std::min(after, end);
            while (after > at && text[after - 1] == ' ') {
                --after;
            }
            return {.begin = at, .end = after};
        }
    }
    return {.begin = begin, .end = end};
}

}  // namespace braid::ui
