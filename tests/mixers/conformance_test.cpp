// What every registered mixer must satisfy: the table of `braid-engine check mixers`, asserted. A new line of
// mixers.def is tested without a new test.
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>

#include "core/engine/mixer_check.h"
#include "core/engine/ops.h"
#include "core/mixers/builtin.h"
#include "tests/engine/tiny.h"

namespace braid::test {
namespace {

TEST(EveryMixer, KeepsItsPromises) {
    std::map<std::string, std::set<std::string>> checks;  // by mixer
    std::map<std::string, double> worst;
    check_mixers({}, [&](const MixerCheckResult& result) {
        checks[result.mixer].insert(result.check);
        double& most = worst[result.mixer + ": " + result.check];
        if (result.limit > 0) most = std::max(most, result.measured / result.limit);
        EXPECT_TRUE(result.passed) << result.mixer << " " << result.pattern << ": " << result.check << ", "
                                   << result.detail << " is " << result.measured << ", at most "
                                   << result.limit;
    });
    for (const auto& [name, ratio] : worst) std::printf("    %-28s %.3f of its limit\n", name.c_str(), ratio);
    for (const auto& kind : builtin_mixers().all())
        EXPECT_EQ(checks[kind->description().id].size(), 10U) << kind->description().id;
}

// What other people's models have, together, at contexts where each has an effect.
TEST(Architecture, KeepsItsPromisesWithWhatOtherModelsHave) {
    for (const char* pattern :
         {"F[bias,qknorm,nosink,rotary=0.5,rope_scaling=dynamic,rope_context=64] x2",
          "S[w=16,bias,qknorm,rope_scaling=dynamic,rope_context=48,rope_factor=2] x1",
          "F[nosink,rope_scaling=yarn,rope_context=32,rope_factor=8] x1",
          "F[qknorm,nosink,rope_scaling=llama3,rope_context=64,rope_high=4,rope_factor=8] x1",
          "M[conv,conv_bias=true,ssm_heads=6,ssm_groups=3,ssm_head_dim=4] F[nosink,rotary=0.5] x1",
          "{F[bias,qknorm]:2 M[conv,ssm_heads=4,ssm_groups=2]:2} x1"})
        for (const bool tied : {false, true}) {
            ArchitectureSpec spec = check_spec(pattern);
            if (tied) spec.parameters.set("tied", true);
            if (tied) spec.parameters.set("norm_eps", 1e-3);
            check_architecture(spec, [&](const MixerCheckResult& result) {
                EXPECT_TRUE(result.passed)
                    << result.pattern << (tied ? ", tied: " : ": ") << result.check << ", " << result.detail
                    << " is " << result.measured << ", at most " << result.limit;
            });
        }
}

// A mixer's position encoding is no parameter: a run may drop it from the weights that it has (DRoPE).
TEST(EveryMixer, WeightsFitWithAndWithoutPositions) {
    const auto with = test::model(architecture("F S[w=5] x1"), at::kFloat);
    const auto without = test::model(architecture("F[nope,logn=16] S[w=5,ntk=4] x1"), at::kFloat);
    const auto &a = with->parameters().layout().parameters, &b = without->parameters().layout().parameters;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].name, b[i].name);
        EXPECT_EQ(a[i].shape, b[i].shape);
        EXPECT_EQ(a[i].offset, b[i].offset);
    }
}

}  // namespace
}  // namespace braid::test
