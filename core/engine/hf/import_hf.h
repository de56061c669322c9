// A model folder of transformers as a weights folder of Braid, which every verb takes as a checkpoint:
//
//   architecture.json      what config.json says
//   model.safetensors      the weights by Braid's names, in the types that they had
//   tokenizer.json, ...    copied where they are there
//   source.json            where all that is from: {"schema_version", "format": "hf", "folder", "model_type",
//                          "files", "dtypes", "parameters", "imported", "config": the whole config.json}
//
// Tensors are copied piece by piece: memory does not grow with the model.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/engine/hf/hf_config.h"

namespace braid {

struct HfImport {
    std::string folder = {};
    std::string out = {};  // must not exist, or be empty
    std::function<void(double fraction, const std::string& text)> progress = {};
    const std::atomic<bool>* stop_requested = nullptr;
};

struct HfImported {
    HfModel model = {};  // with notes on tensors that were left out
    std::int64_t tensors = 0;
    std::int64_t parameters = 0;
    std::uint64_t bytes = 0;
    std::vector<std::string> dtypes = {};      // "BF16"
    std::vector<std::string> tokenizers = {};  // files that were copied
};

// The folder appears when it is complete. Errors: invalid_input (every setting that Braid cannot follow,
// every missing, extra or wrongly shaped tensor), corrupt (truncated files; weights that are not finite, by
// name), already_exists, no_space, interrupted.
Result<HfImported> import_hf(const HfImport& request);

// A config.json; Python's Infinity and NaN, which are no JSON, count as null.
Result<Json> read_hf_json(const std::string& file);

// Removes the folder unless keep() renamed it: what is unfinished does not stay.
class UnfinishedFolder {
public:
    // Makes `out` under another name. Error: already_exists where `out` is there and not empty.
    static Result<UnfinishedFolder> create(const std::string& out);
    UnfinishedFolder(UnfinishedFolder&& other) noexcept;
    UnfinishedFolder& operator=(UnfinishedFolder&&) = delete;
    ~UnfinishedFolder();
    const std::string& path() const { return path_; }
    Result<void> keep();

private:
    UnfinishedFolder(std::string path, std::string out) : path_(std::move(path)), out_(std::move(out)) {}
    std::string path_, out_;
};

// Files of a tokenizer in `from`, copied to `to`; their names.
Result<std::vector<std::string>> copy_tokenizer(const std::string& from, const std::string& to);

}  // namespace braid
