#include "core/spec/window_notes.h"

#include <map>

namespace braid {

std::vector<std::string> window_notes(const ArchitectureSpec& spec, const MixerCatalog& catalog,
                                      std::int64_t context) {
    std::map<std::int64_t, std::vector<std::string>> places;  // by window
    for (std::size_t l = 0; l < spec.layers.size(); ++l)
        for (std::size_t g = 0; g < spec.layers[l].groups.size(); ++g) {
            const MixerKind* kind = catalog.find(spec.layers[l].groups[g].mixer);
            if (!kind) continue;
            const std::int64_t window =
                kind->cost(spec.layers[l].groups[g], mixer_context(spec, l)).kv_window;
            if (window > context) places[window].push_back(group_path(spec, l, g));
        }
    std::vector<std::string> notes;
    for (const auto& [window, where] : places) {
        constexpr std::size_t shown = 4;
        std::string text;
        for (std::size_t i = 0; i < where.size() && i < shown; ++i)
            text.append(i == 0 ? "" : ", ").append(where[i]);
        if (where.size() > shown)
            text.append(" and ").append(std::to_string(where.size() - shown)).append(" more");
        text.append(": a window of ").append(std::to_string(window));
        text.append(" tokens is above the context of ").append(std::to_string(context));
        text.append("; these layers see all of it, as full attention does");
        notes.push_back(std::move(text));
    }
    return notes;
}

}  // namespace braid
