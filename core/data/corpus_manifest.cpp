#include <array>

#include "core/base/json_reader.h"
#include "core/data/corpus.h"

namespace braid {
namespace {

constexpr std::int64_t many = std::int64_t{1} << 53;

std::string to_text(Split split) { return split == Split::train ? "train" : "validation"; }

Json to_json(const SplitCounts& counts) {
    return {{"documents", counts.documents},
            {"tokens", counts.tokens},
            {"long_documents", counts.long_documents},
            {"long_tokens", counts.long_tokens}};
}

void read_counts(JsonReader& parent, const std::string& key, SplitCounts& counts, Diagnostics& problems) {
    const Json* json = parent.require(key);
    if (json == nullptr) return;
    JsonReader reader(*json, key, problems);
    reader.integer("documents", counts.documents, 0, many);
    reader.integer("tokens", counts.tokens, 0, many);
    reader.integer("long_documents", counts.long_documents, 0, many);
    reader.integer("long_tokens", counts.long_tokens, 0, many);
    reader.refuse_unknown_keys();
}

void read_shard(const Json& json, const std::string& path, CorpusManifest& manifest, Diagnostics& problems) {
    JsonReader reader(json, path, problems);
    ShardInfo shard;
    std::string split;
    reader.text("file", shard.file);
    reader.text("split", split);
    reader.text("hash", shard.hash);
    reader.integer("tokens", shard.tokens, 0, many);
    reader.refuse_unknown_keys();
    if (split != "train" && split != "validation")
        reader.report(path + ".split", "must be train or validation", split);
    if (shard.file.empty() || shard.file.find('/') != std::string::npos)
        reader.report(path + ".file", "must be the name of a file in the corpus folder", shard.file);
    shard.split = split == "validation" ? Split::validation : Split::train;
    manifest.shards.push_back(std::move(shard));
}

void read_source(const Json& json, const std::string& path, CorpusManifest& manifest, Diagnostics& problems) {
    JsonReader reader(json, path, problems);
    CorpusFile file;
    reader.text("path", file.path);
    reader.integer("bytes", file.bytes, 0, many);
    reader.integer("documents", file.documents, 0, many);
    reader.integer("invalid_utf8", file.invalid_utf8, 0, many);
    reader.integer("skipped", file.skipped, 0, many);
    reader.text("note", file.note);
    reader.refuse_unknown_keys();
    manifest.files.push_back(std::move(file));
}

template <class Read>
void read_list(JsonReader& parent, const std::string& key, const Read& read) {
    const Json* json = parent.require(key);
    if (json == nullptr) return;
    if (!json->is_array()) {
        parent.report(key, "must be a list", *json);
        return;
    }
    for (std::size_t i = 0; i < json->size(); ++i) read((*json)[i], key + "[" + std::to_string(i) + "]");
}

}  // namespace

Json to_json(const CorpusManifest& manifest) {
    Json json = {{"schema_version", corpus_schema_version},
                 {"tokenizer", to_json(manifest.tokenizer)},
                 {"validation_fraction", manifest.options.validation_fraction},
                 {"long_bytes", manifest.options.long_bytes},
                 {"shard_tokens", manifest.options.shard_tokens},
                 {"train", to_json(manifest.train)},
                 {"validation", to_json(manifest.validation)},
                 {"duplicates", manifest.duplicates},
                 {"shards", Json::array()},
                 {"files", Json::array()},
                 {"created", manifest.created},
                 {"command", manifest.command},
                 {"hash", manifest.hash}};
    for (const ShardInfo& shard : manifest.shards)
        json["shards"].push_back({{"file", shard.file},
                                  {"split", to_text(shard.split)},
                                  {"tokens", shard.tokens},
                                  {"hash", shard.hash}});
    for (const CorpusFile& file : manifest.files) {
        Json one = {{"path", file.path}, {"bytes", file.bytes}, {"documents", file.documents}};
        if (file.invalid_utf8 > 0) one["invalid_utf8"] = file.invalid_utf8;
        if (file.skipped > 0) one["skipped"] = file.skipped;
        if (!file.note.empty()) one["note"] = file.note;
        json["files"].push_back(std::move(one));
    }
    return json;
}

Checked<CorpusManifest> corpus_manifest_from_json(const Json& json) {
    Diagnostics problems;
    CorpusManifest manifest;
    JsonReader reader(json, "", problems);
    if (!reader.is_object() || !reader.schema_version(corpus_schema_version))
        return tl::unexpected<Diagnostics>(std::move(problems));
    std::int64_t schema = corpus_schema_version;
    reader.integer("schema_version", schema);
    manifest.schema = static_cast<int>(schema);
    if (schema == 1) {
        std::string tokenizer;
        reader.text("tokenizer", tokenizer);
        if (tokenizer != "byte") reader.report("tokenizer", "must be byte", tokenizer);
        std::int64_t vocab = byte_vocab;
        reader.integer("vocab", vocab, byte_vocab, byte_vocab);
        manifest.tokenizer = byte_tokenizer()->info();
    } else if (const Json* tokenizer = reader.require("tokenizer")) {
        reader.take("tokenizer", tokenizer_info_from_json(*tokenizer), manifest.tokenizer);
    }
    reader.number("validation_fraction", manifest.options.validation_fraction);
    reader.integer("long_bytes", manifest.options.long_bytes, 0, many);
    reader.integer("shard_tokens", manifest.options.shard_tokens, 1, many);
    read_counts(reader, "train", manifest.train, problems);
    read_counts(reader, "validation", manifest.validation, problems);
    reader.integer("duplicates", manifest.duplicates, 0, many);
    read_list(reader, "shards",
              [&](const Json& one, const std::string& path) { read_shard(one, path, manifest, problems); });
    read_list(reader, "files",
              [&](const Json& one, const std::string& path) { read_source(one, path, manifest, problems); });
    reader.text("created", manifest.created);
    reader.text("command", manifest.command);
    reader.text("hash", manifest.hash);
    reader.refuse_unknown_keys();
    if (problems.empty()) {
        std::array<std::int64_t, 2> sums{};
        for (const ShardInfo& shard : manifest.shards)
            sums[static_cast<std::size_t>(shard.split)] += shard.tokens;
        if (sums[0] != manifest.train.tokens)
            reader.report("train.tokens", "must be the sum of the shards (" + std::to_string(sums[0]) + ")",
                          manifest.train.tokens);
        if (sums[1] != manifest.validation.tokens)
            reader.report("validation.tokens",
                          "must be the sum of the shards (" + std::to_string(sums[1]) + ")",
                          manifest.validation.tokens);
    }
    if (!problems.empty()) return tl::unexpected<Diagnostics>(std::move(problems));
    return manifest;
}

}  // namespace braid
