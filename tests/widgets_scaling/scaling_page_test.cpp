// Points, fits, exclusions and what keeps them from being drawn: by clicks and keys.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QPushButton>
#include <QTableView>
#include <QTest>

#include "core/base/file.h"
#include "tests/widgets_scaling/scaling_fixture.h"
#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/segments.h"
#include "widgets/scaling/coefficient_model.h"
#include "widgets/scaling/coefficient_table.h"
#include "widgets/scaling/exclude_dialog.h"
#include "widgets/scaling/scaling_panels.h"

namespace braid::ui {
namespace {

TEST_F(ScalingTest, PointsLinesAndCoefficientsOfAFittedStudy) {
    addStudy(gridStudy());
    trainAll();
    fitStudy();
    open();
    ASSERT_TRUE(choice().content());
    EXPECT_EQ(view().points.size(), 24u);
    EXPECT_EQ(view().finished, 24u);
    EXPECT_EQ(choice().content()->lines.size(), 6u);  // two curves at three scales
    EXPECT_FALSE(page_->isEmpty());
    EXPECT_EQ(page_->state(), QString());
    const QAbstractItemModel* table = page_->coefficients()->table()->model();
    ASSERT_EQ(table->rowCount(), 2);
    EXPECT_EQ(table->index(0, CoefficientModel::Name).data().toString(), QStringLiteral("Full"));
    EXPECT_EQ(table->index(0, CoefficientModel::Points).data().toString(), QStringLiteral("8 + 4"));
    EXPECT_GT(table->index(0, CoefficientModel::Fitted).data().toString().toDouble(), 0.98);
    // The law is known: the fit predicts the scale that it has not seen.
    for (const ScalingViewPoint& point : view().points) EXPECT_LT(std::abs(point.log_residual), 0.05);
    QAbstractItemModelTester tester(page_->coefficients()->table()->model(),
                                    QAbstractItemModelTester::FailureReportingMode::Fatal);
}

TEST_F(ScalingTest, AClickAndTheArrowKeysReadAPoint) {
    addStudy(gridStudy());
    trainAll();
    fitStudy();
    open();
    ScalingPlot* plot = page_->plot();
    const int wanted = pointAt(1, 0, 4);
    const auto place = plot->place(wanted);
    ASSERT_TRUE(place);
    QTest::mouseClick(plot, Qt::LeftButton, {}, place->toPoint());
    EXPECT_EQ(choice().current(), wanted);
    EXPECT_TRUE(panel_->pointText().contains(QStringLiteral("Window 8, A, 4N")))
        << panel_->pointText().toStdString();
    EXPECT_TRUE(panel_->pointText().contains(QStringLiteral("Residual")));
    QTest::keyClick(plot, Qt::Key_Right);
    EXPECT_EQ(choice().current(), pointAt(1, 0, 8));
    EXPECT_TRUE(plot->accessibleDescription().contains(QStringLiteral("8N")));
    QTest::keyClick(plot, Qt::Key_Return);
    EXPECT_EQ(shell_.shown, QStringList{QStringLiteral("train")});
    ASSERT_EQ(session_.selectedRuns().size(), 1u);
    EXPECT_EQ(session_.selectedRuns().front(), choice().runOf(choice().current())->id);
    QTest::keyClick(plot, Qt::Key_Escape);
    EXPECT_EQ(choice().current(), -1);
}

TEST_F(ScalingTest, ExcludingAPointWritesItsReasonAndFitsAgain) {
    addStudy(gridStudy());
    trainAll();
    fitStudy();
    open();
    choice().setCurrent(pointAt(0, 0, 1));
    QTest::mouseClick(panel_->excludeButton(), Qt::LeftButton);
    auto* dialog = page_->findChild<ExcludeDialog*>();
    ASSERT_TRUE(dialog);
    EXPECT_FALSE(dialog->button()->isEnabled());  // a reason is asked for
    QTest::keyClicks(dialog->reason()->lineEdit(), QStringLiteral("too early"));
    EXPECT_TRUE(dialog->button()->isEnabled());
    QTest::mouseClick(dialog->button(), Qt::LeftButton);
    ASSERT_TRUE(waitFor([&] { return !fits_->asked.isEmpty(); }));
    EXPECT_EQ(fits_->asked.front(), QStringLiteral("grid eval/loss"));
    const Checked<StudySpec> written = study_from_json(*read_json(studyFile()));
    ASSERT_TRUE(written);
    ASSERT_EQ(written->fit.excluded.size(), 1u);
    EXPECT_EQ(written->fit.excluded.front(), "architecture=Full, scale=A, budget=1: too early");
    ASSERT_TRUE(waitFor([&] {
        return choice().content() && view().points[std::size_t(pointAt(0, 0, 1))].use == PointUse::excluded;
    }));
    EXPECT_TRUE(view().rules_changed);
    Q_EMIT fits_->ended({}, false);
    EXPECT_TRUE(page_->state().contains(QStringLiteral("excluded has changed")))
        << page_->state().toStdString();
    // And back.
    ASSERT_EQ(panel_->undoButtons().size(), 1u);
    QTest::mouseClick(panel_->undoButtons().front(), Qt::LeftButton);
    ASSERT_TRUE(waitFor([&] {
        return choice().content() && view().points[std::size_t(pointAt(0, 0, 1))].use == PointUse::fitted;
    }));
    EXPECT_TRUE(study_from_json(*read_json(studyFile()))->fit.excluded.empty());
}

TEST_F(ScalingTest, AFitOlderThanItsPointsSaysSoAndItsErrorsAreShown) {
    addStudy(gridStudy());
    trainAll(2);
    fitStudy();
    open();
    EXPECT_EQ(page_->state(), QString());
    const std::vector<PlannedPoint> planned = plannedOf(spec_);
    train(planned.back());
    session_.refresh();
    ASSERT_TRUE(waitFor([&] {
        return page_->state().contains(QStringLiteral("1 point has finished since"));
    })) << page_->state().toStdString();
    QTest::mouseClick(page_->fitButton(), Qt::LeftButton);
    EXPECT_EQ(fits_->asked, QStringList{QStringLiteral("grid eval/loss")});
    EXPECT_TRUE(page_->isFitting());
    Q_EMIT fits_->progress(0.4, QStringLiteral("resamples"));
    EXPECT_TRUE(page_->state().contains(QStringLiteral("resamples")));
    QTest::mouseClick(page_->cancelButton(), Qt::LeftButton);
    EXPECT_EQ(fits_->asked.back(), QStringLiteral("cancel"));
    EXPECT_FALSE(page_->isFitting());
    QTest::mouseClick(page_->fitButton(), Qt::LeftButton);
    Q_EMIT fits_->ended(QStringLiteral("Full: must have at least 5 points, got 3"), false);
    EXPECT_EQ(page_->state(), QStringLiteral("Full: must have at least 5 points, got 3"));
}

TEST_F(ScalingTest, WithoutAStudyPointsOrAFit) {
    open();
    EXPECT_TRUE(page_->isEmpty());
    EXPECT_FALSE(page_->fitButton()->isEnabled());
    addStudy(gridStudy());
    session_.refresh();
    ASSERT_TRUE(waitFor([&] { return choice().content() != nullptr; }));
    EXPECT_TRUE(page_->isEmpty());
    QTest::mouseClick(page_->empty()->button(), Qt::LeftButton);
    EXPECT_EQ(commands_.asked, QStringList{QStringLiteral("study grid")});
    train(plannedOf(spec_).front());
    session_.refresh();
    ASSERT_TRUE(waitFor([&] { return !page_->isEmpty(); }));
    EXPECT_TRUE(page_->coefficients()->empty()->isVisibleTo(page_));
    QTest::mouseClick(page_->coefficients()->empty()->button(), Qt::LeftButton);
    EXPECT_EQ(fits_->asked, QStringList{QStringLiteral("grid eval/loss")});
}

TEST_F(ScalingTest, PanelsShareTheirAxesAndShowOneCurveEach) {
    addStudy(gridStudy());
    trainAll();
    fitStudy();
    open();
    QTest::mouseClick(page_->form()->button(1), Qt::LeftButton);
    ASSERT_EQ(page_->panels()->plots().size(), 2u);
    QCoreApplication::processEvents();
    const int full = pointAt(0, 1, 2), window = pointAt(1, 1, 2);
    const std::vector<ScalingPlot*>& plots = page_->panels()->plots();
    EXPECT_TRUE(plots[0]->place(full));
    EXPECT_FALSE(plots[0]->place(window));
    EXPECT_TRUE(plots[1]->place(window));
    page_->panelChoice()->setCurrentIndex(1);
    Q_EMIT page_->panelChoice()->activated(1);
    EXPECT_EQ(page_->panels()->plots().size(), 3u);
}

TEST_F(ScalingTest, TablesAreCopiedAndExported) {
    addStudy(gridStudy());
    trainAll();
    fitStudy();
    open();
    QTest::mouseClick(page_->coefficients()->latexButton(), Qt::LeftButton);
    EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(QStringLiteral("\\toprule")));
    QTest::mouseClick(page_->coefficients()->csvButton(), Qt::LeftButton);
    const std::string stem = fixture_.project().folder() + "/figures/grid-eval-loss";
    EXPECT_TRUE(read_file(stem + "-coefficients.csv").has_value());
    const Result<std::string> points = read_file(stem + "-points.csv");
    ASSERT_TRUE(points);
    EXPECT_EQ(parse_csv(*points)->rows.size(), 24u);
}

TEST_F(ScalingTest, TheGridTheQueueAndTheCostOfARunningStudy) {
    addStudy(gridStudy());
    const std::vector<PlannedPoint> planned = plannedOf(spec_);
    for (std::size_t i = 0; i < 6; ++i) train(planned[i]);
    train(planned[6], 0.5, RunState::cancelled);
    open();
    EXPECT_TRUE(side_->costText().contains(QStringLiteral("Saved by branching")))
        << side_->costText().toStdString();
    EXPECT_FALSE(side_->nextButton()->isEnabled());
    const int waiting = [&] {
        for (std::size_t i = 0; i < view().points.size(); ++i)
            if (view().points[i].run.empty()) return int(i);
        return -1;
    }();
    choice().setCurrent(waiting);
    ASSERT_TRUE(side_->nextButton()->isEnabled());
    QTest::mouseClick(side_->nextButton(), Qt::LeftButton);
    ASSERT_FALSE(commands_.asked.isEmpty());
    EXPECT_TRUE(commands_.asked.back().startsWith(QStringLiteral("study grid first architecture=")))
        << commands_.asked.back().toStdString();
    QTest::mouseClick(side_->runButton(), Qt::LeftButton);
    EXPECT_EQ(commands_.asked.back(), QStringLiteral("study grid"));
}

// What a reading costs while one moves over 10,000 points.
TEST_F(ScalingTest, TenThousandPointsStayFast) {
    auto content = std::make_shared<ScalingContent>();
    content->study = "large";
    ScalingView& view = content->view;
    view.metric = "eval/loss";
    for (int i = 0; i < 20; ++i) view.curves.push_back({.name = "curve " + std::to_string(i), .colour = i});
    for (int i = 0; i < 5; ++i)
        view.scales.push_back({.name = "S" + std::to_string(i), .parameters = 1e7 * std::pow(2, i)});
    for (std::size_t i = 0; i < 10'000; ++i) {
        ScalingViewPoint point{.curve = i % 20, .scale = i / 20 % 5, .point = i, .label = "point", .seed = i};
        point.parameters = view.scales[point.scale].parameters;
        point.tokens = 1e9 * std::pow(10, double(i % 97) / 50);
        point.value = lawOf(i % 2, point.parameters, point.tokens) * (1 + 0.01 * noise_(random_));
        point.state = RunState::finished;
        point.run = "r" + std::to_string(i);
        view.points.push_back(point);
    }
    ScalingPlot plot;
    plot.resize(900, 600);
    plot.show(content, {});
    plot.setVisible(true);
    QCoreApplication::processEvents();
    plot.show(content, {.means = false, .title = QStringLiteral("again")});
    QElapsedTimer timer;
    timer.start();
    EXPECT_FALSE(plot.grab().isNull());
    const double first = double(timer.nsecsElapsed()) / 1e6;
    timer.restart();
    constexpr int frames = 50;
    for (int i = 0; i < frames; ++i) {
        QTest::mouseMove(&plot, QPoint(100 + 10 * i, 300));
        plot.repaint();
    }
    const double each = double(timer.nsecsElapsed()) / 1e6 / frames;
    std::printf("10,000 points: first %.1f ms, each frame while hovering %.2f ms\n", first, each);
    EXPECT_LT(each, 16.6);
    EXPECT_LT(first, 400);
}

}  // namespace
}  // namespace braid::ui
