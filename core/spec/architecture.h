// A hybrid language model as a value: no tensors, no files, no presentation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/id.h"
#include "core/spec/parameter.h"

namespace braid {

// Some heads of a layer with one mixer. A layer with one group is layer-wise, with several head-wise: their
// outputs are concatenated, in this order, before the output projection.
struct HeadGroup {
    std::string mixer;                // MixerKind id: "full", "swa"
    std::int64_t heads = 0;           // query heads of this group
    std::int64_t kv_heads = 0;        // key/value heads of this group; divides heads
    ParameterValues parameters = {};  // of the mixer; absent ones have their defaults
    bool operator==(const HeadGroup&) const = default;
};

struct LayerSpec {
    LayerId id = {};  // stable through edits; not part of the content hash
    std::vector<HeadGroup> groups = {};
    bool operator==(const LayerSpec&) const = default;
};

// Pre-norm residual blocks: x += mixer(rmsnorm(x)); x += swiglu(rmsnorm(x)). RMSNorm eps 1e-6, no biases,
// embedding and head untied.
struct ArchitectureSpec {
    std::string name = {};
    std::int64_t d_model = 0;    // D
    std::int64_t heads = 0;      // H of a layer; the groups of a layer add up to it
    std::int64_t kv_heads = 0;   // G of a layer; likewise
    std::int64_t head_dim = 0;   // K = V
    std::int64_t ffn_width = 0;  // F
    std::int64_t vocab = 0;
    std::vector<LayerSpec> layers = {};
    bool operator==(const ArchitectureSpec&) const = default;
};

// Schema version of the JSON form; older ones still open.
inline constexpr int architecture_schema_version = 1;

Json to_json(const ArchitectureSpec& spec);
// Syntax, types and unknown keys only; rules are checked by validate() in core/spec/validate.h.
Checked<ArchitectureSpec> architecture_from_json(const Json& json);

// Equal for architectures that train the same: name and layer ids are left out.
std::string content_hash(const ArchitectureSpec& spec);

}  // namespace braid
