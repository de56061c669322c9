// The Investigate page over a study with two variants and two seeds, with real clicks.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QWheelEvent>
#include <filesystem>

#include "tests/widgets_common/project_fixture.h"
#include "tests/widgets_probe/measurement_files.h"
#include "tests/widgets_train/recorder.h"
#include "widgets/common/controls.h"
#include "widgets/figure/figure_dialog.h"
#include "widgets/investigate/investigate_page.h"
#include "widgets/investigate/investigate_views.h"
#include "widgets/plot/curve_plot.h"
#include "widgets/probe/layer_map_view.h"
#include "widgets/probe/run_legend.h"

namespace braid::ui {
namespace {

class InvestigateTest : public ::testing::Test {
protected:
    RunFolder addRun(const std::string& label, std::uint64_t seed, bool finished = true) {
        RunPlan plan;
        plan.name = label + ", seed " + std::to_string(seed);
        plan.architecture = architectureOf("FS[w=4] x2", label);
        plan.training.steps = 600;
        plan.training.seed = seed;
        plan.study = StudyId("laziness");
        plan.point = slug(label) + "/seed-" + std::to_string(seed);
        const RunFolder folder = *fixture_.project().add_run(std::move(plan));
        const auto writer = ProjectFixture::write(folder);
        EXPECT_TRUE(writer->begin_attempt({}).has_value());
        ProjectFixture::steps(*writer, 0, 600);
        EXPECT_TRUE(writer->close(finished ? RunState::finished : RunState::cancelled).has_value());
        runs_.push_back(folder);
        return folder;
    }
    static void addAnswers(const RunFolder& run, double corner) {
        const MeasurementFiles files(run, 600);
        files.trace(corner);
        files.heads(2);
        files.gradient();
    }
    void open() {
        session_.open(fixture_.folder());
        ASSERT_TRUE(waitFor([&] { return session_.isOpen() && session_.study(QStringLiteral("laziness")); }));
        page_ = std::make_unique<InvestigatePage>(context_);
        page_->resize(1000, 800);
        page_->show();
        page_->setActive(true);
        page_->showStudy(QStringLiteral("laziness"));
        QCoreApplication::processEvents();
    }
    QString cell(int row, int column) const {
        return page_->views()->table()->model()->index(row, column).data().toString();
    }

    ProjectFixture fixture_;
    ProjectSession session_;
    RecordingCommands commands_;
    RecordingShell shell_;
    CommandRegistry registry_;
    WorkspaceContext context_{session_, commands_, registry_, shell_};
    std::unique_ptr<InvestigatePage> page_;
    std::vector<RunFolder> runs_;
};

TEST_F(InvestigateTest, TellsInHowManySeedsTheFindingHolds) {
    fixture_.addStudy("laziness");
    addAnswers(addRun("Window 4", 1), 4e5);
    addAnswers(addRun("Window 64", 1), 1.4e6);
    addAnswers(addRun("Window 4", 2), 4e5);
    addAnswers(addRun("Window 64", 2), 5e5);
    open();
    ASSERT_TRUE(waitFor([&] { return page_->views()->table()->model()->rowCount() == 2; }));
    const QAbstractItemModelTester tester(page_->views()->table()->model());
    EXPECT_EQ(page_->views()->headline(),
              QStringLiteral(
                  "In 1 of 2 seeds Window 64 forms a retrieval head after at least 1.4 times the tokens of "
                  "Window 4 (seed 1: 3.00 times); not so in seed 2: 1.20 times."))
        << page_->views()->headline().toStdString();
    EXPECT_EQ(cell(0, 3), QStringLiteral("3.00"));
    EXPECT_EQ(cell(1, 4), QStringLiteral("not so"));
    EXPECT_EQ(page_->views()->massPlot()->series().size(), 2) << "of seed 1";
    EXPECT_EQ(page_->views()->gradientPlot()->series().size(), 2);
    ASSERT_EQ(page_->views()->earlyMap()->sections().size(), 1U);
    EXPECT_EQ(page_->views()->earlyMap()->sections()[0].map.most,
              page_->views()->lateMap()->sections()[0].map.most)
        << "one scale";
    // Sorted by keys, too: by how many times as late.
    page_->views()->table()->setCurrentIndex(page_->views()->table()->model()->index(0, 3));
    QTest::keyClick(page_->views()->table(), Qt::Key_Up, Qt::AltModifier);
    EXPECT_EQ(cell(0, 3), QStringLiteral("1.20"));
    page_->views()->table()->setCurrentIndex(page_->views()->table()->model()->index(0, 0));
    QTest::keyClick(page_->views()->table(), Qt::Key_Up, Qt::AltModifier);
    EXPECT_EQ(cell(0, 3), QStringLiteral("3.00"));
    // A click on a row shows its seed.
    QTableView* table = page_->views()->table();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(table->model()->index(1, 1)).center());
    EXPECT_EQ(page_->seedChoice()->currentText(), QStringLiteral("Seed 2"));
    // The other way round nothing is later.
    page_->earlyChoice()->setFocus();
    QTest::keyClick(page_->earlyChoice(), Qt::Key_Down);
    QTest::keyClick(page_->lateChoice(), Qt::Key_Up);
    EXPECT_TRUE(page_->views()->headline().startsWith(QStringLiteral("In 0 of 2 seeds")))
        << page_->views()->headline().toStdString();
    EXPECT_FALSE(page_->measureButton()->isEnabled()) << "all is measured";
    // With itself nothing is compared, and it says so.
    QTest::keyClick(page_->lateChoice(), Qt::Key_Down);
    EXPECT_TRUE(page_->views()->headline().startsWith(QStringLiteral("Choose two variants")))
        << page_->views()->headline().toStdString();
    QTest::keyClick(page_->lateChoice(), Qt::Key_Up);
    QTest::mouseClick(page_->figureButton(), Qt::LeftButton);
    auto* dialog = page_->findChild<FigureDialog*>();
    ASSERT_NE(dialog, nullptr);
    dialog->reject();
    // A head of a map can be opened.
    LayerMapView* map = page_->views()->lateMap();
    QTest::mouseDClick(map, Qt::LeftButton, {}, map->cellRect({0, 1, 2}).center().toPoint());
    ASSERT_TRUE(session_.chosenHead().has_value());
    EXPECT_EQ(session_.chosenHead()->layer, 2U);
    EXPECT_EQ(session_.chosenHead()->head, 1U);
    EXPECT_EQ(shell_.shown.last(), QStringLiteral("heads"));
}

TEST_F(InvestigateTest, MeasuresWhatIsMissingAndCanBeCancelled) {
    fixture_.addStudy("laziness");
    addAnswers(addRun("Window 4", 1), 4e5);
    addRun("Window 64", 1);
    addRun("Window 64", 2, false);
    open();
    ASSERT_TRUE(page_->measureButton()->isEnabled());
    // Nothing is tried of a run whose checkpoint is not there; it is named once.
    QTest::mouseClick(page_->measureButton(), Qt::LeftButton);
    ASSERT_TRUE(waitFor([&] {
        return page_->views()->state().contains(QStringLiteral("Window 64, seed 1"));
    })) << page_->views()->state().toStdString();
    EXPECT_TRUE(commands_.scores.empty());
    EXPECT_FALSE(page_->views()->state().contains(QLatin1Char('\n')));
    for (const RunFolder& run : runs_) std::filesystem::create_directories(run.checkpoint_folder(Step(600)));
    QTest::mouseClick(page_->measureButton(), Qt::LeftButton);
    ASSERT_TRUE(waitFor([&] { return !commands_.scores.empty(); }));
    EXPECT_TRUE(page_->views()->state().isEmpty());
    ASSERT_EQ(commands_.scores.size(), 3U) << "of the one finished run without answers";
    EXPECT_TRUE(commands_.scores[0].isMeasurement());
    EXPECT_EQ(commands_.scores[0].kind, QStringLiteral("trace"));
    EXPECT_EQ(commands_.scores[0].step, 600);
    for (int i = 0; i < 3; ++i)
        Q_EMIT commands_.scoreJobChanged(
            {.id = 7 + i,
             .request = commands_.scores[std::size_t(i)],
             .state = i == 0 ? ScoreJob::State::running : ScoreJob::State::waiting,
             .fraction = 0.5});
    EXPECT_TRUE(page_->cancelButton()->isVisible());
    EXPECT_FALSE(page_->measureButton()->isEnabled());
    QTest::mouseClick(page_->cancelButton(), Qt::LeftButton);
    EXPECT_EQ(commands_.asked.mid(commands_.asked.size() - 3),
              (QStringList{QStringLiteral("cancel-score 9"), QStringLiteral("cancel-score 8"),
                           QStringLiteral("cancel-score 7")}));
    Q_EMIT commands_.scoreJobChanged({.id = 7,
                                      .request = commands_.scores[0],
                                      .state = ScoreJob::State::failed,
                                      .text = QStringLiteral("the disk is full")});
    for (int i = 1; i < 3; ++i)
        Q_EMIT commands_.scoreJobChanged(
            {.id = 7 + i, .request = commands_.scores[std::size_t(i)], .state = ScoreJob::State::cancelled});
    bool told = false;
    for (const QLabel* label : page_->findChildren<QLabel*>())
        told = told || (label->isVisible() && label->text().contains(QStringLiteral("the disk is full")));
    EXPECT_TRUE(told);
    EXPECT_TRUE(page_->measureButton()->isEnabled()) << "again";
}

TEST_F(InvestigateTest, NarrowPagesStandPartsBeneathEachOtherAndNothingIsCut) {
    fixture_.addStudy("laziness");
    addAnswers(addRun("Window 4", 1), 4e5);
    addAnswers(addRun("Window 64", 1), 1.4e6);
    open();
    InvestigateViews* views = page_->views();
    ASSERT_TRUE(waitFor([&] { return views->massPlot()->series().size() == 2; }));
    EXPECT_FALSE(views->isNarrow());
    EXPECT_EQ(views->legend()->entries().size(), 2U);
    for (const int width : {1000, 640, 480}) {
        page_->resize(width, 600);
        QCoreApplication::processEvents();
        EXPECT_LE(views->widget()->width(), views->viewport()->width()) << width;
        for (const QWidget* part : std::initializer_list<QWidget*>{
                 views->massPlot(), views->gradientPlot(), views->table(), views->lateMap(), views->legend()})
            EXPECT_LE(part->mapTo(views->widget(), QPoint(part->width(), 0)).x(), views->viewport()->width())
                << width;
    }
    EXPECT_TRUE(views->isNarrow());
    EXPECT_GT(views->entropyPlot()->mapTo(views->widget(), QPoint()).y(),
              views->massPlot()->mapTo(views->widget(), QPoint(0, views->massPlot()->height() - 1)).y());
}

TEST_F(InvestigateTest, TheWheelOverAChartScrollsThePage) {
    fixture_.addStudy("laziness");
    addAnswers(addRun("Window 4", 1), 4e5);
    open();
    InvestigateViews* views = page_->views();
    ASSERT_TRUE(waitFor([&] { return views->massPlot()->series().size() == 1; }));
    page_->resize(1000, 400);
    QCoreApplication::processEvents();
    CurvePlot* plot = views->massPlot();
    const AxisRange before = plot->xRange();
    QWidget* inside = plot->childAt(plot->rect().center());
    ASSERT_NE(inside, nullptr);
    const auto wheel = [&](Qt::KeyboardModifiers with) {
        const QPointF at = inside->rect().center();
        QWheelEvent event(at, inside->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, with, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(inside, &event);
        return event.isAccepted();
    };
    EXPECT_FALSE(wheel(Qt::NoModifier)) << "goes on to the page";
    EXPECT_EQ(plot->xRange().lower, before.lower);
    EXPECT_EQ(plot->xRange().upper, before.upper);
    EXPECT_TRUE(wheel(Qt::ControlModifier));
    EXPECT_NE(plot->xRange().upper, before.upper);
}

TEST_F(InvestigateTest, OffersToRunTheStudyFirst) {
    fixture_.addStudy("laziness");
    open();
    EXPECT_TRUE(page_->empty()->isVisible());
    EXPECT_FALSE(page_->measureButton()->isEnabled());
    QTest::mouseClick(page_->empty()->button(), Qt::LeftButton);
    EXPECT_EQ(commands_.asked, QStringList{QStringLiteral("study laziness")});
}

}  // namespace
}  // namespace braid::ui
