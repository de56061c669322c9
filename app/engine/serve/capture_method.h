// The capture method of serve.
#pragma once

#include <memory>
#include <string>

#include "app/engine/serve/open_models.h"
#include "app/engine/serve/worker.h"

namespace braid::cli {

inline constexpr const char* capture_parameters =
    "checkpoint, prompt? | tokens? | sample?, depth?, context?, seed?, heads?, device?, threads?, "
    "tokenizer?, "
    "allow_long?, project?";

// What is to be done for these parameters. Errors: invalid_input, with everything that is wrong with them.
Result<Worker::Work> capture_work(const Json& params, const std::string& default_project,
                                  std::shared_ptr<OpenModels> models);

}  // namespace braid::cli
