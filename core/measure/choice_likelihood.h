// Multiple choice by likelihood: how likely a model finds each option behind the context.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/data/tokenizer/tokenizer.h"
#include "core/engine/model.h"
#include "core/measure/task_file.h"

namespace braid {

struct OptionLikelihood {
    double log_likelihood = 0;  // of the option's tokens, nats
    std::int64_t tokens = 0;
    std::int64_t bytes = 0;  // of its text, without the blank between
    bool cut = false;        // the beginning of the context was left out to fit
};

// [item][choice]. Context and option are encoded together, with a blank between them where neither has one; a
// token that reaches across belongs to the option. At most `context` tokens are read. Errors: invalid_input
// (an option longer than that), interrupted, out_of_memory.
Result<std::vector<std::vector<OptionLikelihood>>> option_likelihoods(
    Model& model, const Tokenizer& tokenizer, std::span<const ChoiceItem> items, std::int64_t context,
    const std::function<bool(double fraction)>& go_on = {});

enum class LikelihoodLength { none, bytes, tokens };
// The option with the largest log-likelihood, divided by its length; the first of equals.
std::int64_t best_option(std::span<const OptionLikelihood> options, LikelihoodLength length);

}  // namespace braid
