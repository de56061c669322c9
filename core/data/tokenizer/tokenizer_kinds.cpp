#include <algorithm>
#include <array>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/data/tokenizer/byte_tokenizer.h"
#include "core/data/tokenizer/huggingface_tokenizer.h"
#include "core/data/tokenizer/ids_tokenizer.h"
#include "core/data/tokenizer/sentencepiece_model.h"
#include "core/data/tokenizer/sentencepiece_tokenizer.h"
#include "core/data/tokenizer/tiktoken_tokenizer.h"
#include "core/data/tokenizer/tokenizer.h"

namespace braid {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t max_file_bytes = std::size_t{64} << 20U;
constexpr std::size_t head_bytes = 8'192;

// Every kind of tokenizer file; the order is that in which a file is looked at.
const std::array<TokenizerKind, 3> all = {{
    {.id = "huggingface",
     .title = "Hugging Face tokenizer.json (BPE)",
     .files = "tokenizer.json",
     .recognises = is_tokenizer_json,
     .read = read_tokenizer_json},
    {.id = "sentencepiece",
     .title = "SentencePiece model (unigram, BPE)",
     .files = "tokenizer.model, *.model",
     .recognises = is_sentencepiece_model,
     .read = read_sentencepiece},
    {.id = "tiktoken",
     .title = "tiktoken ranks",
     .files = "*.tiktoken",
     .recognises = is_tiktoken_ranks,
     .read = read_tiktoken_ranks},
}};

Result<std::string> file_in(const std::string& folder) {
    std::vector<std::string> found;
    std::error_code error;
    for (const char* name : {"tokenizer.json", "tokenizer.model"})
        if (fs::is_regular_file(folder + "/" + name, error)) return folder + "/" + name;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".tiktoken" || entry.path().extension() == ".model")
            found.push_back(entry.path().string());
    if (found.size() == 1) return found[0];
    return fail(ErrorKind::not_found,
                found.empty() ? "holds no tokenizer (tokenizer.json, tokenizer.model, *.model, *.tiktoken)"
                              : "holds several tokenizers",
                folder, found.empty() ? "" : "Name one of the files");
}

// "bos_token": "<s>" or {"content": "<s>"} of a tokenizer_config.json.
void look_beside(const std::string& file, TokenizerOptions& options) {
    const fs::path config = fs::path(file).parent_path() / "tokenizer_config.json";
    std::error_code error;
    if (!fs::is_regular_file(config, error)) return;
    const Result<Json> json = read_json(config.string());
    if (!json || !json->is_object()) return;  // only an addition: the tokenizer stands without it
    const auto token = [&](const char* key, std::string& name) {
        if (!name.empty() || !json->contains(key)) return;
        const Json& value = (*json)[key];
        if (value.is_string())
            name = value.get<std::string>();
        else if (value.is_object() && value.contains("content") && value["content"].is_string())
            name = value["content"].get<std::string>();
    };
    token("bos_token", options.bos);
    token("eos_token", options.eos);
}

}  // namespace

std::span<const TokenizerKind> tokenizer_kinds() { return all; }

Result<std::shared_ptr<const Tokenizer>> read_tokenizer(std::string_view bytes, const std::string& file,
                                                        const TokenizerOptions& options) {
    const auto kind = std::find_if(all.begin(), all.end(), [&](const TokenizerKind& one) {
        return one.recognises(bytes.substr(0, head_bytes));
    });
    if (kind == all.end()) {
        std::string known;
        for (const TokenizerKind& one : all) known += (known.empty() ? "" : ", ") + one.title;
        return fail(ErrorKind::corrupt, "is no tokenizer that Braid knows: " + known, file);
    }
    if (!options.pattern.empty() && kind->id != "tiktoken")
        return fail(to_error({{.path = "--pattern",
                               .rule = "has an effect on tiktoken ranks only; this is a " + kind->title,
                               .found = options.pattern}},
                             file));
    TokenizerInfo info{.kind = kind->id,
                       .file = fs::path(file).filename().string(),
                       .options = options,
                       .hash = content_hash(bytes)};
    Result<std::shared_ptr<const Tokenizer>> made = kind->read(bytes, std::move(info));
    if (!made && made.error().path == fs::path(file).filename().string()) made.error().path = file;
    return made;
}

Result<std::string> tokenizer_file(const std::string& name) {
    std::error_code error;
    if (name == "byte" || name.starts_with(ids_prefix)) return std::string();
    return fs::is_directory(name, error) ? file_in(name) : Result<std::string>(name);
}

Result<std::shared_ptr<const Tokenizer>> open_tokenizer(const std::string& name,
                                                        const TokenizerOptions& options) {
    if (name == "byte") {
        if (options != TokenizerOptions{})
            return fail(to_error({{.path = "--tokenizer", .rule = "byte has no options", .found = {}}}));
        return byte_tokenizer();
    }
    if (name.starts_with(ids_prefix)) return ids_tokenizer(name);
    Result<std::string> file = tokenizer_file(name);
    if (!file) return fail(std::move(file.error()));
    Result<std::string> bytes = read_file(*file, max_file_bytes);
    if (!bytes) return fail(std::move(bytes.error()));
    TokenizerOptions complete = options;
    look_beside(*file, complete);
    return read_tokenizer(*bytes, *file, complete);
}

}  // namespace braid
