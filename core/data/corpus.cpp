#include "core/data/corpus.h"

#include <algorithm>
#include <array>

#include "core/base/json.h"
#include "core/data/mapped_file.h"
#include "core/data/shard_hash.h"

namespace braid {
namespace {

constexpr std::string_view how_to_mend = "Build the corpus again (corpus build)";

tl::unexpected<Error> damaged(const std::string& file, std::string what) {
    return fail(ErrorKind::corrupt, std::move(what), file, std::string(how_to_mend));
}

}  // namespace

struct Corpus::Mapped {
    std::string folder;
    CorpusManifest manifest;
    std::vector<MappedFile> shards;  // as in the manifest
    std::vector<MappedFile> index;   // one: documents.bin
    struct Part {
        std::int64_t begin = 0;  // of its tokens in the split
        std::int64_t tokens = 0;
        std::size_t shard = 0;  // index into `shards`
    };
    std::array<std::vector<Part>, 2> parts;  // by split
    std::array<std::vector<DocumentEntry>, 2> documents;
};

Result<Corpus> Corpus::open(const std::string& folder) {
    const std::string manifest_file = folder + "/manifest.json";
    Result<Json> json = read_json(manifest_file);
    if (!json) {
        if (json.error().kind == ErrorKind::not_found)
            return fail(ErrorKind::not_found, "is no corpus, or one whose build has not finished", folder,
                        "Build it, or run the same build again to go on");
        return fail(std::move(json.error()));
    }
    Checked<CorpusManifest> manifest = corpus_manifest_from_json(*json);
    if (!manifest) return fail(to_error(manifest.error(), manifest_file));
    auto mapped = std::make_shared<Mapped>();
    mapped->folder = folder;
    mapped->manifest = std::move(*manifest);
    for (const ShardInfo& shard : mapped->manifest.shards) {
        const std::string file = folder + "/" + shard.file;
        Result<MappedFile> map = MappedFile::open(file);
        if (!map) return fail(std::move(map.error()));
        const auto expected = static_cast<std::size_t>(shard.tokens) * mapped->manifest.token_bytes();
        if (map->size() != expected)
            return damaged(file, "has " + std::to_string(map->size()) + " bytes, the manifest says " +
                                     std::to_string(expected));
        std::vector<Mapped::Part>& parts = mapped->parts[static_cast<std::size_t>(shard.split)];
        const std::int64_t begin = parts.empty() ? 0 : parts.back().begin + parts.back().tokens;
        parts.push_back({begin, shard.tokens, mapped->shards.size()});
        mapped->shards.push_back(std::move(*map));
    }
    const std::string index_file = folder + "/documents.bin";
    Result<MappedFile> index = MappedFile::open(index_file);
    if (!index) return fail(std::move(index.error()));
    const auto documents =
        static_cast<std::size_t>(mapped->manifest.train.documents + mapped->manifest.validation.documents);
    if (index->size() != documents * sizeof(DocumentEntry))
        return damaged(index_file, "has " + std::to_string(index->size()) + " bytes, the manifest says " +
                                       std::to_string(documents * sizeof(DocumentEntry)));
    for (DocumentEntry entry : index->as<DocumentEntry>()) {
        const std::size_t split = entry.split;
        if (split > 1) return damaged(index_file, "names a split that does not exist");
        const auto total = static_cast<std::uint64_t>(split == 0 ? mapped->manifest.train.tokens
                                                                 : mapped->manifest.validation.tokens);
        if (entry.offset > total || entry.tokens > total - entry.offset)
            return damaged(index_file, "names tokens beyond the end of the shards");
        if (mapped->manifest.schema == 1)
            entry.in_long_pool =
                entry.tokens > static_cast<std::uint64_t>(mapped->manifest.options.long_bytes) ? 1 : 0;
        mapped->documents[split].push_back(entry);
    }
    return Corpus(std::move(mapped));
}

Result<void> Corpus::verify(const std::function<void(double)>& progress) const {
    std::int64_t done = 0;
    const std::int64_t total =
        std::max<std::int64_t>(1, manifest().train.tokens + manifest().validation.tokens);
    for (std::size_t i = 0; i < mapped_->shards.size(); ++i) {
        const ShardInfo& shard = manifest().shards[i];
        const std::string hash = shard_hash(mapped_->shards[i].as<std::byte>());
        if (hash != shard.hash)
            return damaged(mapped_->folder + "/" + shard.file,
                           "its hash is " + hash + ", the manifest says " + shard.hash);
        done += shard.tokens;
        if (progress) progress(static_cast<double>(done) / static_cast<double>(total));
    }
    return {};
}

const std::string& Corpus::folder() const { return mapped_->folder; }
const CorpusManifest& Corpus::manifest() const { return mapped_->manifest; }

std::span<const DocumentEntry> Corpus::documents(Split split) const {
    return mapped_->documents[static_cast<std::size_t>(split)];
}

std::int64_t Corpus::tokens(Split split) const {
    return split == Split::train ? manifest().train.tokens : manifest().validation.tokens;
}

void Corpus::read(Split split, std::int64_t offset, std::span<std::int32_t> out) const {
    const std::vector<Mapped::Part>& parts = mapped_->parts[static_cast<std::size_t>(split)];
    auto part = std::upper_bound(parts.begin(), parts.end(), offset,
                                 [](std::int64_t at, const Mapped::Part& one) { return at < one.begin; });
    for (--part; !out.empty(); ++part) {
        const auto inside = static_cast<std::size_t>(offset - part->begin);
        const std::size_t count = std::min(static_cast<std::size_t>(part->tokens) - inside, out.size());
        const MappedFile& shard = mapped_->shards[part->shard];
        const auto copy = [&](auto tokens) { std::copy_n(tokens.data() + inside, count, out.begin()); };
        if (manifest().token_bytes() == 2)
            copy(shard.as<std::uint16_t>());
        else
            copy(shard.as<std::uint32_t>());
        out = out.subspan(count);
        offset += static_cast<std::int64_t>(count);
    }
}

Result<std::shared_ptr<const Tokenizer>> Corpus::tokenizer() const {
    const TokenizerInfo& info = manifest().tokenizer;
    if (info.kind == "byte") return byte_tokenizer();
    if (info.file.empty())
        return fail(ErrorKind::unavailable, "was built from token files without their tokenizer", folder(),
                    "Build it again with --tokenizer FILE");
    const std::string file = folder() + "/" + info.file;
    Result<std::shared_ptr<const Tokenizer>> tokenizer = open_tokenizer(file, info.options);
    if (tokenizer && (*tokenizer)->info().hash != info.hash)
        return damaged(file, "is not the tokenizer that the corpus was built with");
    return tokenizer;
}

}  // namespace braid
