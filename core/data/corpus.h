// A corpus folder: text turned into tokens once, then mapped into memory.
//
//   manifest.json      schema version, tokenizer, options, shards (tokens, bytes, hash), counts, provenance
//   documents.bin      one 32-byte DocumentEntry a document, in order
//   tokenizer.*        a copy of the tokenizer file; the byte tokenizer has none
//   train-00000.bin .. validation-00000.bin ..   little-endian tokens of the documents, one after the other,
//                      uint16, or uint32 where the vocabulary is larger than 65,536; each document is opened
//                      by the tokenizer's document token (BOS, or EOS where there is no BOS)
//
// Text is never changed before the tokenizer sees it; invalid UTF-8 is counted in the manifest. Special
// tokens in a text are text. A text longer than 1 MiB becomes several documents, cut at an empty line where
// there is one, so that the split by hash works for one large file, too.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/data/tokenizer/byte_tokenizer.h"
#include "core/data/tokenizer/tokenizer.h"

namespace braid {

// 1: byte tokenizer only, uint16, no flags in the index; still read.
inline constexpr int corpus_schema_version = 2;

enum class Split : std::uint8_t { train, validation };

struct CorpusOptions {
    std::string tokenizer = "byte";  // as open_tokenizer() takes it
    TokenizerOptions tokenizer_options = {};
    // Of the documents, chosen by content hash: stable under additions. Where no document is chosen (few
    // documents), the last part of the training tokens is taken instead.
    double validation_fraction = 0.02;
    std::int64_t long_bytes = 65'536;                   // documents at least this long form the long pool
    std::int64_t shard_tokens = std::int64_t{1} << 27;  // 256 MiB a shard of uint16
    int threads = 0;                                    // that tokenise; 0: all cores; changes no token
};

struct CorpusProgress {
    std::int64_t files_done = 0;
    std::int64_t files_total = 0;
    std::int64_t bytes_done = 0;   // of the sources, as they lie on disk
    std::int64_t bytes_total = 0;  // likewise
    std::int64_t documents = 0;
    std::string file = {};  // being read
};

// One source file as it was read.
struct CorpusFile {
    std::string path;
    std::int64_t bytes = 0;
    std::int64_t documents = 0;
    std::int64_t invalid_utf8 = 0;  // byte sequences that are no UTF-8; kept
    std::int64_t skipped = 0;       // JSONL lines without a text, empty documents
    std::string note = {};          // why it was skipped, where it was
};

struct SplitCounts {
    std::int64_t documents = 0;
    std::int64_t tokens = 0;
    std::int64_t long_documents = 0;
    std::int64_t long_tokens = 0;
};

struct ShardInfo {
    std::string file;  // inside the corpus folder
    Split split = Split::train;
    std::int64_t tokens = 0;
    std::string hash;  // XXH3, 64 bit, hexadecimal
};

struct CorpusManifest {
    TokenizerInfo tokenizer;
    CorpusOptions options;  // without the tokenizer's and threads
    SplitCounts train;
    SplitCounts validation;
    std::int64_t duplicates = 0;  // documents left out because their text had been seen
    std::vector<ShardInfo> shards;
    std::vector<CorpusFile> files;
    std::string created = {};  // ISO 8601, UTC
    std::string command = {};  // that makes it again
    std::string hash = {};     // of everything a batch depends on
    int schema = corpus_schema_version;

    std::size_t token_bytes() const { return tokenizer.vocab > 65'536 ? 4 : 2; }
};
Json to_json(const CorpusManifest& manifest);
Checked<CorpusManifest> corpus_manifest_from_json(const Json& json);

// Sources: text files, folders (recursively, in name order, hidden and binary files left out), .jsonl /
// .ndjson (field "text", one document a line), R's Rdata.rdb, dictionaries (.dict with their .index); each
// also as .gz or .dz; "recipe:NAME" for the texts of Debian packages (core/data/recipe.h); token files .bin
// of llm.c and nanoGPT, made with this very tokenizer (core/data/token_file.h). Files are streamed: memory
// does not grow with them. Documents are tokenised in parallel and written in order: the result does not
// depend on the number of threads.
//
// `out` must not exist, be empty, or hold an unfinished build of the same sources and options, which is then
// continued after its last finished file. Nothing but `out` is written. Stops at `cancel` within a fraction
// of a second with ErrorKind::interrupted, the work saved.
Result<CorpusManifest> build_corpus(const std::vector<std::string>& sources, const std::string& out,
                                    const CorpusOptions& options,
                                    const std::function<void(const CorpusProgress&)>& progress = {},
                                    const std::atomic<bool>* cancel = nullptr);

struct DocumentEntry {
    std::uint64_t hash = 0;          // XXH3 of the text, or of the tokens where a token file gave them
    std::uint64_t offset = 0;        // of its first token among all tokens of the split
    std::uint64_t tokens = 0;        // with the document token
    std::uint32_t file = 0;          // index into CorpusManifest::files
    std::uint16_t split = 0;         // Split
    std::uint16_t in_long_pool = 0;  // 1: its text has at least CorpusOptions::long_bytes
};
static_assert(sizeof(DocumentEntry) == 32);

// A finished corpus, mapped. Cheap to open; safe to read from several threads.
class Corpus {
public:
    // Compares sizes with the manifest (truncated or foreign shards are ErrorKind::corrupt).
    static Result<Corpus> open(const std::string& folder);
    // Reads every byte and compares the hashes; the first broken shard is the error.
    Result<void> verify(const std::function<void(double fraction)>& progress = {}) const;

    const std::string& folder() const;
    const CorpusManifest& manifest() const;
    std::span<const DocumentEntry> documents(Split split) const;
    std::int64_t tokens(Split split) const;
    // Copies tokens [offset, offset + out.size()) of a split; the range must lie inside it.
    void read(Split split, std::int64_t offset, std::span<std::int32_t> out) const;
    // The tokenizer it was built with, from the copy in the folder. A file that is not the one of the
    // manifest is corrupt; a corpus of token files without a tokenizer has none (unavailable).
    Result<std::shared_ptr<const Tokenizer>> tokenizer() const;

private:
    struct Mapped;
    explicit Corpus(std::shared_ptr<const Mapped> mapped) : mapped_(std::move(mapped)) {}
    std::shared_ptr<const Mapped> mapped_;
};

}  // namespace braid
