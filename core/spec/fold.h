// Repeats in a sequence of layer texts, written with the counts of the shorthand.
#pragma once

#include <string>
#include <vector>

namespace braid {

// The shortest text among those with repeated blocks of at most 64 layers, one level of counts inside them:
// "FS x5", "SSSF x2 SS", "(S[w=64] x5 F)x3". A text without any count ends in " x1". O(64 n) and a little.
std::string fold_repeats(const std::vector<std::string>& layers);

}  // namespace braid
