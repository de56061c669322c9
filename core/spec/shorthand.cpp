#include "core/spec/shorthand.h"

#include <algorithm>
#include <charconv>

#include "core/spec/fold.h"
#include "core/spec/head_shares.h"

namespace braid {
namespace {

std::string format_options(const HeadGroup& group, const MixerDescription& mixer) {
    const ParameterValues values = normalised(group.parameters, mixer.parameters);
    std::string text;
    for (const ParameterDescription& each : mixer.parameters) {
        const ParameterValue* value = values.find(each.key);
        if (!value) continue;
        text += text.empty() ? "[" : ",";
        const auto word =
            std::find_if(each.words.begin(), each.words.end(),
                         [&](const ParameterWord& candidate) { return candidate.value == *value; });
        if (word != each.words.end())
            text += word->word;
        else
            text += (each.short_key.empty() ? each.key : each.short_key) + "=" + to_text(*value);
    }
    return text.empty() ? text : text + "]";
}

std::string format_mixer(const HeadGroup& group, const MixerCatalog& catalog) {
    const MixerKind* kind = catalog.find(group.mixer);
    if (!kind) return "?";
    return kind->description().letter + format_options(group, kind->description());
}

ArchitectureSpec with_layers(const Pattern& pattern, ArchitectureSpec spec, std::size_t depth) {
    if (pattern.repeated) depth = pattern.layers.size();
    std::vector<LayerSpec> cycle = pattern.layers;
    for (LayerSpec& layer : cycle) resolve_heads(layer, spec.heads, spec.kv_heads);
    spec.layers.clear();
    if (cycle.empty()) return spec;
    spec.layers.reserve(depth);
    for (std::size_t i = 0; i < depth; ++i) {
        spec.layers.push_back(cycle[i % cycle.size()]);
        spec.layers.back().id = LayerId(static_cast<std::int64_t>(i) + 1);
    }
    return spec;
}

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string format_layer(const LayerSpec& layer, const ArchitectureSpec& dimensions,
                         const MixerCatalog& catalog) {
    if (layer.groups.size() == 1 && layer.groups.front().heads == dimensions.heads &&
        layer.groups.front().kv_heads == dimensions.kv_heads)
        return format_mixer(layer.groups.front(), catalog);
    LayerSpec shared = layer;
    for (HeadGroup& group : shared.groups) group.kv_heads = 0;
    resolve_heads(shared, dimensions.heads, dimensions.kv_heads);
    const bool default_share = shared == layer;
    std::string text = "{";
    for (const HeadGroup& group : layer.groups) {
        if (text.size() > 1) text += ' ';
        text += format_mixer(group, catalog) + ":" + std::to_string(group.heads);
        if (!default_share) text += "/" + std::to_string(group.kv_heads);
    }
    return text + "}";
}

std::string format_pattern(const std::vector<LayerSpec>& layers, const ArchitectureSpec& dimensions,
                           const MixerCatalog& catalog) {
    std::vector<std::string> texts;
    texts.reserve(layers.size());
    for (const LayerSpec& layer : layers) texts.push_back(format_layer(layer, dimensions, catalog));
    return fold_repeats(texts);
}

ArchitectureSpec instantiate(const Pattern& pattern, const Scale& scale) {
    const ArchitectureSpec dimensions{.d_model = scale.d_model,
                                      .heads = scale.heads,
                                      .kv_heads = scale.kv_heads,
                                      .head_dim = scale.head_dim,
                                      .ffn_width = scale.ffn_width,
                                      .vocab = scale.vocab};
    return with_layers(pattern, dimensions,
                       static_cast<std::size_t>(std::max<std::int64_t>(scale.layers, 0)));
}

ArchitectureSpec instantiate(const Pattern& pattern, const ArchitectureSpec& dimensions, std::size_t depth) {
    return with_layers(pattern, dimensions, depth);
}

void mark_in_text(Diagnostics& diagnostics, const Pattern& pattern) {
    constexpr std::string_view prefix = "layers[";
    for (Diagnostic& each : diagnostics) {
        if (pattern.spans.empty() || !each.path.starts_with(prefix)) continue;
        std::size_t layer = 0;
        const char* begin = each.path.data() + prefix.size();
        const char* end = each.path.data() + each.path.size();
        if (std::from_chars(begin, end, layer).ec == std::errc())
            each.span = pattern.spans[layer % pattern.spans.size()];
    }
}

std::string show_problems(std::string_view text, const Diagnostics& diagnostics) {
    std::string line(text);
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';  // one character each, on one line
    std::string shown = line + "\n";
    for (const Diagnostic& each : diagnostics) {
        if (each.span && each.span->begin <= text.size()) {
            const TextSpan span{each.span->begin, std::clamp(each.span->end, each.span->begin, text.size())};
            shown += std::string(characters(text.substr(0, span.begin)), ' ');
            shown +=
                "^" +
                std::string(
                    std::max<std::size_t>(characters(text.substr(span.begin, span.end - span.begin)), 1) - 1,
                    '~');
            shown += "\n";
        }
        shown += each.message() + "\n";
    }
    return shown;
}

}  // namespace braid
