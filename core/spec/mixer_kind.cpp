#include "core/spec/mixer_kind.h"

#include <algorithm>

namespace braid {

const MixerKind* MixerCatalog::find(std::string_view id) const {
    for (const auto& kind : kinds_)
        if (kind->description().id == id) return kind.get();
    return nullptr;
}

const MixerKind* MixerCatalog::find_letter(char letter) const {
    for (const auto& kind : kinds_)
        if (kind->description().letter == letter) return kind.get();
    return nullptr;
}

MixerContext mixer_context(const ArchitectureSpec& spec, std::size_t layer) {
    return {.d_model = spec.d_model,
            .head_dim = spec.head_dim,
            .ffn_width = spec.ffn_width,
            .layer = static_cast<std::int64_t>(layer),
            .layers = static_cast<std::int64_t>(spec.layers.size()),
            .norm_eps = norm_eps(spec)};
}

std::int64_t ffn_width(const ArchitectureSpec& spec, std::size_t layer, const MixerCatalog& catalog) {
    std::int64_t width = spec.ffn_width;
    for (const HeadGroup& group : spec.layers[layer].groups)
        if (const MixerKind* kind = catalog.find(group.mixer))
            width = std::min(width, kind->ffn_width(spec.ffn_width));
    return width;
}

std::string known_mixers(const MixerCatalog& catalog) {
    std::string text;
    for (const auto& kind : catalog.all()) {
        if (!text.empty()) text += ", ";
        text += kind->description().id + " (" + kind->description().letter + ")";
    }
    return text;
}

}  // namespace braid
