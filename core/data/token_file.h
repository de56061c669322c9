// Files of token ids made elsewhere: what they are and where their documents begin.
//
//  - llm.c and what follows it: 256 int32 of header, {20240520, 1, tokens} before uint16 or {20240801, 7,
//    tokens} before uint32.
//  - nanoGPT: uint16 without a header; uint32 where the vocabulary is larger than 65,536.
//
// Both separate documents by the end-of-text token, before or behind each; so documents are what lies between
// two of them. A document longer than max_document_tokens becomes several.
#pragma once

#include <string>

#include "core/data/document_reader.h"

namespace braid {

// Whether the file begins with one of llm.c's headers.
bool has_token_header(const std::string& path);

// An id outside the tokenizer's vocabulary is invalid_input: the file was made with another tokenizer. A size
// that does not agree with the header is corrupt.
Result<ReadReport> read_token_file(const SourceFile& file, const DocumentVisitor& visitor);

}  // namespace braid
