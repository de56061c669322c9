// The whole text of a captured head as one tile, without reading the rest of its file: a thumbnail.
#pragma once

#include <string>

#include "core/attention/attention_pyramid.h"
#include "core/base/error.h"

namespace braid {

struct CoarsestTile {
    std::int64_t tokens = 0;
    int level = 0;
    AttentionTile tile = {};
};

// Reads the header and the last tile of a file of core/attention/capture_file.h. Errors: corrupt, not_found.
Result<CoarsestTile> read_coarsest_tile(const std::string& file);

}  // namespace braid
