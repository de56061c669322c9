// Which class of transformers computes what an architecture does, decided from the architecture alone.
#include <algorithm>

#include "core/engine/hf/export_hf.h"
#include "core/engine/hf/hf_rope.h"
#include "core/mixers/builtin.h"
#include "core/mixers/mamba2/mamba2_shape.h"
#include "core/mixers/softmax/rope_rule.h"

namespace braid {
namespace {

const std::vector<ParameterDescription>& described(const HeadGroup& group) {
    return builtin_mixers().find(group.mixer)->description().parameters;
}

bool is_softmax(const HeadGroup& group) { return builtin_mixers().find(group.mixer)->description().softmax; }

// What all classes share: softmax or Mamba-2 layers of one kind each, without sinks, with RoPE.
class Survey {
public:
    explicit Survey(const ArchitectureSpec& spec) : spec_(spec) {
        for (std::size_t l = 0; l < spec.layers.size(); ++l) look(l);
    }

    const std::vector<std::string>& faults() const { return faults_; }
    const HeadGroup* attention() const { return attention_; }  // one of them, window aside
    const HeadGroup* mamba() const { return mamba_; }
    std::int64_t full() const { return full_; }
    std::int64_t windowed() const { return windowed_; }

private:
    void fault(std::size_t layer, const std::string& what) {
        for (std::string& known : faults_)
            if (known.ends_with(what)) return;  // of an earlier layer
        faults_.push_back(layer_path(layer) + " " + what);
    }

    void look(std::size_t l) {
        const std::vector<HeadGroup>& groups = spec_.layers[l].groups;
        if (groups.size() > 1) return fault(l, "mixes heads of several kinds");
        const HeadGroup& group = groups.front();
        if (group.mixer == "mamba2") {
            if (mamba_ && normal(*mamba_) != normal(group))
                fault(l, "is another Mamba-2 than an earlier layer");
            mamba_ = &group;
            return;
        }
        if (!is_softmax(group))
            return fault(l, "is " + builtin_mixers().find(group.mixer)->description().title);
        const auto& parameters = described(group);
        if (group.parameters.flag("sink", parameters)) fault(l, "has an attention sink");
        if (group.parameters.text("position", parameters) != "rope") fault(l, "has no RoPE");
        (group.mixer == "swa" ? windowed_ : full_) += 1;
        if (attention_ && normal(*attention_) != normal(group))
            fault(l, "has other RoPE, bias or norm settings than an earlier layer");
        if (group.mixer == "swa") {
            const std::int64_t window = group.parameters.integer("window", parameters);
            if (window_ > 0 && window_ != window) fault(l, "has another window than an earlier layer");
            window_ = window;
        }
        attention_ = &group;
    }

    static ParameterValues normal(const HeadGroup& group) {
        ParameterValues values = normalised(group.parameters, described(group));
        values.reset("window");
        return values;
    }

    const ArchitectureSpec& spec_;
    std::vector<std::string> faults_;
    const HeadGroup* attention_ = nullptr;
    const HeadGroup* mamba_ = nullptr;
    std::int64_t full_ = 0, windowed_ = 0, window_ = 0;
};

// Why the hybrid class cannot hold it.
std::vector<std::string> bamba_faults(const ArchitectureSpec& spec, const Survey& survey) {
    std::vector<std::string> faults;
    const HeadGroup& group = *survey.mamba();
    const Mamba2Shape s = mamba2_shape(group, mixer_context(spec, 0), described(group));
    if (!s.convolution) faults.emplace_back("its Mamba-2 layers have no short convolution");
    if (s.groups != 1)
        faults.emplace_back("its Mamba-2 layers have several groups, whose norm differs between versions");
    if (s.inner() % spec.d_model != 0)
        faults.emplace_back("its Mamba-2 layers are no whole multiple of the model's width");
    if (survey.windowed() > 0) faults.emplace_back("it has windows");
    if (!survey.attention())
        faults.emplace_back("it has no attention layer");  // generate() looks for the first
    if (const HeadGroup* attention = survey.attention()) {
        if (attention->parameters.flag("bias", described(*attention)))
            faults.emplace_back("its queries have a bias");
        if (attention->parameters.flag("qk_norm", described(*attention)))
            faults.emplace_back("its queries have a norm");
    }
    return faults;
}

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& each : texts) all.append(all.empty() ? "" : "; ").append(each);
    return all;
}

// max_position_embeddings of the file that the weights came with.
std::int64_t usual_context(const std::optional<Json>& source) {
    constexpr std::int64_t usual = 2048;
    if (!source) return usual;
    const auto given = source->find("max_position_embeddings");
    if (given != source->end() && given->is_number_integer() && *given > 0) return given->get<std::int64_t>();
    const auto type = source->find("model_type");
    const std::int64_t family =
        type != source->end() && type->is_string() ? hf_context(type->get<std::string>()) : 0;
    return family > 0 ? family : usual;
}

}  // namespace

tl::expected<HfClass, std::vector<std::string>> hf_class_of(const ArchitectureSpec& spec) {
    const Survey survey(spec);
    if (!survey.faults().empty())
        return tl::unexpected(std::vector<std::string>{"no class: " + joined(survey.faults())});
    if (survey.mamba()) {
        const std::vector<std::string> faults = bamba_faults(spec, survey);
        if (!faults.empty()) return tl::unexpected(std::vector<std::string>{"bamba: " + joined(faults)});
        return HfClass{.model_type = "bamba"};
    }
    const HeadGroup& group = *survey.attention();
    const auto has = [&](const char* key) { return group.parameters.flag(key, described(group)); };
    std::vector<std::string> faults;
    if (rotary_dim(spec.head_dim, group.parameters.real("rotary", described(group))) != spec.head_dim)
        faults.emplace_back("llama, mistral, qwen2, qwen3: RoPE turns only a part of each head");
    if (has("bias") && has("qk_norm"))
        faults.emplace_back("qwen2, qwen3: queries have both a bias and a norm");
    if (!faults.empty()) return tl::unexpected(std::move(faults));
    if (has("qk_norm")) return HfClass{.model_type = "qwen3"};
    if (has("bias")) return HfClass{.model_type = "qwen2"};
    if (survey.windowed() == 0) return HfClass{.model_type = "llama"};
    if (survey.full() == 0) return HfClass{.model_type = "mistral"};
    return HfClass{.model_type = "qwen2", .zero_biases = true};  // the class for windows on some layers
}

Json hf_config(const ArchitectureSpec& spec, const HfClass& target, const std::optional<Json>& source,
               std::int64_t context) {
    Json config = {{"model_type", target.model_type},
                   {"architectures", {hf_class_name(target.model_type)}},
                   {"hidden_size", spec.d_model},
                   {"intermediate_size", spec.ffn_width},
                   {"vocab_size", spec.vocab},
                   {"num_hidden_layers", spec.layers.size()},
                   {"num_attention_heads", spec.heads},
                   {"num_key_value_heads", spec.kv_heads},
                   {"head_dim", spec.head_dim},
                   {"hidden_act", "silu"},
                   {"rms_norm_eps", norm_eps(spec)},
                   {"tie_word_embeddings", is_tied(spec)},
                   {"attention_bias", false},
                   {"mlp_bias", false},
                   {"max_position_embeddings", context > 0 ? context : usual_context(source)},
                   {"bos_token_id", nullptr},
                   {"eos_token_id", nullptr},
                   {"pad_token_id", nullptr}};
    if (source)
        for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"})
            if (source->contains(key)) config[key] = (*source)[key];
    Json types = Json::array(), attention_layers = Json::array();
    std::int64_t window = 0;
    for (std::size_t l = 0; l < spec.layers.size(); ++l) {
        const HeadGroup& group = spec.layers[l].groups.front();
        if (group.mixer == "mamba2") continue;
        rope_to_hf(group.parameters, described(group), spec.head_dim, target.model_type == "bamba", config);
        attention_layers.push_back(l);
        types.push_back(group.mixer == "swa" ? "sliding_attention" : "full_attention");
        if (group.mixer == "swa") window = group.parameters.integer("window", described(group));
    }
    if (target.model_type == "mistral") config["sliding_window"] = window;
    if (target.model_type == "qwen2" || target.model_type == "qwen3") {
        config["layer_types"] = types;
        config["use_sliding_window"] = window > 0;
        config["sliding_window"] = window > 0 ? Json(window) : Json(nullptr);
    }
    if (target.model_type != "bamba") return config;
    const Survey survey(spec);
    const Mamba2Shape s = mamba2_shape(*survey.mamba(), mixer_context(spec, 0), described(*survey.mamba()));
    config["attn_layer_indices"] = attention_layers;
    config["mamba_n_heads"] = s.heads;
    config["mamba_d_head"] = s.width;
    config["mamba_n_groups"] = s.groups;
    config["mamba_d_state"] = s.state;
    config["mamba_d_conv"] = mamba2_convolution_kernel;
    config["mamba_expand"] = s.inner() / spec.d_model;
    config["mamba_conv_bias"] = s.convolution_bias;
    config["mamba_proj_bias"] = false;
    return config;
}

}  // namespace braid
