// Greedy continuations of many prompts of different lengths, several at once: prompts are read on their own,
// on a GPU those of one length together; the states are stacked and stepped together, and a sequence leaves
// when it has ended. A GPU is asked for several steps at a time, and what it finds behind an answer's end is
// dropped.
// In float32 the answers do not depend on how many sequences are stepped at once; in bfloat16 the last bit of
// a logit does, and with it, where two tokens are about equally likely, the choice between them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/engine/model.h"

namespace braid {

struct GreedyPrompt {
    std::vector<std::int32_t> tokens = {};  // at least one, all below the model's vocabulary
    std::int64_t new_tokens = 0;            // at most so many are generated; at least 1
};

struct GreedyAnswer {
    std::vector<std::int32_t> tokens = {};  // without the stop that ended it
    bool truncated = false;                 // it reached new_tokens and did not end
};

struct GreedyProgress {
    std::int64_t answers_done = 0;
    std::int64_t answers = 0;
    std::int64_t tokens_read = 0;  // of prompts
    std::int64_t tokens_to_read = 0;
    std::int64_t tokens_generated = 0;
};

struct GreedyOptions {
    std::vector<bool> stops =
        {};  // by token id: such a token ends an answer; may be shorter than the vocabulary
    // Whether an answer, with the token just generated at its end, has ended with that token; may be empty.
    std::function<bool(std::span<const std::int32_t> answer)> ended = {};
    std::int64_t most_sequences = 64;  // stepped at once,
    std::int64_t state_bytes = 0;      // and their states together, at most; 0: 1 GiB, 4 on a GPU
    std::function<bool(const GreedyProgress&)> go_on = {};  // asked between pieces of work; false stops
    // Takes the answers of a batch before the next one is read: answers[i] belongs to prompt indices[i]. An
    // error of it ends the work.
    std::function<Result<void>(std::span<const std::size_t> indices, std::span<const GreedyAnswer> answers)>
        batch_done = {};
};

// In the order of the prompts. Errors: invalid_input (an empty prompt, a token outside the vocabulary; all of
// them listed), interrupted (go_on said no), out_of_memory, those of batch_done.
Result<std::vector<GreedyAnswer>> greedy_answers(Model& model, std::span<const GreedyPrompt> prompts,
                                                 const GreedyOptions& options = {});

}  // namespace braid
