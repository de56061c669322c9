#include "core/spec/architecture.h"

#include <cstdio>
#include <cstdlib>

#include "core/spec/mixer_kind.h"

namespace braid {
namespace {

struct Dimension {
    ParameterDescription description;
    std::int64_t ArchitectureSpec::*field;
};

// Upper limits: far beyond any model of today, and low enough that every cost fits 64 bits at max_layers
// layers and max_context tokens.
const std::vector<Dimension>& dimensions() {
    static const std::vector<Dimension> all = {
        {{.key = "d_model",
          .label = "Model width",
          .help = "Width D of the residual stream.",
          .default_value = std::int64_t{64},
          .minimum = 1,
          .maximum = 65'536},
         &ArchitectureSpec::d_model},
        {{.key = "heads",
          .label = "Query heads",
          .help = "Query heads H of a layer; the groups of a head-wise layer add up to it.",
          .default_value = std::int64_t{2},
          .minimum = 1,
          .maximum = 512},
         &ArchitectureSpec::heads},
        {{.key = "kv_heads",
          .label = "KV heads",
          .help = "Key/value heads G of a layer; H/G query heads share one.",
          .default_value = std::int64_t{2},
          .minimum = 1,
          .maximum = 512},
         &ArchitectureSpec::kv_heads},
        {{.key = "head_dim",
          .label = "Head dimension",
          .help = "Channels of a query, a key and a value.",
          .default_value = std::int64_t{32},
          .minimum = 1,
          .maximum = 1'024},
         &ArchitectureSpec::head_dim},
        {{.key = "ffn_width",
          .label = "FFN width",
          .help = "Width F of the SwiGLU.",
          .default_value = std::int64_t{160},
          .minimum = 1,
          .maximum = 1'048'576},
         &ArchitectureSpec::ffn_width},
        {{.key = "vocab",
          .label = "Vocabulary",
          .unit = "tokens",
          .help = "Rows of the embedding and of the head.",
          .default_value = std::int64_t{64},
          .minimum = 2,
          .maximum = 16'777'216},
         &ArchitectureSpec::vocab},
    };
    return all;
}

std::int64_t ArchitectureSpec::*field_of(std::string_view key) {
    for (const Dimension& each : dimensions())
        if (each.description.key == key) return each.field;
    std::fprintf(stderr, "braid: no dimension '%.*s'\n", static_cast<int>(key.size()), key.data());
    std::abort();
}

}  // namespace

const std::vector<ParameterDescription>& dimension_parameters() {
    static const std::vector<ParameterDescription> all = [] {
        std::vector<ParameterDescription> descriptions;
        for (const Dimension& each : dimensions()) descriptions.push_back(each.description);
        return descriptions;
    }();
    return all;
}

std::int64_t dimension(const ArchitectureSpec& spec, std::string_view key) { return spec.*field_of(key); }

void set_dimension(ArchitectureSpec& spec, std::string_view key, std::int64_t value) {
    spec.*field_of(key) = value;
}

const std::vector<ParameterDescription>& model_parameters() {
    static const std::vector<ParameterDescription> all = {
        {.key = "tied",
         .label = "Tied head",
         .help = "The head's matrix is the embedding: one table, trained through both. Off in the paper.",
         .default_value = false},
        {.key = "norm_eps",
         .label = "Norm epsilon",
         .help = "Added to the mean square of every RMSNorm: 1e-6 in the paper.",
         .default_value = 1e-6,
         .minimum = 1e-12,
         .maximum = 0.1},
    };
    return all;
}

bool is_tied(const ArchitectureSpec& spec) {
    const ParameterValue* value = spec.parameters.find("tied");
    return value != nullptr && *value == ParameterValue(true);
}

double norm_eps(const ArchitectureSpec& spec) {
    const ParameterDescription& description = *find_parameter(model_parameters(), "norm_eps");
    const ParameterValue value = spec.parameters.get(description.key, model_parameters());
    return std::get<double>(check_parameter(description, value, "") ? description.default_value : value);
}

std::string layer_path(std::size_t layer) { return "layers[" + std::to_string(layer) + "]"; }

std::string group_path(const ArchitectureSpec& spec, std::size_t layer, std::size_t group) {
    std::string path = layer_path(layer);
    if (spec.layers[layer].groups.size() != 1) path += ".groups[" + std::to_string(group) + "]";
    return path;
}

ArchitectureSpec normalised(ArchitectureSpec spec, const MixerCatalog& catalog) {
    spec.parameters = normalised(spec.parameters, model_parameters());
    for (LayerSpec& layer : spec.layers)
        for (HeadGroup& group : layer.groups)
            if (const MixerKind* kind = catalog.find(group.mixer))
                group.parameters = normalised(group.parameters, kind->description().parameters);
    return spec;
}

}  // namespace braid
