// What lists and forms show of a corpus folder, from its manifest alone (core/data/corpus.h writes it).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace braid {

struct CorpusSummary {
    std::string folder = {};     // as given, or relative to the folder that was searched
    std::string tokenizer = {};  // "byte", or the name of its file
    std::string tokenizer_kind = {};
    std::int64_t vocab = 0;
    std::int64_t train_tokens = 0;
    std::int64_t train_documents = 0;
    std::int64_t long_tokens = 0;  // of the training tokens: documents of at least long_bytes
    std::int64_t long_documents = 0;
    std::int64_t long_bytes = 0;
    std::int64_t validation_tokens = 0;
    bool operator==(const CorpusSummary&) const = default;
};

// ErrorKind::not_found where there is no manifest, corrupt where it is no corpus'.
Result<CorpusSummary> read_corpus_summary(const std::string& folder);

// The corpora below `folder`, at most three levels deep, by name; hidden folders, runs and checkpoints are
// not entered. Folders of the summaries are relative to `folder`.
std::vector<CorpusSummary> find_corpora(const std::string& folder);

}  // namespace braid
