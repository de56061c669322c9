// SentencePiece .model files, unigram and BPE, through its own library.
//
// Models without text normalisation, without a space put in front, and with byte fallback (those that
// `tokenizer train` makes) are exact for any bytes: U+2581, by which pieces write a space, and bytes that are
// no UTF-8 go in as single bytes. Others lose what info().loss says, as with every SentencePiece program.
#pragma once

#include "core/data/tokenizer/tokenizer.h"

namespace braid {

Result<std::shared_ptr<const Tokenizer>> read_sentencepiece(std::string_view bytes, TokenizerInfo info);

}  // namespace braid
