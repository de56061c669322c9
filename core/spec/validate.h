// Every rule an architecture has to keep; all broken ones are reported at once.
#pragma once

#include "core/spec/mixer_kind.h"

namespace braid {

Diagnostics validate(const ArchitectureSpec& spec, const MixerCatalog& catalog);

}  // namespace braid
