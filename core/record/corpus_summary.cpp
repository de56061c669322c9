#include "core/record/corpus_summary.h"

#include <algorithm>
#include <filesystem>

#include "core/base/json.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr int deepest = 3;

std::int64_t count(const Json& json, const char* part, const char* key) {
    const auto counts = json.find(part);
    if (counts == json.end() || !counts->is_object()) return 0;
    const auto value = counts->find(key);
    return value != counts->end() && value->is_number_integer() ? value->get<std::int64_t>() : 0;
}

std::string text_of(const Json& json, const char* key) {
    const auto value = json.find(key);
    return value != json.end() && value->is_string() ? value->get<std::string>() : std::string();
}

void search(const fs::path& root, const fs::path& folder, int depth, std::vector<CorpusSummary>& found) {
    std::error_code ignored;
    if (fs::exists(folder / "manifest.json", ignored)) {
        if (Result<CorpusSummary> corpus = read_corpus_summary(folder.string())) {
            corpus->folder = fs::relative(folder, root, ignored).string();
            found.push_back(std::move(*corpus));
        }
        return;
    }
    if (depth == deepest) return;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (!entry.is_directory(ignored) || name.starts_with('.') || (depth == 0 && name == "runs")) continue;
        search(root, entry.path(), depth + 1, found);
    }
}

}  // namespace

Result<CorpusSummary> read_corpus_summary(const std::string& folder) {
    const Result<Json> json = read_json(folder + "/manifest.json");
    if (!json) return fail(json.error());
    if (!json->is_object() || !json->contains("shards") || !json->contains("train"))
        return fail(ErrorKind::corrupt, "this is no corpus' manifest", folder + "/manifest.json",
                    "Make a corpus with: braid-engine corpus build");
    CorpusSummary corpus{.folder = folder,
                         .train_tokens = count(*json, "train", "tokens"),
                         .train_documents = count(*json, "train", "documents"),
                         .long_tokens = count(*json, "train", "long_tokens"),
                         .long_documents = count(*json, "train", "long_documents"),
                         .validation_tokens = count(*json, "validation", "tokens")};
    if (const auto bytes = json->find("long_bytes"); bytes != json->end() && bytes->is_number_integer())
        corpus.long_bytes = bytes->get<std::int64_t>();
    const auto tokenizer = json->find("tokenizer");
    if (tokenizer != json->end() && tokenizer->is_object()) {
        corpus.tokenizer_kind = text_of(*tokenizer, "kind");
        const std::string file = text_of(*tokenizer, "file");
        corpus.tokenizer = file.empty() ? corpus.tokenizer_kind : file;
        if (const auto vocab = tokenizer->find("vocab");
            vocab != tokenizer->end() && vocab->is_number_integer())
            corpus.vocab = vocab->get<std::int64_t>();
    } else if (tokenizer != json->end() && tokenizer->is_string()) {
        // Manifests of the first version name the byte tokenizer and its vocabulary.
        corpus.tokenizer = corpus.tokenizer_kind = tokenizer->get<std::string>();
        if (const auto vocab = json->find("vocab"); vocab != json->end() && vocab->is_number_integer())
            corpus.vocab = vocab->get<std::int64_t>();
    }
    return corpus;
}

std::vector<CorpusSummary> find_corpora(const std::string& folder) {
    std::vector<CorpusSummary> found;
    search(folder, folder, 0, found);
    std::sort(found.begin(), found.end(),
              [](const CorpusSummary& a, const CorpusSummary& b) { return a.folder < b.folder; });
    return found;
}

}  // namespace braid
