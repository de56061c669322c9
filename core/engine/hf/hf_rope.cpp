#include "core/engine/hf/hf_rope.h"

#include <cmath>
#include <vector>

#include "core/mixers/softmax/softmax_kind.h"

namespace braid {
namespace {

struct Settings {
    std::string place = {};
    const Json* json = nullptr;
};

// The one that transformers follows, and the other where both are given: version 4 reads rope_scaling alone,
// 5 takes rope_parameters where rope_scaling is missing or empty.
std::vector<Settings> settings_of(HfReader& config) {
    std::vector<Settings> given;
    for (const char* key : {"rope_scaling", "rope_parameters"}) {
        const Json* found = config.find(key);
        if (found && !found->is_object())
            config.report(key, "must be an object", *found);
        else if (found && !found->empty())
            given.push_back({.place = key, .json = found});
    }
    given.resize(2);
    return given;
}

double yarn_scale(double factor, double weight) {
    return factor <= 1 ? 1.0 : 0.1 * weight * std::log(factor) + 1.0;
}

}  // namespace

ParameterValues rope_from_hf(HfReader& config, const HfRopeDefaults& family) {
    static const Json none = Json::object();
    Diagnostics problems;
    const std::vector<Settings> chosen = settings_of(config);
    HfReader rope(chosen[0].json ? *chosen[0].json : none, chosen[0].place, problems);
    HfReader other(chosen[1].json ? *chosen[1].json : none, chosen[1].place, problems);
    for (const auto& [key, value] : rope.json().items())
        if (value.is_object())
            config.report(rope.place(key), "must not be given: all layers of the model share one RoPE",
                          value);
    const auto anywhere = [&](const char* key, double otherwise) {
        otherwise = other.real(key, otherwise);
        otherwise = config.real(key, otherwise);
        return rope.real(key, otherwise);
    };
    const std::int64_t context = config.integer("max_position_embeddings", family.context);
    ParameterValues values;
    values.set("rope_base", anywhere("rope_theta", 10'000));
    values.set("rotary", anywhere("partial_rotary_factor", family.share));
    const std::string type = rope.text("rope_type", rope.text("type", "default"));
    const auto original = [&](std::int64_t usual) {
        values.set("rope_context", rope.integer("original_max_position_embeddings", usual));
    };
    if (type != "default") {
        values.set("rope_scaling", type);
        if (!rope.find("factor"))
            rope.report("factor", "must be given");
        else
            values.set("rope_factor", rope.real("factor", 1));
    }
    if (type == "dynamic") {
        values.set("rope_context", context);
    } else if (type == "yarn") {
        original(context);
        values.set("rope_low", rope.real("beta_slow", 1));
        values.set("rope_high", rope.real("beta_fast", 32));
        const double weight = rope.real("mscale", 0), weight_all = rope.real("mscale_all_dim", 0);
        const double factor = rope.real("factor", 1);
        if (const double given = rope.real("attention_factor", 0); given > 0) {
            const double usual = yarn_attention(factor);
            if (std::abs(given - usual) > 1e-12 * usual) values.set("rope_attention", given);
        } else if (weight != 0 && weight_all != 0)
            values.set("rope_attention", yarn_scale(factor, weight) / yarn_scale(factor, weight_all));
        rope.refuse_unless(rope.flag("truncate", true), "truncate",
                           "must be true: Braid's YaRN begins and ends its ramp at whole pairs");
    } else if (type == "llama3") {
        if (!rope.find("original_max_position_embeddings"))
            rope.report("original_max_position_embeddings", "must be given");
        original(context);
        values.set("rope_low", rope.real("low_freq_factor", 1));
        values.set("rope_high", rope.real("high_freq_factor", 4));
    } else if (type != "default" && type != "linear") {
        problems.clear();
        rope.report(rope.find("rope_type") ? "rope_type" : "type",
                    "must be default, linear, dynamic, yarn or llama3", Json(type));
        values.reset("rope_scaling");
    }
    for (const Diagnostic& each : problems) config.add(each);
    return values;
}

void rope_to_hf(const ParameterValues& parameters, const std::vector<ParameterDescription>& described,
                std::int64_t head_dim, bool say_share, Json& config) {
    const RopeRule rule = rope_rule(parameters, described, head_dim);
    config["rope_theta"] = rule.base;
    config["rope_scaling"] = nullptr;
    if (say_share) config["partial_rotary_factor"] = double(rule.rotary_dim) / double(head_dim);
    switch (rule.scaling) {
        case RopeScaling::none:
            break;
        case RopeScaling::linear:
            config["rope_scaling"] = {{"rope_type", "linear"}, {"factor", rule.factor}};
            break;
        case RopeScaling::dynamic:
            config["rope_scaling"] = {{"rope_type", "dynamic"}, {"factor", rule.factor}};
            config["max_position_embeddings"] = rule.context;
            break;
        case RopeScaling::yarn:
            config["rope_scaling"] = {{"rope_type", "yarn"},
                                      {"factor", rule.factor},
                                      {"original_max_position_embeddings", rule.context},
                                      {"beta_slow", rule.low},
                                      {"beta_fast", rule.high},
                                      {"attention_factor", rule.attention}};
            break;
        case RopeScaling::llama3:
            config["rope_scaling"] = {{"rope_type", "llama3"},
                                      {"factor", rule.factor},
                                      {"original_max_position_embeddings", rule.context},
                                      {"low_freq_factor", rule.low},
                                      {"high_freq_factor", rule.high}};
            break;
    }
    // The same as transformers 5 writes it. It puts rope_scaling in the place of rope_parameters, so that has
    // to say all of it too.
    Json both = config["rope_scaling"].is_null() ? Json{{"rope_type", "default"}} : config["rope_scaling"];
    both["rope_theta"] = rule.base;
    if (say_share) both["partial_rotary_factor"] = config["partial_rotary_factor"];
    if (config["rope_scaling"].is_object()) config["rope_scaling"] = both;
    config["rope_parameters"] = std::move(both);
}

}  // namespace braid
