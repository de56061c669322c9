#include "core/data/build_state.h"

#include "core/base/json_reader.h"

namespace braid {

std::string build_fingerprint(const std::vector<SourceFile>& files, const CorpusOptions& options,
                              const TokenizerInfo& tokenizer) {
    Json list = Json::array();
    for (const SourceFile& file : files)
        list.push_back({file.path, static_cast<int>(file.format), file.bytes});
    return content_hash(Json{{"files", std::move(list)},
                             {"tokenizer", tokenizer.hash},
                             {"validation_fraction", options.validation_fraction},
                             {"long_bytes", options.long_bytes},
                             {"shard_tokens", options.shard_tokens}});
}

// The manifest's own form serves for the counts and files.
Json to_json(const BuildState& state) {
    CorpusManifest manifest;
    manifest.tokenizer = byte_tokenizer()->info();  // the fingerprint has the one in use
    manifest.train = state.train;
    manifest.validation = state.validation;
    manifest.duplicates = state.duplicates;
    manifest.files = state.files;
    manifest.shards = {
        {.file = "train", .split = Split::train, .tokens = state.train.tokens, .hash = {}},
        {.file = "validation", .split = Split::validation, .tokens = state.validation.tokens, .hash = {}}};
    manifest.hash = state.fingerprint;
    return to_json(manifest);
}

Result<BuildState> read_build_state(const std::string& file) {
    return read_json(file).and_then([&](const Json& json) -> Result<BuildState> {
        Checked<CorpusManifest> manifest = corpus_manifest_from_json(json);
        if (!manifest) return fail(to_error(manifest.error(), file));
        return BuildState{.fingerprint = manifest->hash,
                          .files = std::move(manifest->files),
                          .train = manifest->train,
                          .validation = manifest->validation,
                          .duplicates = manifest->duplicates};
    });
}

}  // namespace braid
