#include "core/spec/phases.h"

#include <gtest/gtest.h>

#include "core/mixers/builtin.h"
#include "core/spec/paper_recipe.h"
#include "core/spec/scale.h"
#include "core/spec/shorthand.h"

namespace braid::testing {
namespace {

ArchitectureSpec hybrid() {
    const auto pattern = parse_pattern("FS[w=16] x2", builtin_mixers());
    return instantiate(*pattern, *find_scale("tiny"));
}

TrainingSpec training() { return {.steps = 10, .context = 64, .batch = 4, .warmup_steps = 2}; }

std::vector<ResolvedPhase> resolved(const std::vector<TrainingPhase>& phases) {
    auto made = resolve_phases(hybrid(), training(), {}, phases, builtin_mixers());
    EXPECT_TRUE(made) << (made ? "" : to_error(made.error()).message);
    return made ? *made : std::vector<ResolvedPhase>();
}

TEST(Phases, EachStartsFromTheOneBefore) {
    const auto one = parse_phase("name=wider,steps=5,context=128,swa.window=32");
    const auto two = parse_phase("steps=3,learning_rate=1e-4,full.position=nope");
    ASSERT_TRUE(one && two);
    const auto phases = resolved({*one, *two});
    ASSERT_EQ(phases.size(), 3U);
    EXPECT_EQ(phases[1].name, "wider");
    EXPECT_EQ(phases[1].first, Step(10));
    EXPECT_EQ(phases[2].first, Step(15));
    EXPECT_EQ(phases[1].training.warmup_steps, 0) << "a warm-up is not repeated unless asked for";
    EXPECT_EQ(phases[2].training.context, 128);
    EXPECT_EQ(phases[2].training.learning_rate, 1e-4);
    const auto& parameters = builtin_mixers().find("swa")->description().parameters;
    EXPECT_EQ(phases[0].architecture.layers[1].groups[0].parameters.integer("window", parameters), 16);
    EXPECT_EQ(phases[2].architecture.layers[1].groups[0].parameters.integer("window", parameters), 32);
    EXPECT_EQ(phases[2].architecture.layers[0].groups[0].parameters.text("position", parameters), "nope");
    EXPECT_EQ(total_steps(phases), Step(18));
    EXPECT_EQ(tokens_after(phases, Step(12)), TokenCount(10 * 4 * 64 + 2 * 4 * 128));
    EXPECT_EQ(tokens_after(training(), std::vector{*one, *two}, Step(12)), tokens_after(phases, Step(12)));
    EXPECT_EQ(total_steps(training(), std::vector{*one, *two}), 18);
    EXPECT_EQ(phase_at(phases, Step(9)), 0U);
    EXPECT_EQ(phase_at(phases, Step(10)), 1U);
    EXPECT_EQ(phase_at(phases, Step(18)), 2U);
}

TEST(Phases, EveryProblemIsNamed) {
    const auto bad = parse_phase("steps=0,context=-3,seed=4,swa.window=0,lightning.nothing=1,full.window=3");
    ASSERT_TRUE(bad);
    const auto made = resolve_phases(hybrid(), training(), {}, std::vector{*bad}, builtin_mixers());
    ASSERT_FALSE(made);
    std::string all;
    for (const Diagnostic& problem : made.error()) all += problem.path + ": " + problem.rule + "\n";
    for (const char* place : {"phases[0].steps", "phases[0].context", "phases[0].seed",
                              "phases[0].swa.window", "phases[0].lightning.nothing", "phases[0].full.window"})
        EXPECT_NE(all.find(place), std::string::npos) << place << "\n" << all;
}

TEST(Phases, TextAndJsonAreTheSamePhase) {
    const auto phase = parse_phase("name=a,steps=5,full.rope_base=5e5,data.new_key=0.5,deterministic=true");
    ASSERT_TRUE(phase);
    EXPECT_EQ(*parse_phase(to_text(*phase)), *phase);
    EXPECT_EQ(*phase_from_json(to_json(*phase)), *phase);
    for (const char* wrong : {"steps", "=3", "context=3", "steps=1,,"})
        EXPECT_FALSE(parse_phase(wrong)) << wrong;
}

// Table 8, and D/N from the parameter counts of mixers.md.
TEST(PaperRecipe, GivesTheTokensOfTheBudget) {
    const std::int64_t parameters = 10 * 1'499'136;
    const auto s1 = paper_training("S1", parameters, 100);
    ASSERT_TRUE(s1);
    EXPECT_EQ(s1->batch, 32);
    EXPECT_EQ(s1->learning_rate, 1.953e-3);
    EXPECT_EQ(s1->warmup_steps, 100);
    const double ratio = double(s1->tokens_per_step() * s1->steps) / double(parameters);
    EXPECT_NEAR(ratio, 100, 0.02);
    EXPECT_TRUE(validate(*s1).empty());
    EXPECT_FALSE(paper_training("tiny", parameters, 100));
}

}  // namespace
}  // namespace braid::testing
