// Edits of an architecture as pure functions: a spec in, a new one out. Layers keep their ids, new layers get
// new ones, so that selections and undo survive. Ids that are not in the spec are ignored.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/shorthand.h"

namespace braid {

LayerId next_layer_id(const ArchitectureSpec& spec);
std::optional<std::size_t> find_layer(const ArchitectureSpec& spec, LayerId id);

// A layer with all heads of the model on one mixer at its defaults; its id is not set.
LayerSpec uniform_layer(const ArchitectureSpec& spec, std::string mixer);

// Before index `at` (layers.size(): at the end), with new ids in place of those given.
ArchitectureSpec insert_layers(ArchitectureSpec spec, std::size_t at, std::vector<LayerSpec> layers);
ArchitectureSpec remove_layers(ArchitectureSpec spec, std::span<const LayerId> ids);
// The layers, in their order, to where index `at` of the present list is.
ArchitectureSpec move_layers(ArchitectureSpec spec, std::span<const LayerId> ids, std::size_t at);
// Copies of the layers, as one block behind the last of them.
ArchitectureSpec duplicate_layers(ArchitectureSpec spec, std::span<const LayerId> ids);

// On every group of the layers whose mixer has the parameter; the default is stored as absent.
ArchitectureSpec set_parameter(ArchitectureSpec spec, std::span<const LayerId> ids, std::string_view key,
                               const ParameterValue& value, const MixerCatalog& catalog);
// On one group of one layer.
ArchitectureSpec set_parameter(ArchitectureSpec spec, LayerId id, std::size_t group, std::string_view key,
                               const ParameterValue& value, const MixerCatalog& catalog);
// All heads of the layers to one mixer. Parameters of the first group that the new mixer also has are kept.
ArchitectureSpec replace_mixer(ArchitectureSpec spec, std::span<const LayerId> ids, std::string_view mixer,
                               const MixerCatalog& catalog);
ArchitectureSpec set_groups(ArchitectureSpec spec, std::span<const LayerId> ids,
                            const std::vector<HeadGroup>& groups);
// A dimension of the model. With heads or kv_heads, layers follow: whole layers take the new number,
// head-wise ones keep their shares where these divide it, else they stay (and validate() says so).
ArchitectureSpec change_dimension(ArchitectureSpec spec, std::string_view key, std::int64_t value);

// One of model_parameters(); the default is stored as absent. Others are ignored.
ArchitectureSpec set_model_parameter(ArchitectureSpec spec, std::string_view key,
                                     const ParameterValue& value);

// Layers of the pattern with the old dimensions and name; a pattern without a repeat count is cycled to the
// old depth. Layers that are the same, or were changed in place, keep their ids (align_layers).
ArchitectureSpec respec_from_pattern(const ArchitectureSpec& old, const Pattern& pattern,
                                     const MixerCatalog& catalog);

}  // namespace braid
