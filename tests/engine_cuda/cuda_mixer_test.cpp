// Every registered mixer on CUDA in bfloat16 against float64, and prefill and decoding against the training
// form.
#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <cstdio>

#include "core/engine/inference.h"
#include "core/engine/init.h"
#include "core/engine/mixer_error.h"
#include "core/mixers/builtin.h"
#include "core/spec/shorthand.h"
#include "tests/engine_cuda/cuda_test.h"

namespace braid {
namespace {

using testing::cuda_ops;
using testing::indices;

TEST(CudaMixer, ErrorsStayWithinTheLimits) {
    BRAID_NEEDS_CUDA();
    for (const auto& kind : builtin_mixers().all())
        measure_mixer_error(kind->description(), *cuda_ops(), [](const MixerCheckResult& result) {
            std::printf("    %-10s %-28s error %.1e, limit %.0e\n", result.mixer.c_str(),
                        result.detail.c_str(), result.measured, result.limit);
            EXPECT_TRUE(result.passed) << result.mixer << " " << result.detail;
        });
}

TEST(CudaMixer, PrefillAndDecodingFollowTheTrainingForm) {
    BRAID_NEEDS_CUDA();
    for (const auto& kind : builtin_mixers().all()) {
        const std::string pattern = std::string(1, kind->description().letter) + "F x1";
        const ArchitectureSpec spec =
            instantiate(parse_pattern(pattern, builtin_mixers()).value(), *find_scale("tiny"));
        const std::unique_ptr<Model> model = Model::create(spec, cuda_ops()).value();
        initialise(model->parameters(), "fan_in", 1);
        const at::Tensor tokens = indices({1, 100}, 64, 1);
        Generator generator(*model, 48);
        InferenceState state = generator.start(1, 100);
        generator.prefill(state, tokens.narrow(1, 0, 90));
        for (std::int64_t t = 90; t < 100; ++t) {
            const at::Tensor got = generator.step(state, tokens.select(1, t)).to(at::kCPU);
            const at::Tensor whole =
                model->logits(tokens, at::tensor({std::int64_t{0}, t}).view({1, 2})).to(at::kCPU);
            testing::expect_close(pattern + " at " + std::to_string(t), got, whole, 3e-2);
        }
    }
}

}  // namespace
}  // namespace braid
