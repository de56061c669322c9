// All parameters of a model in one flat tensor, their gradients in another: one all-reduce, one AdamW and one
// checkpoint write serve all.
//
// Layout: the matrices that Muon updates come first, stacked by role and shape over the layers (every layer's
// fused input projection, then every output projection, gate and up, down). Inside a stack the matrices of
// one layer that are used as one operand (q, k, v; gate, up) follow each other as rows. Then what AdamW
// decays (embedding, head), then what it does not (norms, sinks). Stacks begin at multiples of 64 elements;
// the padding stays 0.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

// Several parameters used as one operand: rows follow each other.
struct Operand {
    std::int64_t offset = 0;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
};

struct LayerParameters {
    Operand input_projection;     // all groups: [q; k; v] of group 0, of group 1, ...
    Operand output_projection;    // [D, sum of output widths]
    Operand gate_up;              // [2F, D]
    Operand down;                 // [D, F]
    std::int64_t mixer_norm = 0;  // offsets of [D]
    std::int64_t ffn_norm = 0;
    std::vector<std::vector<Operand>> vectors;  // by group, as Mixer::vectors(); cols = 1
};

struct ParameterLayout {
    std::vector<Parameter> parameters;  // in storage order
    std::vector<LayerParameters> layers;
    std::int64_t embedding = 0;   // offset of [V, D]
    std::int64_t final_norm = 0;  // offset of [D]
    std::int64_t head = 0;        // offset of [V, D]
    std::int64_t adamw_begin = 0;
    std::int64_t no_decay_begin = 0;
    std::int64_t elements = 0;             // of the flat storage, padding included
    std::int64_t parameter_count() const;  // without padding
};

// `mixers` by layer and group, as the model uses them. Groups of a head-wise layer are named
// "self_attn.groups.1.q_proj"; a layer with one group "self_attn.q_proj".
ParameterLayout make_layout(const ArchitectureSpec& spec,
                            const std::vector<std::vector<std::unique_ptr<Mixer>>>& mixers);

class ParameterStore {
public:
    // Zero-filled on the ops' device.
    ParameterStore(ParameterLayout layout, const Ops& ops);

    const ParameterLayout& layout() const { return layout_; }
    const Parameter* find(std::string_view name) const;

    const at::Tensor& values() const { return values_; }        // master_type()
    const at::Tensor& gradients() const { return gradients_; }  // master_type()
    const at::Tensor& compute() const { return compute_; }      // compute_type(); values() where types agree

    // Views.
    at::Tensor value(const Parameter& parameter) const;
    at::Tensor gradient(const Parameter& parameter) const;
    at::Tensor compute_view(const Operand& operand) const;   // [rows, cols]
    at::Tensor gradient_view(const Operand& operand) const;  // [rows, cols]

    // After values() was written from outside (initialisation, a checkpoint).
    void refresh_compute();
    void zero_gradients();

    // Matrices of each shape.
    const std::vector<MuonGroup>& muon_groups() const { return muon_groups_; }

private:
    ParameterLayout layout_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
    at::Tensor values_, gradients_, compute_;
    std::vector<MuonGroup> muon_groups_;
};

}  // namespace braid
