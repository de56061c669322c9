// One make_<id>_mixer() for each line of mixers.def; the folder of that id defines it in <id>_mixer.cpp.
#pragma once

#include "core/mixers/torch/mixer.h"

namespace braid {

#define BRAID_MIXER(id) std::unique_ptr<Mixer> make_##id##_mixer(const HeadGroup&, const MixerContext&);
#include "core/mixers/mixers.def"
#undef BRAID_MIXER

}  // namespace braid
