// A rank other than 0: it computes its part and obeys; rank 0 alone owns the run folder.
#pragma once

#include "core/base/error.h"
#include "core/engine/parallel/rank_channel.h"

namespace braid {

// From RankChannel::wait_for_all() until rank 0 ends the run. Errors: that of rank 0 or of another rank where
// the run has failed, else our own, which the others have been told.
Result<void> follow_run(RankChannel& channel);

}  // namespace braid
