// Every mixer that Braid knows, from mixers.def: one line and one folder each.
#pragma once

#include "core/spec/mixer_kind.h"

namespace braid {

const MixerCatalog& builtin_mixers();

}  // namespace braid
