// How far the build of a corpus has come: <out>/build.json, there until the manifest is.
#pragma once

#include <string>
#include <vector>

#include "core/data/corpus.h"
#include "core/data/source_file.h"

namespace braid {

struct BuildState {
    std::string fingerprint;        // of the sources and options; another build cannot go on from here
    std::vector<CorpusFile> files;  // finished, in order
    SplitCounts train;
    SplitCounts validation;
    std::int64_t duplicates = 0;
};

std::string build_fingerprint(const std::vector<SourceFile>& files, const CorpusOptions& options,
                              const TokenizerInfo& tokenizer);

Json to_json(const BuildState& state);
Result<BuildState> read_build_state(const std::string& file);

}  // namespace braid
