#include "core/engine/hf/hf_tensors.h"

#include <array>

#include "core/engine/parameter_layout.h"

namespace braid {
namespace {

struct Rename {
    std::string_view own, theirs;
};

// The names of llama, mistral, qwen2 and qwen3 are Braid's own; bamba's differ behind "model.layers.N.".
constexpr std::array bamba_layer = {Rename{"post_attention_layernorm.", "pre_ff_layernorm."},
                                    Rename{"mlp.", "feed_forward."}};
constexpr std::array bamba_mixer = {Rename{"self_attn.o_proj.", "mamba.out_proj."},
                                    Rename{"self_attn.conv.", "mamba.conv1d."},
                                    Rename{"self_attn.", "mamba."}};

template <std::size_t N>
bool rename(const std::array<Rename, N>& names, std::string& name) {
    for (const Rename& each : names)
        if (name.starts_with(each.own)) {
            name = std::string(each.theirs).append(name.substr(each.own.size()));
            return true;
        }
    return false;
}

void to_bamba(const ArchitectureSpec& spec, HfTensor& tensor) {
    constexpr std::string_view layers = "model.layers.";
    if (tensor.own == "model.norm.weight") tensor.theirs = "model.final_layernorm.weight";
    if (!tensor.own.starts_with(layers)) return;
    const std::size_t dot = tensor.own.find('.', layers.size());
    const auto layer = std::size_t(std::stoll(tensor.own.substr(layers.size(), dot - layers.size())));
    std::string name = tensor.own.substr(dot + 1);
    const bool mamba = spec.layers[layer].groups.front().mixer == "mamba2";
    const bool convolution = mamba && name == "self_attn.conv.weight";
    if (!rename(bamba_layer, name) && mamba) rename(bamba_mixer, name);
    tensor.theirs = tensor.own.substr(0, dot + 1).append(name);
    if (convolution) tensor.their_shape.insert(tensor.their_shape.begin() + 1, 1);  // channels, 1, taps
}

}  // namespace

Result<std::vector<HfTensor>> hf_tensors(const ArchitectureSpec& spec, std::string_view model_type) {
    const Result<LayerMixers> mixers = make_mixers(spec);
    if (!mixers) return fail(mixers.error());
    std::vector<HfTensor> tensors;
    for (const Parameter& parameter : make_layout(spec, *mixers).parameters) {
        HfTensor tensor{.own = parameter.name,
                        .own_shape = parameter.shape,
                        .theirs = parameter.name,
                        .their_shape = parameter.shape};
        if (model_type == "bamba") to_bamba(spec, tensor);
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

}  // namespace braid
