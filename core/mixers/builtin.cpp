#include "core/mixers/builtin.h"

#include "core/mixers/kind_makers.h"

namespace braid {

const MixerCatalog& builtin_mixers() {
    static const MixerCatalog catalog = [] {
        std::vector<std::unique_ptr<MixerKind>> kinds;
#define BRAID_MIXER(id) kinds.push_back(make_##id##_kind());
#include "core/mixers/mixers.def"
#undef BRAID_MIXER
        return MixerCatalog(std::move(kinds));
    }();
    return catalog;
}

}  // namespace braid
