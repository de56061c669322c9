// Patterns of a study by themselves, so that they are told of beside any other problem.
#pragma once

#include "core/spec/mixer_kind.h"
#include "core/spec/study.h"

namespace braid {

// Every problem of patterns that need no axis to be read: "variants[0].pattern (FQ): ...".
Diagnostics check_patterns(const StudySpec& spec, const MixerCatalog& catalog);

}  // namespace braid
