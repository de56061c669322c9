// Where each parameter of a model lies in one flat tensor: shapes, names and offsets, no storage.
//
// The matrices that Muon updates come first, stacked by role and shape over the layers (every layer's fused
// input projection, then every output projection, gate and up, down, what mixers have besides). Inside a
// stack the matrices of one layer that are used as one operand (q, k, v; gate, up) follow each other as rows.
// Then what AdamW decays (embedding, head), then what it does not (norms, sinks). Operands begin at multiples
// of 64 elements; the padding stays 0.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/mixers/torch/mixer.h"
#include "core/spec/architecture.h"

namespace braid {

enum class UpdateRule { muon, adamw, adamw_without_decay };

struct Parameter {
    std::string
        name;  // "model.layers.3.self_attn.q_proj.weight", "model.embed_tokens.weight", "lm_head.weight"
    std::vector<std::int64_t> shape;
    std::int64_t offset = 0;  // in the flat storage
    std::int64_t size = 0;
    UpdateRule update = UpdateRule::muon;
    Init init = Init::fan_in;
};

// One or several parameters used as one operand: rows follow each other.
struct Operand {
    std::int64_t offset = 0;
    std::int64_t rows = 0;
    std::int64_t cols = 0;  // 0: a vector of `rows` elements
};

struct LayerParameters {
    Operand mixer_norm;         // [D]
    Operand input_projection;   // all groups: [q; k; v] of group 0, of group 1, ...
    Operand output_projection;  // [D, sum of output widths]
    struct Group {
        std::vector<Operand> vectors, matrices;  // as Mixer::vectors() and Mixer::matrices()
    };
    std::vector<Group> groups;
    Operand ffn_norm;  // [D]
    Operand gate_up;   // [2F, D]
    Operand down;      // [D, F]
};

struct ParameterLayout {
    std::vector<Parameter> parameters;  // in storage order
    std::vector<LayerParameters> layers;
    Operand embedding;   // [V, D]
    Operand head;        // [V, D]; the embedding where it is tied
    Operand final_norm;  // [D]
    std::int64_t adamw_begin = 0;
    std::int64_t no_decay_begin = 0;
    std::int64_t elements = 0;  // of the flat storage, padding included

    std::int64_t parameter_count() const;  // without padding
};

using LayerMixers = std::vector<std::vector<std::unique_ptr<Mixer>>>;  // by layer and group

// The modules of a valid spec. Error: unavailable (a mixer that has none).
Result<LayerMixers> make_mixers(const ArchitectureSpec& spec);

// Groups of a head-wise layer are named "self_attn.groups.1.q_proj"; those of a layer with one
// "self_attn.q_proj".
ParameterLayout make_layout(const ArchitectureSpec& spec, const LayerMixers& mixers);

}  // namespace braid
