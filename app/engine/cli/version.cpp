#include "app/engine/cli/version.h"

#include <torch/headeronly/version.h>

#include "braid_commit.h"

namespace braid::cli {

std::string braid_version() { return BRAID_VERSION; }
std::string braid_commit() { return BRAID_COMMIT; }
std::string torch_version() { return TORCH_VERSION; }

std::string version_text() {
    return "braid-engine " + braid_version() + " (commit " + braid_commit() + ")\nLibTorch " +
           torch_version() + "\nCUDA " + BRAID_CUDA_TEXT;
}

}  // namespace braid::cli
