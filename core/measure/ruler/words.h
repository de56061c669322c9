// Words, numbers and identifiers that needles and lists are made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/random.h"

namespace braid {

std::string random_word_pair(Random& random);                    // "brave-otter": an adjective and a noun
std::string random_number(Random& random, std::int64_t digits);  // the first is not 0
std::string random_uuid(Random& random);                         // version 4
// Letters from `first` ('a' or 'A') on.
std::string random_letters(Random& random, std::int64_t length, char first);

// Different words: nouns and adjectives in random order, then made-up ones.
std::vector<std::string> distinct_words(Random& random, std::int64_t count);

// A short sentence of the noise haystack; they repeat.
std::string_view noise_sentence(std::int64_t index);

// "a", "a and b", "a, b and c"
std::string enumeration(const std::vector<std::string>& items);

// `count` different numbers below n, in random order; all n where there are no more.
std::vector<std::int64_t> distinct_below(Random& random, std::int64_t n, std::int64_t count);

}  // namespace braid
