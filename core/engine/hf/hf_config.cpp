#include "core/engine/hf/hf_config.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/engine/hf/hf_rope.h"
#include "core/mixers/builtin.h"
#include "core/spec/scale.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

// What transformers takes for keys that a file leaves out.
struct Family {
    std::string_view model_type, class_name;
    std::int64_t context = 0;   // max_position_embeddings
    std::int64_t kv_heads = 0;  // 0: as many as query heads
    std::int64_t head_dim = 0;  // 0: hidden_size / num_attention_heads
    double norm_eps = 1e-6;
    double rotary = 1;
    bool bias = false;  // of q, k and v
    bool qk_norm = false;
    enum class Windows { none, all, some } windows = Windows::none;
    bool mamba = false;
};

constexpr std::array families = {
    Family{.model_type = "llama", .class_name = "LlamaForCausalLM", .context = 2048},
    Family{.model_type = "mistral",
           .class_name = "MistralForCausalLM",
           .context = 131'072,
           .kv_heads = 8,
           .windows = Family::Windows::all},
    Family{.model_type = "qwen2",
           .class_name = "Qwen2ForCausalLM",
           .context = 32'768,
           .kv_heads = 32,
           .bias = true,
           .windows = Family::Windows::some},
    Family{.model_type = "qwen3",
           .class_name = "Qwen3ForCausalLM",
           .context = 32'768,
           .kv_heads = 32,
           .head_dim = 128,
           .qk_norm = true,
           .windows = Family::Windows::some},
    Family{.model_type = "bamba",
           .class_name = "BambaForCausalLM",
           .context = 262'144,
           .kv_heads = 8,
           .norm_eps = 1e-5,
           .rotary = 0.5,
           .mamba = true},
};

const Family* find_family(std::string_view model_type) {
    const auto found = std::find_if(families.begin(), families.end(),
                                    [&](const Family& each) { return each.model_type == model_type; });
    return found == families.end() ? nullptr : &*found;
}

// Of training, of generating text, and of how the file was made: no logit depends on them.
const std::set<std::string_view> without_effect = {"architectures",
                                                   "attention_dropout",
                                                   "bos_token_id",
                                                   "eos_token_id",
                                                   "pad_token_id",
                                                   "dtype",
                                                   "torch_dtype",
                                                   "initializer_range",
                                                   "use_cache",
                                                   "transformers_version",
                                                   "_name_or_path",
                                                   "model_type",
                                                   "pretraining_tp",
                                                   "output_attentions",
                                                   "output_hidden_states",
                                                   "return_dict",
                                                   "mamba_chunk_size",
                                                   "z_loss_coefficient",
                                                   "num_logits_to_keep",
                                                   "rope_interleaved",
                                                   "mamba_dt_rank",
                                                   "unk_token_id",
                                                   "max_window_layers",
                                                   "_attn_implementation_autoset",
                                                   "id2label",
                                                   "label2id",
                                                   "problem_type",
                                                   "chat_template",
                                                   "tokenizer_class",
                                                   "generation_config",
                                                   "task_specific_params",
                                                   "auto_map"};

class Reading {
public:
    Reading(const Json& json, const Family& family) : config_(json, "", problems_), family_(family) {}

    Checked<HfModel> run(const std::string& name) {
        HfModel model{.model_type = std::string(family_.model_type)};
        ArchitectureSpec& spec = model.architecture;
        spec.name = name;
        dimensions(spec);
        refuse();
        layers(spec);
        if (problems_.empty())
            for (Diagnostic& each : validate(spec, builtin_mixers())) {
                each.path = theirs(each.path);
                config_.add(each);
            }
        for (const auto& [key, value] : config_.json().items())
            if (!config_.knows(key) && !without_effect.contains(key) && !value.is_null())
                model.notes.emplace_back("config.json: " + key + " is not known here and was left out");
        if (!problems_.empty()) return tl::unexpected(std::move(problems_));
        return model;
    }

private:
    void dimensions(ArchitectureSpec& spec) {
        spec.d_model = config_.require_integer("hidden_size");
        spec.ffn_width = config_.require_integer("intermediate_size");
        spec.vocab = config_.require_integer("vocab_size");
        spec.heads = config_.require_integer("num_attention_heads");
        depth_ = config_.require_integer("num_hidden_layers");
        const bool every = family_.kv_heads == 0 || config_.is_null("num_key_value_heads");
        spec.kv_heads = config_.integer("num_key_value_heads", every ? spec.heads : family_.kv_heads);
        spec.head_dim = config_.integer("head_dim", family_.head_dim);
        if (spec.head_dim == 0 && spec.heads > 0) {
            spec.head_dim = spec.d_model / spec.heads;
            if (spec.d_model % spec.heads != 0)
                config_.report("num_attention_heads", "must divide hidden_size, where there is no head_dim",
                               Json(spec.heads));
        }
        if (depth_ < 1 || depth_ > max_layers)
            config_.report("num_hidden_layers", "must be from 1 to " + std::to_string(max_layers),
                           Json(depth_));
        spec.parameters.set("norm_eps", config_.real("rms_norm_eps", family_.norm_eps));
        spec.parameters.set("tied", config_.flag("tie_word_embeddings", false));
        spec.parameters = normalised(spec.parameters, model_parameters());
    }

    // All that would give other logits than transformers', whatever the family.
    void refuse() {
        const std::string activation = config_.text("hidden_act", "silu");
        config_.refuse_unless(activation == "silu" || activation == "swish", "hidden_act", "must be silu");
        for (const char* key : {"quantization_config", "compression_config"})
            config_.refuse_unless(false, key, "quantised weights are not read; give the original ones");
        for (const char* key : {"attention_bias", "mlp_bias", "mamba_proj_bias"})
            config_.refuse_unless(!config_.flag(key, false), key,
                                  "must be false: output projections and FFN have no bias");
        for (const char* key :
             {"num_local_experts", "num_experts", "n_routed_experts", "moe_intermediate_size"})
            config_.refuse_unless(config_.integer(key, 0) == 0, key, "mixtures of experts are not read");
        for (const char* key : {"is_encoder_decoder", "add_cross_attention"})
            config_.refuse_unless(!config_.flag(key, false), key, "must be false");
        for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping", "query_pre_attn_scalar",
                                "attention_multiplier", "embedding_multiplier", "residual_multiplier",
                                "logits_scaling", "mup_width_scale"})
            config_.refuse_unless(false, key, "scaling of this kind is not followed");
    }

    void layers(ArchitectureSpec& spec) {
        if (depth_ < 1 || depth_ > max_layers) return;
        const std::vector<std::string> types = layer_types();
        const std::int64_t window = window_length(types);
        for (std::size_t l = 0; l < types.size(); ++l) {
            HeadGroup group{.heads = spec.heads, .kv_heads = spec.kv_heads};
            if (types[l] == "mamba")
                mamba(spec, group);
            else
                attention(spec, types[l], window, group);
            const MixerKind* kind = builtin_mixers().find(group.mixer);
            group.parameters = normalised(group.parameters, kind->description().parameters);
            spec.layers.push_back({.id = LayerId(std::int64_t(l) + 1), .groups = {std::move(group)}});
        }
    }

    // "full_attention", "sliding_attention" or "mamba" of each layer.
    std::vector<std::string> layer_types() {
        const auto depth = std::size_t(depth_);
        if (family_.mamba) return mamba_layers();
        const bool some = family_.windows == Family::Windows::some;
        const bool uses =
            some ? config_.flag("use_sliding_window", false) : family_.windows == Family::Windows::all;
        const bool windowed = uses && !config_.is_null("sliding_window");
        const std::int64_t first = some ? config_.integer("max_window_layers", 28) : 0;
        std::vector<std::string> types(depth, "full_attention");
        for (std::size_t l = 0; l < depth; ++l)
            if (windowed && std::int64_t(l) >= first) types[l] = "sliding_attention";
        const Json* given = config_.find("layer_types");
        if (!given) return types;
        if (!given->is_array() || given->size() != depth) {
            config_.report("layer_types",
                           "must be a list with each of the " + std::to_string(depth) + " layers", *given);
            return types;
        }
        if (some && !windowed && std::find(given->begin(), given->end(), "sliding_attention") != given->end())
            config_.report(uses ? "sliding_window" : "use_sliding_window",
                           uses ? "must be given: layer_types has sliding_attention"
                                : "must be true: layer_types has sliding_attention",
                           uses ? Json(nullptr) : Json(false));
        for (std::size_t l = 0; l < depth; ++l) {
            const Json& type = (*given)[l];
            if (type != "full_attention" && type != "sliding_attention") {
                config_.report("layer_types[" + std::to_string(l) + "]",
                               "must be full_attention or sliding_attention", type);
            } else if (some) {
                types[l] = type.get<std::string>();
            } else if (type != types[l]) {
                config_.report("layer_types[" + std::to_string(l) + "]",
                               "must be " + types[l] + ": transformers gives all layers of a " +
                                   std::string(family_.model_type) + " model the same",
                               type);
            }
        }
        return types;
    }

    std::vector<std::string> mamba_layers() {
        std::vector<std::string> types(std::size_t(depth_), "mamba");
        const Json* attention = config_.find("attn_layer_indices");
        // Later versions also say it by layer.
        for (const char* key : {"layers_block_type", "layer_types"}) {
            const Json* given = config_.find(key);
            if (attention || !given) continue;
            if (!given->is_array() || given->size() != types.size()) {
                config_.report(key, "must be a list with each of the " + std::to_string(depth_) + " layers",
                               *given);
                return types;
            }
            for (std::size_t l = 0; l < types.size(); ++l)
                if ((*given)[l] == "attention" || (*given)[l] == "full_attention")
                    types[l] = "full_attention";
                else if ((*given)[l] != "mamba")
                    config_.report(key, "must name mamba or attention layers", (*given)[l]);
            return types;
        }
        if (!attention) return types;
        if (!attention->is_array()) {
            config_.report("attn_layer_indices", "must be a list of layers", *attention);
            return types;
        }
        for (const Json& index : *attention)
            if (index.is_number_integer() && index >= 0 && index < depth_)
                types[index.get<std::size_t>()] = "full_attention";
            else
                config_.report("attn_layer_indices", "must name layers from 0 on", index);
        return types;
    }

    std::int64_t window_length(const std::vector<std::string>& types) {
        const std::int64_t window = config_.integer("sliding_window", 4096);
        const bool used = std::find(types.begin(), types.end(), "sliding_attention") != types.end();
        if (used && window < 1) config_.report("sliding_window", "must be at least 1", Json(window));
        return std::max<std::int64_t>(window, 1);
    }

    void attention(const ArchitectureSpec& spec, const std::string& type, std::int64_t window,
                   HeadGroup& group) {
        group.mixer = type == "sliding_attention" ? "swa" : "full";
        group.parameters = rope_from_hf(config_, {.share = family_.rotary, .context = family_.context});
        const double share =
            group.parameters.real("rotary", builtin_mixers().find(group.mixer)->description().parameters);
        // transformers turns one more channel of an odd number, by other angles. Shares beyond 1 break a rule
        // of the mixer's own.
        const auto turned = std::int64_t(double(spec.head_dim) * std::clamp(share, 0.0, 1.0));
        if (!family_.mamba && share != 1)
            config_.report("partial_rotary_factor",
                           "must be 1 in a " + std::string(family_.model_type) + " model", Json(share));
        else if (family_.mamba && spec.head_dim > 0 && (turned < 2 || turned % 2 != 0))
            config_.report("partial_rotary_factor",
                           "times head_dim must be an even number of channels, not " + std::to_string(turned),
                           Json(share));
        if (group.mixer == "swa") group.parameters.set("window", window);
        group.parameters.set("bias", family_.bias);
        group.parameters.set("qk_norm", family_.qk_norm);
        group.parameters.set("sink", false);
    }

    void mamba(const ArchitectureSpec& spec, HeadGroup& group) {
        group.mixer = "mamba2";
        const std::int64_t heads = config_.integer("mamba_n_heads", 128);
        const double expand = config_.real("mamba_expand", 2);
        const auto inner = std::int64_t(expand * double(spec.d_model));
        std::int64_t width = heads > 0 ? inner / heads : 0;
        if (const Json* given = config_.find("mamba_d_head"); given && *given != "auto")
            width = config_.integer("mamba_d_head", width);
        if (heads < 1 || width * heads != inner)
            config_.report(
                "mamba_n_heads",
                "times mamba_d_head must be mamba_expand times hidden_size, " + std::to_string(inner),
                Json(heads));
        config_.refuse_unless(config_.integer("mamba_d_conv", 4) == 4, "mamba_d_conv", "must be 4");
        config_.refuse_unless(
            config_.integer("mamba_n_groups", 1) == 1, "mamba_n_groups",
            "must be 1: versions of transformers norm the output of several groups differently");
        if (const Json* limit = config_.find("time_step_limit"))
            config_.refuse_unless(limit->is_array() && limit->size() == 2 && (*limit)[0] == 0.0 &&
                                      !((*limit)[1].is_number() && std::isfinite((*limit)[1].get<double>())),
                                  "time_step_limit", "must be without limits");
        group.parameters.set("state", config_.integer("mamba_d_state", 256));
        group.parameters.set("ssm_heads", heads);
        group.parameters.set("ssm_groups", std::int64_t{1});
        group.parameters.set("ssm_head_dim", width);
        group.parameters.set("conv", true);
        group.parameters.set("conv_bias", config_.flag("mamba_conv_bias", true));
    }

    // A place of the architecture as the file calls it; others stay: they name what no single key says.
    static std::string theirs(const std::string& path) {
        static const std::array names = {
            std::pair{"d_model", "hidden_size"},
            std::pair{"ffn_width", "intermediate_size"},
            std::pair{"vocab", "vocab_size"},
            std::pair{"heads", "num_attention_heads"},
            std::pair{"kv_heads", "num_key_value_heads"},
            std::pair{"norm_eps", "rms_norm_eps"},
            std::pair{"window", "sliding_window"},
            std::pair{"state", "mamba_d_state"},
            std::pair{"ssm_heads", "mamba_n_heads"},
            std::pair{"ssm_groups", "mamba_n_groups"},
            std::pair{"ssm_head_dim", "mamba_d_head"},
            std::pair{"rope_base", "rope_theta"},
            std::pair{"rope_factor", "rope_scaling.factor"},
            std::pair{"rotary", "partial_rotary_factor"},
            std::pair{"rope_context", "rope_scaling.original_max_position_embeddings"},
            std::pair{"rope_low", "rope_scaling.low_freq_factor or beta_slow"},
            std::pair{"rope_high", "rope_scaling.high_freq_factor or beta_fast"},
            std::pair{"rope_attention", "rope_scaling.attention_factor"}};
        const std::string key = path.substr(path.rfind('.') + 1);
        for (const auto& [own, other] : names)
            if (key == own) return other;
        return path;
    }

    Diagnostics problems_;
    HfReader config_;
    const Family& family_;
    std::int64_t depth_ = 0;
};

}  // namespace

std::string_view hf_class_name(std::string_view model_type) {
    const Family* family = find_family(model_type);
    return family ? family->class_name : std::string_view();
}

std::int64_t hf_context(std::string_view model_type) {
    const Family* family = find_family(model_type);
    return family ? family->context : 0;
}

std::string hf_families() {
    std::string text;
    for (const Family& each : families) text.append(text.empty() ? "" : ", ").append(each.model_type);
    return text;
}

Checked<HfModel> architecture_from_hf(const Json& config, const std::string& name) {
    const auto refuse = [](std::string rule, std::string found) {
        return tl::unexpected(
            Diagnostics{{.path = "model_type", .rule = std::move(rule), .found = std::move(found)}});
    };
    if (!config.is_object())
        return tl::unexpected(
            Diagnostics{{.path = "", .rule = "must be an object", .found = found_in(config)}});
    const auto type = config.find("model_type");
    if (type == config.end() || !type->is_string()) return refuse("must be one of " + hf_families(), "");
    const Family* family = find_family(type->get<std::string>());
    if (!family) return refuse("must be one of " + hf_families(), found_in(*type));
    return Reading(config, *family).run(name);
}

}  // namespace braid
