// The strongest links of a head: which query looks at which key, beyond a distance.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/attention_pyramid.h"

namespace braid {

struct AttentionLink {
    std::int64_t query = 0;
    std::int64_t key = 0;
    float weight = 0;
    bool operator==(const AttentionLink&) const = default;
};

// The `count` weights of largest magnitude with query - key >= least_distance, largest first; equal ones by
// query, then by key. Exact: squares of the pyramid that cannot hold one are never opened.
std::vector<AttentionLink> top_links(const HeadFactors& head, const AttentionPyramid& pyramid,
                                     std::size_t count, std::int64_t least_distance);
// The same of a head without factors whose pyramid goes down to single tokens; of others nothing.
std::vector<AttentionLink> top_links(const AttentionPyramid& pyramid, std::size_t count,
                                     std::int64_t least_distance);

}  // namespace braid
