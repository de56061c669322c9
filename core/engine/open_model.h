// The model of a checkpoint folder (or of any folder with model.safetensors and architecture.json), for
// measuring it.
#pragma once

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/engine/model.h"

namespace braid {

// Without `trainable` it has no gradients. Errors: not_found, corrupt (also weights that are not finite),
// invalid_input (an architecture that breaks a rule, or is not that of the weights), out_of_memory.
Result<std::unique_ptr<Model>> open_model(const std::string& folder, std::shared_ptr<Ops> ops,
                                          bool trainable = false);

}  // namespace braid
