// One make_<id>_kind() for each line of mixers.def; the folder of that id defines it.
#pragma once

#include <memory>

#include "core/spec/mixer_kind.h"

namespace braid {

#define BRAID_MIXER(id) std::unique_ptr<MixerKind> make_##id##_kind();
#include "core/mixers/mixers.def"
#undef BRAID_MIXER

}  // namespace braid
