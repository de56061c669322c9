// The config.json of a model folder of transformers (Hugging Face) as an architecture. Families: llama,
// mistral, qwen2, qwen3 and bamba (Mamba-2 beside attention). Keys that a file leaves out have the defaults
// of transformers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/spec/architecture.h"

namespace braid {

struct HfModel {
    std::string model_type = {};  // "llama"
    ArchitectureSpec architecture = {};
    std::vector<std::string> notes = {};  // what was left out, and why that changes no logits
};

// Every setting that Braid cannot follow, by its name in the file: "quantization_config: ...".
Checked<HfModel> architecture_from_hf(const Json& config, const std::string& name);

// How transformers calls a family's class: "LlamaForCausalLM"; "" for a family that Braid does not know.
std::string_view hf_class_name(std::string_view model_type);
// max_position_embeddings of files of a family that leave it out; 0 for a family that Braid does not know.
std::int64_t hf_context(std::string_view model_type);
// "llama, mistral, ..."
std::string hf_families();

}  // namespace braid
