// Token files whose tokenizer is not at hand: only the vocabulary and the end-of-text token are known, which
// is all that training needs. "ids:50257:50256".
#pragma once

#include "core/data/tokenizer/tokenizer.h"

namespace braid {

inline constexpr std::string_view ids_prefix = "ids:";

// text: "ids:VOCAB:EOT". It encodes nothing and its tokens have no text.
Result<std::shared_ptr<const Tokenizer>> ids_tokenizer(const std::string& text);

}  // namespace braid
