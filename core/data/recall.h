// Recency-skewed recall, the task of the example study.
//
// A sequence alternates keys and values, k v k v ..; every key has one value for the whole sequence. With
// probability 0.3 the next key is a new one, else one seen before, of recency rank r (1: the latest) with
// P(r) ~ 1/r. Tokens 0..keys-1 are keys, the rest values; there is no BOS. T + 1 tokens are drawn, so that
// all T positions have a target and every value is one.
//
// The distance of a value is counted in tokens from its key's last occurrence to the value itself: 2 n + 1
// when n pairs back. Near: at most 16; mid: up to T / 2; far: more.
//
// Evaluation: `asked` keys open the sequence, are kept out of the ordinary draws, and each is asked once more
// at a distance uniform in (T / 2, T) (among the places left); these alone are the far queries, 6 x 256 =
// 1,536. Near and mid queries are the ordinary draws. The set depends on the task's parameters and T, not on
// a seed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/task.h"
#include "core/spec/tasks/recall.h"

namespace braid {

// One value of a sequence whose key had been seen before.
struct RecallQuery {
    std::int32_t position = 0;  // of the key; the value follows
    std::int32_t distance = 0;
    bool asked = false;  // a far query of the evaluation set
};

class Random;

// Draws one sequence of tokens.size() tokens; `opening` keys open it and are asked later (0 for training).
std::vector<RecallQuery> draw_recall(const RecallParameters& parameters, Random& random, std::int64_t opening,
                                     std::span<std::int32_t> tokens);

}  // namespace braid
