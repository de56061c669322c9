// tokenizer.json of Hugging Face's `tokenizers`, with a BPE model: GPT-2, Llama 3, Qwen, and what
// SentencePiece BPE models are converted to. Added tokens, normalizer, pre-tokenizer, merges in both
// notations, byte fallback and ignore_merges are honoured; what is not supported is refused by name. The
// post-processor only tells which tokens open and end a document. Dropout, padding and truncation have no
// effect here.
#pragma once

#include "core/data/tokenizer/tokenizer.h"

namespace braid {

bool is_tokenizer_json(std::string_view head);
Result<std::shared_ptr<const Tokenizer>> read_tokenizer_json(std::string_view bytes, TokenizerInfo info);

}  // namespace braid
