// The shards of one split while a corpus is built: append, save a safe point, go back to it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/data/corpus.h"

namespace braid {

class TokenWriter {
public:
    // token_bytes: 2 or 4.
    TokenWriter(std::string folder, Split split, std::int64_t shard_tokens, std::size_t token_bytes);
    ~TokenWriter();
    TokenWriter(const TokenWriter&) = delete;
    TokenWriter& operator=(const TokenWriter&) = delete;

    // The document token and those of the document; a document may go on in the next shard.
    Result<void> append_document(std::int32_t document_token, std::span<const std::int32_t> tokens);
    // All tokens from `offset` on, as they were appended.
    Result<std::vector<std::int32_t>> read_from(std::int64_t offset);

    std::int64_t tokens() const { return tokens_; }
    // Everything appended is on disk.
    Result<void> sync();
    // Leaves the first `tokens` of those appended.
    Result<void> go_back_to(std::int64_t tokens);
    // Goes on with the shards of an interrupted build; what they hold behind `tokens` is cut off.
    Result<void> resume_at(std::int64_t tokens);
    // The shards as they are; without hashes.
    std::vector<ShardInfo> shards() const;

private:
    std::string file_of(std::int64_t shard) const;
    Result<void> flush();
    void close();

    std::string folder_;
    Split split_;
    std::int64_t shard_tokens_;
    std::size_t token_bytes_;
    std::int64_t tokens_ = 0;  // of all shards, buffer included
    std::int64_t open_shard_ = -1;
    int descriptor_ = -1;
    std::vector<std::int32_t> buffer_;
};

}  // namespace braid
