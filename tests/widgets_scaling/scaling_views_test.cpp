// Two curves alone, maps, fronts, and the editor of a study.
#include <QComboBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabBar>
#include <QTest>

#include "tests/widgets_scaling/scaling_fixture.h"
#include "widgets/common/field.h"
#include "widgets/scaling/front_view.h"
#include "widgets/scaling/map_view.h"
#include "widgets/scaling/pair_view.h"
#include "widgets/scaling/study_editor.h"
#include "widgets/scaling/study_lines.h"

namespace braid::ui {
namespace {

TEST_F(ScalingTest, TwoCurvesDifferSeedBySeed) {
    StudySpec spec = gridStudy({1, 2});
    spec.budgets = {1, 4};
    addStudy(spec);
    trainAll();
    open();
    page_->tabs()->setCurrentIndex(ScalingPage::Pairs);
    const std::vector<ScalingPair>& pairs = page_->pairs()->model()->pairs();
    ASSERT_EQ(pairs.size(), 6u);  // three scales, two budgets
    for (const ScalingPair& pair : pairs) {
        EXPECT_EQ(pair.seeds, 2u);
        // The second curve is 4 % worse by construction.
        EXPECT_NEAR(pair.difference / pair.first, 0.04, 0.02);
        EXPECT_GT(pair.half_width, 0);
    }
    EXPECT_TRUE(page_->pairs()->verdict().contains(QStringLiteral("lower at 0 of 6")))
        << page_->pairs()->verdict().toStdString();
    EXPECT_TRUE(page_->pairs()->plot()->place(pointAt(1, 0, 1)));
}

TEST_F(ScalingTest, AMapOfTwoFactorsTellsRunsAndIntervalOfEachCell) {
    StudySpec spec = gridStudy({1, 2});
    spec.budgets = {1, 4};
    addStudy(spec);
    trainAll(1);
    open();
    page_->tabs()->setCurrentIndex(ScalingPage::Map);
    const StudyMap& map = page_->map()->grid()->map();
    EXPECT_EQ(map.x.name, "budget");
    EXPECT_EQ(map.y.name, "scale");
    ASSERT_EQ(map.cells.size(), 6u);
    EXPECT_EQ(map.fixed, (std::vector<std::pair<std::string, std::string>>{{"architecture", "Full"}}));
    for (const StudyCell& cell : map.cells) EXPECT_EQ(cell.planned, 2u);
    MapGrid* grid = page_->map()->grid();
    grid->setFocus();
    QTest::keyClick(grid, Qt::Key_Right);
    QTest::keyClick(grid, Qt::Key_Right);
    QTest::keyClick(grid, Qt::Key_Down);
    EXPECT_EQ(grid->current(), 3);
    EXPECT_EQ(choice().current(), pointAt(0, 1, 4));
    EXPECT_TRUE(grid->accessibleDescription().contains(QStringLiteral("2 of 2 runs")))
        << grid->accessibleDescription().toStdString();
    EXPECT_EQ(page_->map()->wish(), "eval/loss by budget and scale where architecture=Full");
}

TEST_F(ScalingTest, TheFrontHoldsWhatNothingBeats) {
    StudySpec spec = gridStudy();
    spec.budgets = {4};
    addStudy(spec);
    trainAll();
    open();
    page_->tabs()->setCurrentIndex(ScalingPage::Front);
    const std::vector<FrontPoint>& points = page_->front()->plot()->points();
    ASSERT_EQ(points.size(), 6u);
    for (const FrontPoint& point : points)
        for (const FrontPoint& other : points)
            EXPECT_FALSE(!point.dominated && other.cost < point.cost && other.value < point.value);
    // With the same parameters the window costs 4 % of the loss: dominated by parameters, not by cache.
    page_->front()->costChoice()->setCurrentIndex(1);
    Q_EMIT page_->front()->costChoice()->activated(1);
    for (const FrontPoint& point : page_->front()->plot()->points())
        EXPECT_EQ(point.dominated, point.curve == 1) << point.scale;
}

TEST_F(ScalingTest, AStudyIsWrittenFromItsEditorWithItsNumbersAndProblems) {
    open();
    StudyEditor* editor = workspace_->newStudy();
    ASSERT_TRUE(editor);
    ASSERT_TRUE(waitFor([&] { return editor->isChecked(); }));
    EXPECT_EQ(editor->problemText().toStdString(), "");
    EXPECT_TRUE(editor->summary().contains(QStringLiteral("Runs 6"))) << editor->summary().toStdString();
    EXPECT_TRUE(editor->summary().contains(QStringLiteral("Time"))) << editor->summary().toStdString();
    editor->list("variants")->setPlainText(QStringLiteral("Full = F\nBroken = F(\nFull = FS[w=4]"));
    editor->budgetField()->lineEdit()->setFocus();
    editor->budgetField()->lineEdit()->selectAll();
    QTest::keyClicks(editor->budgetField()->lineEdit(), QStringLiteral("5, many"));
    ASSERT_TRUE(waitFor([&] { return editor->isChecked(); }));
    EXPECT_FALSE(editor->saveButton()->isEnabled());
    EXPECT_TRUE(editor->problemText().contains(QStringLiteral("budgets")))
        << editor->problemText().toStdString();
    editor->budgetField()->lineEdit()->selectAll();
    QTest::keyClicks(editor->budgetField()->lineEdit(), QStringLiteral("5, 10"));
    ASSERT_TRUE(waitFor([&] { return editor->isChecked(); }));
    EXPECT_TRUE(editor->problemAt("variants").contains(QStringLiteral("line 3")))
        << editor->problemAt("variants").toStdString() << editor->problemText().toStdString();
    editor->list("variants")->setPlainText(QStringLiteral("Full = F\nWindow = FS[w=$window]"));
    editor->list("axes")->setPlainText(QStringLiteral("$window = 4, 16"));
    ASSERT_TRUE(waitFor([&] { return editor->isChecked(); }));
    EXPECT_EQ(editor->problemText().toStdString(), "");
    ASSERT_TRUE(editor->saveButton()->isEnabled());
    const QString name = editor->nameField()->text();
    QTest::mouseClick(editor->saveButton(), Qt::LeftButton);
    ASSERT_TRUE(waitFor([&] { return session_.study(name) != nullptr; }));
    const StudySpec& spec = *session_.study(name)->spec;
    EXPECT_EQ(spec.budgets, (std::vector<double>{5, 10}));
    ASSERT_EQ(spec.axes.size(), 1u);
    EXPECT_EQ(spec.axes[0].values.size(), 2u);
}

TEST(StudyLines, GiveBackWhatTheySay) {
    StudySpec spec = gridStudy({1, 2, 3, 7});
    spec.variants.push_back({.label = "Own", .architecture = "edge"});
    spec.axes = {{.key = "learning_rate", .values = {0.001, 0.003}},
                 {.key = "$window", .values = {std::int64_t(4)}}};
    EXPECT_EQ(*parseVariants(variantLines(spec.variants), spec.variants), spec.variants);
    EXPECT_EQ(*parseScales(scaleLines(spec.scales), spec.scales), spec.scales);
    EXPECT_EQ(*parseAxes(axisLines(spec.axes)), spec.axes);
    EXPECT_EQ(*parseBudgets(budgetText(spec.budgets)), spec.budgets);
    EXPECT_EQ(*parse_seeds(seedText(spec.seeds).toStdString()), spec.seeds);
    EXPECT_FALSE(parseScales(QStringLiteral("mid = 1 2"), {}));
    EXPECT_FALSE(parseVariants(QStringLiteral("no sign"), {}));
}

}  // namespace
}  // namespace braid::ui
