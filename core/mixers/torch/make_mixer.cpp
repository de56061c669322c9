#include "core/mixers/torch/make_mixer.h"

namespace braid {

std::unique_ptr<Mixer> make_mixer(const HeadGroup& group, const MixerContext& context) {
#define BRAID_MIXER(id) \
    if (group.mixer == #id) return make_##id##_mixer(group, context);
#include "core/mixers/mixers.def"
#undef BRAID_MIXER
    return nullptr;
}

}  // namespace braid
