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
        EXPECT_EQ(checks[kind->description().id].size(), 8U) << kind->description().id;
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
