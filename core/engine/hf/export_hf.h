// A checkpoint for other software: as transformers loads it where it has a class that computes the same,
// else, and where that is wanted, a safetensors folder that says itself what is in it.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "core/engine/hf/hf_config.h"

namespace braid {

// The class of transformers that computes what the architecture does.
struct HfClass {
    std::string model_type = {};
    bool zero_biases = false;  // the class has biases on q, k and v that the architecture has not
};
// Or every reason why there is none, one for each family: "llama: layers[0] has an attention sink, ...".
tl::expected<HfClass, std::vector<std::string>> hf_class_of(const ArchitectureSpec& spec);

// config.json for that class. `source`: the config.json that the weights came with, if any; ids of special
// tokens are kept. context: max_position_embeddings; 0: that of the source, else 2048. With dynamic RoPE
// scaling it is always the context that the frequencies were trained for, on which they depend.
Json hf_config(const ArchitectureSpec& spec, const HfClass& target, const std::optional<Json>& source,
               std::int64_t context);

// The config.json that an imported checkpoint came with (its source.json); none for others.
std::optional<Json> hf_source_config(const std::string& checkpoint);

struct HfExport {
    std::string checkpoint = {};  // folder with model.safetensors and architecture.json
    ArchitectureSpec architecture = {};
    std::optional<HfClass> target = {};  // absent: Braid's names, with a description of the tensors
    std::string out = {};                // must not exist, or be empty
    std::string dtype = {};              // F32, BF16, F16; empty: as stored
    std::int64_t context = 0;            // as of hf_config()
    std::string reason = {};             // for the description: why it is no folder of transformers
    std::function<void(double fraction, const std::string& text)> progress = {};
    const std::atomic<bool>* stop_requested = nullptr;
};

struct HfExported {
    std::int64_t tensors = 0;
    std::uint64_t bytes = 0;
    std::vector<std::string> files = {};
};

// The folder appears when it is complete. Errors: invalid_input (tensors that do not fit the architecture),
// corrupt, already_exists, no_space, interrupted.
Result<HfExported> export_model(const HfExport& request);

}  // namespace braid
