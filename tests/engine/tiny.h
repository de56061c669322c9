// Small architectures and batches for the engine's tests.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "core/engine/init.h"
#include "core/engine/model.h"
#include "core/spec/shorthand.h"

namespace braid::test {

struct TinyScale {
    std::int64_t d_model = 24, ffn_width = 56, heads = 4, kv_heads = 2, head_dim = 8, vocab = 19;
};

// `pattern` with the dimensions of `scale`; aborts where it does not parse or is not valid.
ArchitectureSpec architecture(const std::string& pattern, const TinyScale& scale = {});

std::unique_ptr<Model> model(const ArchitectureSpec& spec, at::ScalarType type,
                             const std::string& init = "fan_in", std::uint64_t seed = 1);

// Tokens and targets below `vocab`; every seventh target is left out.
struct TinyBatch {
    at::Tensor tokens_BT, targets_BT;
};
TinyBatch batch(std::int64_t sequences, std::int64_t tokens, std::int64_t vocab, std::uint64_t seed = 1);

// |a - b| / |b| in Frobenius norms.
double relative_error(const at::Tensor& a, const at::Tensor& b);

}  // namespace braid::test
