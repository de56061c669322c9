// The built-in tokenizer: ids 0..255 are the bytes, 256 is BOS; 257..259 are reserved and never occur, so a
// model for it has vocabulary 260.
#pragma once

#include "core/data/tokenizer/tokenizer.h"

namespace braid {

inline constexpr std::int32_t byte_bos = 256;
inline constexpr std::int64_t byte_vocab = 260;

std::shared_ptr<const Tokenizer> byte_tokenizer();

}  // namespace braid
