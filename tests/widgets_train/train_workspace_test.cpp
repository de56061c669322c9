// Train on real run stores, by real clicks and keys.
#include "widgets/train/train_workspace.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTableView>
#include <QTest>

#include "tests/widgets_train/train_fixture.h"
#include "widgets/common/segments.h"
#include "widgets/plot/curve_plot.h"
#include "widgets/train/comparison_model.h"
#include "widgets/train/run_panel.h"
#include "widgets/train/study_page.h"
#include "widgets/train/study_table.h"
#include "widgets/train/train_page.h"

namespace braid::ui {
namespace {

TEST_F(TrainWorkspaceTest, BeginsWithTheStudyAndOneButtonRunsIt) {
    fixture_.addStudy("laziness");
    open();
    ASSERT_TRUE(waitFor([&] { return workspace_->studyPage()->study() == QStringLiteral("laziness"); }));
    EXPECT_TRUE(workspace_->showsStudy());
    ASSERT_TRUE(waitFor([&] { return workspace_->studyPage()->runButton()->isEnabled(); }));
    QTest::mouseClick(workspace_->studyPage()->runButton(), Qt::LeftButton);
    EXPECT_EQ(commands_.asked, QStringList{QStringLiteral("study laziness")});
    EXPECT_EQ(workspace_->commandLine(), QStringLiteral("braid-engine study run laziness"));
}

TEST_F(TrainWorkspaceTest, AFinishedStudyTellsItsResult) {
    fixture_.addStudy("laziness");
    fixture_.addFinishedRun("Window 4", "laziness", "window-4/seed-1", 200);
    fixture_.addFinishedRun("Window 64", "laziness", "window-64/seed-1", 450);
    open();
    ASSERT_TRUE(waitFor([&] { return headline() == "Window 64 with RoPE learned to look far last."; }))
        << headline();
    StudyTableModel* table = workspace_->studyPage()->table();
    const QAbstractItemModelTester tester(table, QAbstractItemModelTester::FailureReportingMode::Fatal);
    ASSERT_EQ(table->rowCount(), 2);
    const auto text = [&](int row, int column) {
        return table->data(table->index(row, column), Qt::DisplayRole).toString();
    };
    EXPECT_EQ(text(0, StudyTableModel::Hybrid), QStringLiteral("Window 4"));
    EXPECT_EQ(text(0, StudyTableModel::Step),
              QStringLiteral("260"));  // logistic at 200, first evaluation >= 0.9
    EXPECT_EQ(text(1, StudyTableModel::Step), QStringLiteral("500"));
    EXPECT_EQ(workspace_->studyPage()->farPlot()->series().size(), 2);
    // Nothing of a narrow page is beside it.
    auto* scroll = workspace_->studyPage()->findChild<QScrollArea*>();
    for (const int width : {1100, 600}) {
        workspace_->page()->resize(width, 600);
        QCoreApplication::processEvents();
        EXPECT_LE(scroll->widget()->width(), scroll->viewport()->width()) << width;
    }
    workspace_->page()->activateWindow();
    workspace_->studyPage()->setFocus();
    QTest::keyClick(workspace_->studyPage(), Qt::Key_E);
    const auto dialog = [&] { return workspace_->studyPage()->findChild<QDialog*>(); };
    ASSERT_TRUE(waitFor([&] { return dialog() != nullptr && dialog()->isVisible(); }));
    dialog()->reject();
    EXPECT_FALSE(workspace_->studyPage()->runButton()->isEnabled());  // with a reason
    EXPECT_FALSE(workspace_->studyPage()->runButton()->toolTip().isEmpty());
}

TEST_F(TrainWorkspaceTest, PauseAndStopReachTheRunsThatWork) {
    fixture_.addStudy("laziness");
    const RunFolder folder = fixture_.addRun("Window 4", "laziness", "window-4/seed-1");
    const auto writer = ProjectFixture::write(folder);
    ASSERT_TRUE(writer->begin_attempt({}).has_value());
    ProjectFixture::steps(*writer, 0, 100);
    open();
    StudyPage* page = workspace_->studyPage();
    ASSERT_TRUE(waitFor([&] { return page->pauseButton()->isVisible(); }));
    QTest::mouseClick(page->pauseButton(), Qt::LeftButton);
    QTest::mouseClick(page->stopButton(), Qt::LeftButton);
    const QString id = QString::fromStdString(read_plan(folder.plan_file())->id.str());
    EXPECT_EQ(commands_.asked,
              (QStringList{QStringLiteral("pause ") + id, QStringLiteral("stop-study laziness")}));
}

TEST_F(TrainWorkspaceTest, SelectedRunsAreDrawnOnEveryAxisAndALiveStepArrives) {
    const RunFolder done = fixture_.addFinishedRun("done");
    const RunFolder live = fixture_.addRun("live");
    const auto writer = ProjectFixture::write(live);
    ASSERT_TRUE(writer->begin_attempt({}).has_value());
    ProjectFixture::steps(*writer, 0, 100);
    open();
    select({live, done});
    TrainPage* page = workspace_->trainPage();
    const auto points = [&](int series) {
        const QVector<PlotSeries>& all = page->lossPlot()->series();
        return series < all.size() ? all[series].curve->size() : 0;
    };
    ASSERT_TRUE(waitFor([&] { return points(0) == 100 && points(1) == 600; }))
        << points(0) << ' ' << points(1);
    EXPECT_TRUE(page->lossPlot()->series()[0].live);
    EXPECT_FALSE(workspace_->showsStudy());
    EXPECT_EQ(page->secondPlot()->series()[1].curve->size(), 30U);  // recall/far, every 20 steps

    QElapsedTimer timer;
    timer.start();
    ProjectFixture::steps(*writer, 100, 120);
    ASSERT_TRUE(waitFor([&] { return points(0) == 120; }));
    std::printf("    a committed step was in the plot after %lld ms (limit 1,000)\n",
                static_cast<long long>(timer.elapsed()));
    EXPECT_LT(timer.elapsed(), 1000);

    auto* axis = page->findChildren<Segments*>().first();
    QTest::mouseClick(axis->findChildren<QAbstractButton*>().at(1), Qt::LeftButton);
    EXPECT_EQ(page->axis(), XAxis::tokens);
    ASSERT_TRUE(waitFor(
        [&] { return points(1) == 600 && page->lossPlot()->series()[1].curve->back().x == 600.0 * 4096; }));
}

TEST_F(TrainWorkspaceTest, TheComparisonShowsWhatDiffers) {
    const RunFolder a = fixture_.addFinishedRun("a");
    const RunFolder b = fixture_.addFinishedRun("b");
    open();
    select({a, b});
    ComparisonModel* model = workspace_->trainPage()->comparison();
    const QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    ASSERT_TRUE(waitFor([&] { return model->rowCount() == 2; }));
    EXPECT_EQ(model->differing(), 0);
    EXPECT_GT(model->settings(), 15);
    const int before = model->columnCount();
    model->setOnlyDiffering(true);
    EXPECT_LT(model->columnCount(), before);
}

TEST_F(TrainWorkspaceTest, WhatIsEmptySaysWhatWillBeThere) {
    open();
    auto* panel = qobject_cast<RunPanel*>(workspace_->inspector());
    panel->resize(290, 700);
    panel->show();
    EXPECT_FALSE(panel->stopButton()->isVisible()) << "no dashes and dead buttons without a run";
    select({fixture_.addFinishedRun("done")});
    ASSERT_TRUE(waitFor([&] { return panel->stopButton()->isVisible(); }));
    EXPECT_FALSE(panel->cursorTable()->isVisible());
    CurvePlot* loss = workspace_->trainPage()->lossPlot();
    ASSERT_TRUE(waitFor([&] { return !loss->series().isEmpty() && loss->series()[0].curve->size() == 600; }));
    QTest::mouseClick(loss->findChild<QWidget*>(), Qt::LeftButton, {}, loss->rect().center());
    ASSERT_TRUE(waitFor([&] { return panel->cursorTable()->isVisible(); }));
    EXPECT_EQ(panel->cursorTable()->model()->rowCount(), 1);
    delete panel;
}

TEST_F(TrainWorkspaceTest, TheErrorOfAnAccuracyFollowsFromTheRecordedQueries) {
    fixture_.addStudy("laziness");
    const RunFolder folder = fixture_.addRun("Window 4", "laziness", "window-4/seed-1");
    const auto writer = ProjectFixture::write(folder);
    ASSERT_TRUE(writer->begin_attempt({}).has_value());
    writer->append(Step(20), {{"recall/far", 0.5}});
    ASSERT_TRUE(writer->flush().has_value());
    open();
    StudyTableModel* table = workspace_->studyPage()->table();
    const auto text = [&](int column) { return table->index(0, column).data().toString(); };
    ASSERT_TRUE(waitFor([&] { return text(StudyTableModel::Final) == QStringLiteral("0.500"); }));
    EXPECT_EQ(text(StudyTableModel::Error), QString()) << "not known how many";
    writer->event(Step(20), LogLevel::info, "evaluation", "evaluates", {{"queries", {{"recall/far", 100}}}});
    ASSERT_TRUE(waitFor([&] { return text(StudyTableModel::Error) == QStringLiteral("± 0.050"); }));
}

TEST_F(TrainWorkspaceTest, TheRunPanelOffersWhatTheStateAllows) {
    const RunFolder done = fixture_.addFinishedRun("done");
    open();
    select({done});
    auto* panel = qobject_cast<RunPanel*>(workspace_->inspector());
    panel->show();
    ASSERT_TRUE(waitFor([&] { return workspace_->trainPage()->shown().size() == 1; }));
    EXPECT_FALSE(panel->stopButton()->isEnabled());
    EXPECT_FALSE(panel->stopButton()->toolTip().isEmpty());
    EXPECT_FALSE(panel->pauseButton()->isEnabled());
    delete panel;
}

}  // namespace
}  // namespace braid::ui
