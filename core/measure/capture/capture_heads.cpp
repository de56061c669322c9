#include "core/measure/capture/capture_heads.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/spec/number_text.h"

namespace braid {
namespace {

std::optional<std::int64_t> whole(std::string_view text) {
    std::int64_t number = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || number < 0) return {};
    return number;
}

std::string head_rule(const std::vector<std::int64_t>& heads, std::optional<std::int64_t> layer) {
    std::string rule = "must be layer.head with a layer from 0 to ";
    rule.append(std::to_string(heads.size() - 1));
    if (!layer || *layer >= std::int64_t(heads.size())) return rule;
    return rule.append(" and a head of it from 0 to ")
        .append(std::to_string(heads[std::size_t(*layer)] - 1))
        .append(" in layer ")
        .append(std::to_string(*layer));
}

}  // namespace

std::string head_name(const HeadPlace& head) {
    std::string name = std::to_string(head.layer);
    return name.append(".").append(std::to_string(head.place));
}

Result<std::vector<HeadPlace>> detailed_heads(const std::string& text, const ArchitectureSpec& spec,
                                              const LayerMixers& mixers, std::int64_t tokens) {
    const std::vector<HeadPlace> all = chosen_heads(spec, mixers, HeadChoice::all);
    if (text == "none" || (text.empty() && tokens > detailed_by_itself)) return std::vector<HeadPlace>();
    if (text == "all") return all;
    if (text.empty()) return chosen_heads(spec, mixers, HeadChoice::softmax);

    std::vector<std::int64_t> heads(spec.layers.size(), 0);
    for (const HeadPlace& place : all) ++heads[std::size_t(place.layer)];
    std::set<std::pair<std::int64_t, std::int64_t>> wanted;
    Diagnostics problems;
    for (const std::string_view word : comma_parts(text)) {
        const std::size_t dot = word.find('.');
        const std::optional<std::int64_t> layer = whole(word.substr(0, dot));
        const std::optional<std::int64_t> head =
            dot == std::string_view::npos ? std::nullopt : whole(word.substr(dot + 1));
        if (layer && head && *layer < std::int64_t(heads.size()) && *head < heads[std::size_t(*layer)])
            wanted.emplace(*layer, *head);
        else
            problems.push_back({.path = "heads",
                                .rule = head_rule(heads, layer) + ", or all, or none",
                                .found = "\"" + std::string(word) + "\""});
    }
    if (!problems.empty()) return fail(to_error(problems));
    std::vector<HeadPlace> chosen;
    for (const HeadPlace& place : all)
        if (wanted.contains({place.layer, place.place})) chosen.push_back(place);
    return chosen;
}

}  // namespace braid
