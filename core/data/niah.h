// Needle in a haystack, in tokens: a training task of any length.
//
// A haystack of random filler tokens hides `needles` needles [mark, key, value_1 .. value_n], of different
// keys, at random depths. The sequence ends with `asked` of the keys, in random order, each as a question
// [ask, key, value_1 .. value_n]; only the tokens of the values count there. Ids: 0 mark, 1 ask, then keys,
// values, filler.
//
// Groups by depth, the place of the needle in the haystack from 0 (its beginning) to 1: "niah/depth-0" for
// [0, 0.2), .. "niah/depth-4" for [0.8, 1]. In the evaluation set the first needle asked lies at depths that
// are spread evenly over the sequences.
#pragma once

#include "core/data/task.h"
#include "core/spec/tasks/niah.h"

namespace braid {

inline constexpr std::int32_t niah_depths = 5;

}  // namespace braid
