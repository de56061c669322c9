// The table of runs by scores, on real stores and score files.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QTabBar>
#include <QTest>

#include "tests/widgets_train/score_files.h"
#include "tests/widgets_train/train_fixture.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/pinned_table.h"
#include "widgets/common/run_list_model.h"
#include "widgets/train/column_chooser.h"
#include "widgets/train/runs_table_model.h"
#include "widgets/train/runs_table_page.h"
#include "widgets/train/scores_page.h"

namespace braid::ui {
namespace {

// A run as the session would know it, without files.
RunPointer madeRun(int number, double loss, const char* pattern = "FS[w=16] x2", std::int64_t seed = 1) {
    auto plan = std::make_shared<RunPlan>();
    plan->id = RunId("r" + std::to_string(number));
    plan->name = "run " + std::to_string(number);
    plan->architecture = architectureOf(pattern, "base");
    plan->training.seed = std::uint64_t(seed);
    auto record = std::make_shared<RunSnapshot>();
    record->status.state = RunState::finished;
    record->status.step = Step(600);
    if (!std::isnan(loss)) record->status.latest["loss"] = loss;
    auto view = std::make_shared<RunView>();
    view->id = plan->id;
    view->name = QString::fromStdString(plan->name);
    view->plan = plan;
    view->record = record;
    return view;
}

QStringList names(const RunsTableProxy& proxy) {
    QStringList list;
    for (int row = 0; row < proxy.rowCount(); ++row) list << proxy.runAt(row)->name;
    return list;
}

TEST(RunsTable, SortsByAnyColumnWithMissingValuesLast) {
    RunsTableModel model;
    RunsTableProxy proxy(&model);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const QAbstractItemModelTester proxyTester(&proxy, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.show({madeRun(1, 3.2), madeRun(2, std::nan("")), madeRun(3, 2.9)});
    const int loss = model.sectionOf(QStringLiteral("loss"));
    ASSERT_GE(loss, 0);
    proxy.sort(loss, Qt::AscendingOrder);
    EXPECT_EQ(names(proxy).join(u','), QStringLiteral("run 3,run 1,run 2"));
    proxy.sort(loss, Qt::DescendingOrder);
    EXPECT_EQ(names(proxy).join(u','), QStringLiteral("run 1,run 3,run 2"));
    EXPECT_EQ(model.index(1, loss).data().toString(), QStringLiteral("—"));
    EXPECT_TRUE(model.index(2, loss).data(BestRole).toBool());
    EXPECT_FALSE(model.index(0, loss).data(BestRole).toBool());
}

TEST(RunsTable, ShowsSettingsThatDifferAndMarksWhoDeviates) {
    RunsTableModel model;
    model.show({madeRun(1, 3, "FS[w=16] x2"), madeRun(2, 3, "FS[w=16] x2"), madeRun(3, 3, "FS[w=64] x2")});
    const int window = model.sectionOf(QStringLiteral("swa.window"));
    ASSERT_GE(window, 0);
    EXPECT_TRUE(model.column(window).differs);
    EXPECT_FALSE(model.index(0, window).data(DeviatingRole).toBool());
    EXPECT_TRUE(model.index(2, window).data(DeviatingRole).toBool());
    EXPECT_EQ(model.sectionOf(QStringLiteral("seed")), -1) << "all runs have the same";
    EXPECT_EQ(model.differing(), 2) << "window and pattern";
    model.setChosen({{QStringLiteral("seed"), true}, {QStringLiteral("time"), false}});
    EXPECT_GE(model.sectionOf(QStringLiteral("seed")), 0);
    EXPECT_EQ(model.sectionOf(QStringLiteral("time")), -1);
    model.setPinned({QStringLiteral("run"), QStringLiteral("loss")});
    EXPECT_EQ(model.sectionOf(QStringLiteral("loss")), 1);
    EXPECT_EQ(model.pinnedCount(), 2);
}

TEST(RunsTable, FiltersByWordsAndComparisons) {
    RunsTableModel model;
    RunsTableProxy proxy(&model);
    model.show({madeRun(1, 3.2, "FS[w=16] x2", 1), madeRun(2, std::nan(""), "FS[w=16] x2", 2),
                madeRun(3, 2.9, "FS[w=64] x2", 1), madeRun(4, 2.5, "FF x2", 1)});
    const auto shown = [&](const char* text) {
        proxy.setFilter(QString::fromUtf8(text));
        return names(proxy).join(u',').toStdString();
    };
    EXPECT_EQ(shown("loss<3"), "run 3,run 4");
    EXPECT_EQ(shown("loss < 3 window=64"), "run 3");
    EXPECT_EQ(shown("window=16"), "run 1,run 2");
    EXPECT_EQ(shown("window=1"), "") << "not a part of a number";
    EXPECT_EQ(shown("seed!=1"), "run 2");
    EXPECT_EQ(shown("\"run 4\""), "run 4");
    EXPECT_EQ(shown("pattern:w=64"), "run 3");
    EXPECT_EQ(shown("loss>=2.9 loss<=3.2"), "run 1,run 3");
    EXPECT_EQ(shown(""), "run 1,run 2,run 3,run 4");
    EXPECT_TRUE(proxy.problem().isEmpty());
    EXPECT_EQ(shown("colour=3 loss<3"), "run 3,run 4");
    EXPECT_TRUE(proxy.problem().contains(QStringLiteral("colour")));
    EXPECT_EQ(shown("loss<many"), "run 1,run 2,run 3,run 4");
    EXPECT_TRUE(proxy.problem().contains(QStringLiteral("many")));
}

TEST(RunsTable, FiveHundredRunsStayFluid) {
    std::vector<RunPointer> runs;
    for (int i = 0; i < 500; ++i) runs.push_back(madeRun(i, 2 + i * 0.01, "FS[w=16] x2", i % 7));
    RunsTableModel model;
    RunsTableProxy proxy(&model);
    PinnedTable table(QStringLiteral("Runs"));
    table.setModel(&proxy);
    table.resize(1000, 700);
    table.show();
    QElapsedTimer timer;
    timer.start();
    model.show(runs);
    table.setPinnedCount(1);
    table.fitColumns();
    const qint64 first = timer.restart();
    proxy.sort(model.sectionOf(QStringLiteral("loss")), Qt::DescendingOrder);
    proxy.setFilter(QStringLiteral("loss<5 seed=3"));
    const qint64 sorted = timer.restart();
    EXPECT_GT(proxy.rowCount(), 20);
    // A live run reports: one row is made again.
    runs[7] = madeRun(7, 1.5, "FS[w=16] x2", 0);
    model.show(runs);
    const qint64 update = timer.elapsed();
    std::printf("500 runs: shown after %lld ms, sorted and filtered %lld ms, one update %lld ms\n",
                static_cast<long long>(first), static_cast<long long>(sorted),
                static_cast<long long>(update));
    EXPECT_LT(first, 1'500);
    EXPECT_LT(sorted, 500);
    EXPECT_LT(update, 100);
}

class RunsTablePageTest : public TrainWorkspaceTest {
protected:
    void SetUp() override {
        QSettings().remove(QStringLiteral("train/runsTable"));
        near_ = fixture_.addFinishedRun("swa near", {}, {}, 200);
        far_ = fixture_.addFinishedRun("swa far", {}, {}, 400);
        addNeedleScore(near_, 400, 0.6);
        addNeedleScore(near_, 600, 1);
        open();
        workspace_->showTab(TrainWorkspace::Table);
        page_ = workspace_->tablePage();
        ASSERT_TRUE(waitFor([&] { return page_->proxy()->rowCount() == 2 && scoreSection() >= 0; }));
    }
    void TearDown() override { QSettings().remove(QStringLiteral("train/runsTable")); }
    int scoreSection() const { return page_->model()->sectionOf(QStringLiteral("score/niah/niah-accuracy")); }
    QModelIndex cell(const char* run, int section) const {
        for (int row = 0; row < page_->proxy()->rowCount(); ++row)
            if (page_->proxy()->runAt(row)->name == QLatin1String(run))
                return page_->proxy()->index(row, section);
        return {};
    }

    RunFolder near_, far_;
    RunsTablePage* page_ = nullptr;
};

TEST_F(RunsTablePageTest, AScoreIsAColumnAndOpensFromItsCell) {
    EXPECT_EQ(cell("swa far", scoreSection()).data().toString(), QStringLiteral("—"));
    EXPECT_EQ(cell("swa near", scoreSection()).data().toString(), QStringLiteral("80.8"));
    EXPECT_EQ(page_->model()->headerData(scoreSection(), Qt::Horizontal, Qt::DisplayRole).toString(),
              QStringLiteral("NIAH accuracy, %"));
    const QModelIndex index = cell("swa near", scoreSection());
    page_->table()->scrollTo(index);
    QTest::mouseClick(page_->table()->viewport(), Qt::LeftButton, {},
                      page_->table()->visualRect(index).center());
    QTest::mouseDClick(page_->table()->viewport(), Qt::LeftButton, {},
                       page_->table()->visualRect(index).center());
    EXPECT_EQ(workspace_->tabs()->currentIndex(), int(TrainWorkspace::Scores));
    ASSERT_NE(workspace_->scoresPage()->current(), nullptr);
    EXPECT_EQ(workspace_->scoresPage()->current()->checkpoint.step, Step(600));
}

TEST_F(RunsTablePageTest, ASelectedRowStaysSelectedWhileTheProjectIsRead) {
    page_->table()->selectRow(1);
    const RunPointer run = page_->currentRun();
    ASSERT_NE(run, nullptr);
    EXPECT_TRUE(page_->scoreButton()->isEnabled());
    addLossScore(far_, 600, 2.5);  // a new column
    session_.refresh();
    ASSERT_TRUE(waitFor([&] { return page_->model()->sectionOf(QStringLiteral("score/loss/loss")) >= 0; }));
    EXPECT_EQ(page_->currentRun()->id, run->id);
    EXPECT_TRUE(page_->scoreButton()->isEnabled());
}

TEST_F(RunsTablePageTest, ReturnOpensTheCurvesOfTheRun) {
    page_->table()->setFocus();
    page_->table()->setCurrentIndex(cell("swa far", 0));
    QTest::keyClick(page_->table(), Qt::Key_Return);
    EXPECT_EQ(workspace_->tabs()->currentIndex(), int(TrainWorkspace::Curves));
    ASSERT_EQ(session_.selectedRuns().size(), 1U);
    EXPECT_EQ(session_.currentRun()->name, QStringLiteral("swa far"));
}

TEST_F(RunsTablePageTest, FilterAndColumnsByRealKeys) {
    page_->filter()->setFocus();
    QTest::keyClicks(page_->filter(), QStringLiteral("niahaccuracy>50"));
    EXPECT_EQ(page_->proxy()->rowCount(), 1);
    page_->filter()->clear();
    EXPECT_EQ(page_->proxy()->rowCount(), 2);
    ColumnChooser* chooser = page_->chooseColumns();
    chooser->setShown(QStringLiteral("layers"), false);
    chooser->setPinned(QStringLiteral("loss"), true);
    chooser->close();
    EXPECT_EQ(page_->model()->sectionOf(QStringLiteral("layers")), -1);
    EXPECT_EQ(page_->model()->sectionOf(QStringLiteral("loss")), 1);
    EXPECT_EQ(page_->table()->pinnedCount(), 2);
    // Pinned columns stay while the others scroll.
    page_->table()->horizontalScrollBar()->setValue(page_->table()->horizontalScrollBar()->maximum());
    EXPECT_TRUE(page_->table()->pinnedView()->isVisible());
    EXPECT_EQ(page_->table()->pinnedView()->columnAt(4), 0);
    EXPECT_EQ(QSettings().value(QStringLiteral("train/runsTable/pinned")).toStringList(),
              (QStringList{QStringLiteral("run"), QStringLiteral("loss")}));
}

TEST_F(RunsTablePageTest, TheCopyHasFullPrecision) {
    const QString csv = page_->text(QLatin1Char(','));
    const QStringList lines = csv.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), 3);
    EXPECT_TRUE(lines[0].startsWith(QStringLiteral("Run,Layers,State,")));
    const auto loss = *session_.runs()->at(0)->latest("loss");
    EXPECT_TRUE(csv.contains(QString::fromStdString(exact_number(loss)))) << csv.toStdString();
    EXPECT_EQ(page_->text(QLatin1Char('\t')).count(QLatin1Char('\t')) % 3, 0);
}

TEST_F(RunsTablePageTest, AScoreThatIsWrittenMeanwhileArrives) {
    addNeedleScore(far_, 600, 0.5);
    session_.refresh();
    ASSERT_TRUE(
        waitFor([&] { return cell("swa far", scoreSection()).data().toString() != QStringLiteral("—"); }));
}

}  // namespace
}  // namespace braid::ui
