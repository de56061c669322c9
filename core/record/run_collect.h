// Brings a run that was trained elsewhere back into its project: a cluster without a common file system.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/record/project.h"

namespace braid {

enum class Collected {
    added,       // the project had no such run
    updated,     // it had an earlier state of it
    same,        // nothing new
    newer_here,  // the project has gone on from there; left as it is
};
std::string_view to_text(Collected collected);

// The run with the id that its plan has. It appears as a whole or not at all; what is here is replaced only
// where the other one went on from just this state (the same attempts and more), and scores of both are kept.
// Errors: already_exists (another run has its id here, or both went on from a common state: said with steps),
// busy (an engine works on it here), and those of reading and copying.
Result<Collected> collect_run(const RunFolder& from, const Project& project);

}  // namespace braid
