// A hybrid language model as a value: no tensors, no files, no presentation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/id.h"
#include "core/spec/parameter.h"

namespace braid {

class MixerCatalog;

// Some heads of a layer with one mixer. A layer with one group is layer-wise, with several head-wise: their
// outputs are concatenated, in this order, before the output projection.
struct HeadGroup {
    std::string mixer = {};           // MixerKind id: "full", "swa"
    std::int64_t heads = 0;           // query heads of this group
    std::int64_t kv_heads = 0;        // key/value heads of this group; divides heads
    ParameterValues parameters = {};  // of the mixer; absent ones have their defaults
    bool operator==(const HeadGroup&) const = default;
};

struct LayerSpec {
    LayerId id = {};  // from 1; stable through edits; not part of the content hash
    std::vector<HeadGroup> groups = {};
    bool operator==(const LayerSpec&) const = default;
};

// Pre-norm residual blocks: x += mixer(rmsnorm(x)); x += swiglu(rmsnorm(x)). No biases but those that a mixer
// has itself. Embedding and head are untied unless `parameters` say otherwise.
struct ArchitectureSpec {
    std::string name = {};
    std::int64_t d_model = 0;    // D
    std::int64_t heads = 0;      // H of a layer; the groups of a layer add up to it
    std::int64_t kv_heads = 0;   // G of a layer; likewise
    std::int64_t head_dim = 0;   // K = V
    std::int64_t ffn_width = 0;  // F
    std::int64_t vocab = 0;
    ParameterValues parameters = {};  // model_parameters(); absent ones have their defaults
    std::vector<LayerSpec> layers = {};
    bool operator==(const ArchitectureSpec&) const = default;
};

// The six dimensions, described once, in the order of forms, JSON and the diff.
const std::vector<ParameterDescription>& dimension_parameters();
std::int64_t dimension(const ArchitectureSpec& spec, std::string_view key);  // key must be described
void set_dimension(ArchitectureSpec& spec, std::string_view key, std::int64_t value);  // that field alone

// What a model has besides dimensions, described once: "tied" (the head is the embedding) and "norm_eps". In
// JSON beside the dimensions, where they differ from their defaults.
const std::vector<ParameterDescription>& model_parameters();
// What a spec that is not valid (yet) has wrong counts as the default.
bool is_tied(const ArchitectureSpec& spec);
double norm_eps(const ArchitectureSpec& spec);  // of every RMSNorm

// "layers[3]" and "layers[3].groups[0]", or "layers[3]" for the only group of a layer: the places that every
// diagnostic, --set and the diff name. Layers count from 0.
std::string layer_path(std::size_t layer);
std::string group_path(const ArchitectureSpec& spec, std::size_t layer, std::size_t group);

// The spec with parameters that equal their default, or have no effect, left out: two normalised specs that
// are equal train the same. Unknown mixers are left as they are.
ArchitectureSpec normalised(ArchitectureSpec spec, const MixerCatalog& catalog);

// Schema version of the JSON form; older ones still open.
inline constexpr int architecture_schema_version = 1;

// {"schema_version": 1, "name", "d_model", ..., "layers": [{"id": 1, "mixer": "swa", "window": 16},
//  {"id": 2, "groups": [{"mixer": "full", "heads": 2, "kv_heads": 1}, ...]}]}
// The only group of a layer lies flat in it, and its heads are written where they differ from the model's.
Json to_json(const ArchitectureSpec& spec);
// Syntax, types and unknown keys only; rules are checked by validate() in core/spec/validate.h. Layers
// without an id get fresh ones.
Checked<ArchitectureSpec> architecture_from_json(const Json& json);

// Equal for architectures that train the same: of the normalised spec, name and layer ids left out. 32
// hexadecimal digits.
std::string content_hash(const ArchitectureSpec& spec, const MixerCatalog& catalog);

}  // namespace braid
