// One head of a forward pass as a capture keeps it: computed where the pass is, block of rows after block of
// rows, so that there is never a matrix of all tokens.
#pragma once

#include <functional>

#include "core/attention/capture_file.h"
#include "core/engine/forward_taps.h"
#include "core/measure/mechanism/head_looks.h"
#include "core/record/capture.h"

namespace braid {

// Level of the finest tiles that are kept of a head. Not in detail: one tile. With factors: 8 x 8 tokens, as
// finer tiles follow from the factors; without: single tokens up to detailed_by_itself tokens. Never more
// than about most_tile_bytes.
inline constexpr std::int64_t most_tile_bytes = std::int64_t{64} << 20;
int finest_level(std::int64_t tokens, bool detail, bool factors);

// `go_on` is asked between blocks, with the fraction of the rows that is done; empty where it says false.
std::optional<CapturedHead> capture_head(const GroupTap& tap, std::int64_t head, bool detail,
                                         const std::function<bool(double fraction)>& go_on);

// Of the last query. `needles`: of the text.
CaptureScores capture_scores(const GroupTap& tap, std::int64_t head, bool softmax, std::int64_t window,
                             const std::vector<CaptureNeedle>& needles);

}  // namespace braid
