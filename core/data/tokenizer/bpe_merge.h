// Byte-pair merging of one word: the pair of lowest rank is merged, the leftmost of equal ones first, until
// no pair has a rank (Sennrich et al., 2016).
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/tokenizer/pair_table.h"

namespace braid {

struct BpeSymbol {
    std::int32_t id = -1;
    std::uint32_t bytes = 0;  // of the word
};

// O(n^2) with a tiny constant for short words, O(n log n) for long ones; both give the same.
void merge_word(const PairTable& merges, std::vector<BpeSymbol>& word);

}  // namespace braid
