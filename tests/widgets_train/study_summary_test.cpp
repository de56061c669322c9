#include "widgets/train/study_summary.h"

#include <gtest/gtest.h>

#include <vector>

namespace braid::ui {
namespace {

StudySpec study() {
    StudySpec spec;
    spec.name = "laziness";
    spec.description = "what it shows";
    spec.variants = {{.label = "Window 4", .pattern = "FS[w=4] x2", .scale = "tiny"},
                     {.label = "Window 64", .pattern = "FS[w=64] x2", .scale = "tiny"}};
    return spec;
}

// A finished run whose far recall passes 0.9 at `crossing`, or never where that is 0.
RunPointer run(const StudySpec& spec, std::size_t variant, std::int64_t crossing,
               RunState state = RunState::finished, std::int64_t step = 600) {
    auto plan = std::make_shared<RunPlan>();
    plan->training = spec.training;
    plan->point = study_points(spec)[variant].key;
    plan->architecture.layers = {{.groups = {{.mixer = "full", .heads = 2, .kv_heads = 2}}}};
    auto record = std::make_shared<RunSnapshot>();
    record->status.state = state;
    record->status.step = Step(step);
    record->status.latest["recall/far"] = crossing > 0 ? 0.97 : 0.04;
    record->status.latest["time_s"] = 50;
    std::vector<double> x;
    std::vector<double> y;
    for (std::int64_t s = 0; s <= step; s += 20) {
        x.push_back(double(s));
        y.push_back(crossing > 0 && s >= crossing ? 0.95 : 0.05);
    }
    auto view = std::make_shared<RunView>();
    view->id = RunId("r" + std::to_string(variant));
    view->plan = plan;
    view->record = record;
    view->curves[{XAxis::step, "recall/far"}] = Curve::make(x, y);
    return view;
}

TEST(StudySummary, NamesTheLastHybridAndItsFactor) {
    const StudySpec spec = study();
    const StudySummary summary = summarise(spec, {run(spec, 0, 220), run(spec, 1, 560)});
    EXPECT_TRUE(summary.done());
    ASSERT_EQ(summary.rows.size(), 2U);
    EXPECT_EQ(summary.rows[1].step, 560);
    EXPECT_DOUBLE_EQ(*summary.rows[1].tokens, 560.0 * 128 * 32);
    EXPECT_EQ(summary.headline(), QStringLiteral("Window 64 with RoPE learned to look far last."));
    EXPECT_TRUE(summary.explanation(spec).contains(QStringLiteral("2.5 times")));
}

TEST(StudySummary, NeverIsNotZeroAndNotTheEndOfTheRun) {
    const StudySpec spec = study();
    const StudySummary summary = summarise(spec, {run(spec, 0, 220), run(spec, 1, 0)});
    EXPECT_FALSE(summary.rows[1].step.has_value());
    EXPECT_EQ(summary.headline(), QStringLiteral("Window 64 with RoPE did not learn to look far."));
    EXPECT_TRUE(summary.explanation(spec).contains(QStringLiteral("it did not in 2.46 M")))
        << summary.explanation(spec).toStdString();
}

TEST(StudySummary, EqualRunsAreNotRanked) {
    const StudySpec spec = study();
    const StudySummary summary = summarise(spec, {run(spec, 0, 220), run(spec, 1, 220)});
    EXPECT_TRUE(summary.headline().startsWith(QStringLiteral("All 2 hybrids")));
}

TEST(StudySummary, CountsWhatIsLeft) {
    const StudySpec spec = study();
    const StudySummary none = summarise(spec, {});
    EXPECT_EQ(none.planned, 2);
    EXPECT_EQ(none.explanation(spec), QStringLiteral("what it shows"));
    const StudySummary half = summarise(spec, {run(spec, 0, 220), run(spec, 1, 0, RunState::running, 300)});
    EXPECT_FALSE(half.done());
    EXPECT_EQ(half.active, 1);
    EXPECT_DOUBLE_EQ(half.progress, 0.75);
    EXPECT_EQ(summarise(spec, {run(spec, 0, 0, RunState::lost, 100)}).failed, 1);
}

TEST(StudySummary, OfTwoTriesTheFinishedOneCounts) {
    const StudySpec spec = study();
    const StudySummary summary =
        summarise(spec, {run(spec, 0, 0, RunState::cancelled, 100), run(spec, 0, 220), run(spec, 1, 300)});
    EXPECT_TRUE(summary.done());
    EXPECT_EQ(summary.rows[0].step, 220);
}

}  // namespace
}  // namespace braid::ui
