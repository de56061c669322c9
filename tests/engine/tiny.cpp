#include "tests/engine/tiny.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/random.h"
#include "core/mixers/builtin.h"
#include "core/spec/validate.h"

namespace braid::test {
namespace {

// Threads that wait for each other are slow on a busy machine, and these models are too small to need them.
[[maybe_unused]] const bool one_thread = [] {
    at::set_num_threads(1);
    return true;
}();

}  // namespace

ArchitectureSpec architecture(const std::string& pattern, const TinyScale& scale) {
    const auto parsed = parse_pattern(pattern, builtin_mixers());
    if (!parsed) {
        std::fprintf(stderr, "%s: %s\n", pattern.c_str(), parsed.error().front().message().c_str());
        std::abort();
    }
    ArchitectureSpec spec = instantiate(*parsed, {.name = "test",
                                                  .layers = 4,
                                                  .d_model = scale.d_model,
                                                  .ffn_width = scale.ffn_width,
                                                  .heads = scale.heads,
                                                  .kv_heads = scale.kv_heads,
                                                  .head_dim = scale.head_dim,
                                                  .vocab = scale.vocab});
    for (const Diagnostic& problem : validate(spec, builtin_mixers())) {
        std::fprintf(stderr, "%s: %s\n", pattern.c_str(), problem.message().c_str());
        std::abort();
    }
    return spec;
}

std::unique_ptr<Model> model(const ArchitectureSpec& spec, at::ScalarType type, const std::string& init,
                             std::uint64_t seed) {
    auto made = Model::create(spec, make_cpu_ops(type));
    if (!made) {
        std::fprintf(stderr, "%s\n", made.error().message.c_str());
        std::abort();
    }
    initialise((*made)->parameters(), init, seed);
    return std::move(*made);
}

TinyBatch batch(std::int64_t sequences, std::int64_t tokens, std::int64_t vocab, std::uint64_t seed) {
    TinyBatch result{at::empty({sequences, tokens}, at::kLong), at::empty({sequences, tokens}, at::kLong)};
    Random random(seed, "test/batch");
    auto* to_tokens = result.tokens_BT.mutable_data_ptr<std::int64_t>();
    auto* to_targets = result.targets_BT.mutable_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < sequences * tokens; ++i) {
        to_tokens[i] = std::int64_t(random.below(std::uint64_t(vocab)));
        to_targets[i] = i % 7 == 6 ? -1 : std::int64_t(random.below(std::uint64_t(vocab)));
    }
    return result;
}

double relative_error(const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor wanted = b.detach().to(at::kDouble);
    const double size = wanted.norm().item().toDouble();
    return (a.detach().to(at::kDouble) - wanted).norm().item().toDouble() / std::max(size, 1e-30);
}

}  // namespace braid::test
