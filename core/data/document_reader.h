// One source file as a row of documents, in bounded memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/data/source_file.h"
#include "core/data/tokenizer/tokenizer.h"

namespace braid {

inline constexpr std::size_t max_document_bytes = std::size_t{1} << 20;
inline constexpr std::size_t max_document_tokens = std::size_t{1} << 20;

struct DocumentVisitor {
    std::function<Result<void>(std::string_view text)> document;  // never empty, at most max_document_bytes
    // Of token files; never empty, at most max_document_tokens, without the document token. None: they are
    // left out as binary.
    std::function<Result<void>(std::span<const std::int32_t> tokens)> tokens = {};
    const TokenizerInfo* tokenizer = nullptr;  // that the tokens must fit; there where `tokens` is
    std::function<void(std::int64_t bytes)> position = {};  // read so far, as the file lies on disk
    const std::atomic<bool>* cancel = nullptr;
};

struct ReadReport {
    std::int64_t skipped = 0;  // lines or entries without a text
    std::string note = {};     // the first reason; or why the whole file was left out
};

// Compressed files (gzip, dictzip) are recognised by their first bytes. A file that is cut off or not what
// its name says is ErrorKind::corrupt; cancel is ErrorKind::interrupted. A binary file is left out with a
// note.
Result<ReadReport> read_documents(const SourceFile& file, const DocumentVisitor& visitor);

}  // namespace braid
