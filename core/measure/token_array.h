// A text as token numbers in a NumPy file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace braid {

// [T] or [1, T] token numbers of a vocabulary, at least one. Errors: those of read_npy_integers();
// invalid_input with the places of tokens outside the vocabulary.
Result<std::vector<std::int64_t>> read_token_array(const std::string& file, std::int64_t vocab);

}  // namespace braid
