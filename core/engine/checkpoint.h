// A trainer's complete state on disk, in a folder that any safetensors reader can use:
//
//   model.safetensors      every parameter by name, float32 (the masters)
//   optimizer.safetensors  the optimizer's flat tensors
//   architecture.json      the ArchitectureSpec: the folder can be used without its run
//   state.json             step, fingerprints of what it belongs to, hashes of the tensors
//
// Without optimizer.safetensors it is of weights alone: to look at or to start from, not to resume from.
//
// A folder is written beside its place, synced and renamed: what has the right name is complete.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/id.h"
#include "core/record/checkpoint_list.h"

namespace braid {

class ParameterStore;
class Trainer;

struct CheckpointState {
    Step step = {};
    TokenCount tokens = {};
    double training_seconds = 0;  // of all attempts, without pauses
    std::string architecture_hash = {};
    std::string data_fingerprint = {};
};

enum class CheckpointParts { all, weights };

// Saves into `folder`; one that is there already is replaced once the new one is complete. Returns its bytes.
// no_space and other errors leave what was there. Weights that are not finite are refused (corrupt).
Result<std::int64_t> save_checkpoint(const std::string& folder, Trainer& trainer, double training_seconds,
                                     CheckpointParts parts = CheckpointParts::all);

// The same checkpoint in another place, complete before it has its name. Files are shared (hard links) where
// the file system allows it; checkpoints are never written to again. Returns its bytes.
Result<std::int64_t> copy_checkpoint(const std::string& from, const std::string& folder);

// Whether it has what resuming needs besides the weights.
bool can_resume_from(const std::string& folder);
// Leaves the weights alone.
void drop_optimizer(const std::string& folder);

// Everything into the trainer: weights, optimizer, step. On an error (truncated, foreign, damaged) the
// trainer holds a mixture: load another one or create it anew.
Result<CheckpointState> load_checkpoint(const std::string& folder, Trainer& trainer);

// The weights alone, of a checkpoint or of any folder with a model.safetensors that has the same names and
// shapes; what a run starts from. F32, BF16, F16 and F64 are read alike. Errors: unavailable (no such file),
// corrupt (also weights that are not finite, by name), invalid_input (another architecture: every tensor that
// differs). On an error the parameters may be a mixture.
Result<void> load_weights(const std::string& folder, ParameterStore& store);

// state.json alone.
Result<CheckpointState> read_checkpoint_state(const std::string& folder);

// Leftovers of writes that were interrupted. Only for the holder of the run's lock.
void remove_unfinished_checkpoints(const std::string& checkpoints_folder);

}  // namespace braid
