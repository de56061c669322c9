// Maps of needles, answers, settings, key tokens in the text, and asking for a score.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTabBar>
#include <QTableView>
#include <QTest>

#include "core/base/file.h"
#include "tests/widgets_train/score_files.h"
#include "tests/widgets_train/train_fixture.h"
#include "widgets/common/colour_map.h"
#include "widgets/common/field.h"
#include "widgets/common/format.h"
#include "widgets/common/parameter_editor.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/score_jobs.h"
#include "widgets/common/segments.h"
#include "widgets/plot/curve_plot.h"
#include "widgets/train/answers_view.h"
#include "widgets/train/key_text_view.h"
#include "widgets/train/key_tokens_page.h"
#include "widgets/train/needle_map.h"
#include "widgets/train/score_details.h"
#include "widgets/train/score_dialog.h"
#include "widgets/train/score_picture.h"
#include "widgets/train/scores_page.h"
#include "widgets/train/train_page.h"

namespace braid::ui {
namespace {

class ScoresPageTest : public TrainWorkspaceTest {
protected:
    void SetUp() override {
        run_ = fixture_.addFinishedRun("swa", {}, {}, 200);
        addNeedleScore(run_, 400, 0.6);
        addNeedleScore(run_, 600, 1);
        const RunFolder other = fixture_.addFinishedRun("full", {}, {}, 300);
        addLossScore(run_, 600, 2.25, read_plan(other.plan_file())->id.str() + "@600");
        open();
        workspace_->showTab(TrainWorkspace::Scores);
        page_ = workspace_->scoresPage();
        ASSERT_TRUE(waitFor([&] { return page_->list()->model()->rowCount() == 3; }));
    }
    void choose(const char* kind, std::int64_t step) {
        page_->openScore(read_plan(run_.plan_file())->id, QString());
        for (int row = 0; row < page_->list()->model()->rowCount(); ++row) {
            page_->list()->selectRow(row);
            if (page_->current()->kind == kind && page_->current()->checkpoint.step == Step(step)) return;
        }
        FAIL() << "no such score";
    }
    RunFolder run_;
    ScoresPage* page_ = nullptr;
};

TEST_F(ScoresPageTest, TheMapReadsCellsHoldsOneAndShowsItsAnswers) {
    choose("niah", 600);
    EXPECT_EQ(page_->taskChoice()->count(), 2);
    EXPECT_EQ(page_->stepChoice()->count(), 2);
    NeedleMap* map = page_->map();
    ASSERT_EQ(map->grid().lengths.size(), 5U);
    ASSERT_EQ(map->grid().depths.size(), 6U);
    const QPoint far = map->cellRect({0, 4}).center().toPoint();
    QTest::mouseMove(map, map->cellRect({5, 0}).center().toPoint());
    QTest::mouseMove(map, far);
    EXPECT_TRUE(page_->reading().startsWith(QStringLiteral("length 16,384, depth 0 %: 9.0 %")))
        << page_->reading().toStdString();
    QTest::mouseClick(map, Qt::LeftButton, {}, far);
    ASSERT_TRUE(map->held().has_value());
    QTest::mouseMove(map, map->cellRect({5, 0}).center().toPoint());
    EXPECT_TRUE(page_->reading().startsWith(QStringLiteral("length 16,384")));  // held
    page_->details()->tabs()->setCurrentIndex(ScoreDetails::Answers);
    AnswersView* answers = page_->details()->answers();
    ASSERT_TRUE(waitFor([&] { return answers->proxy()->rowCount() == 2; }));
    QTest::keyClick(map, Qt::Key_Escape);
    EXPECT_FALSE(map->held().has_value());
    ASSERT_TRUE(waitFor([&] { return answers->proxy()->rowCount() == 108; }));
    // Keys move as a pointer does.
    map->setFocus();
    QTest::keyClick(map, Qt::Key_Down);
    QTest::keyClick(map, Qt::Key_Return);
    EXPECT_TRUE(map->held().has_value());
}

TEST_F(ScoresPageTest, WhatWasNotMeasuredIsSaidAndTheTableIsTheTwin) {
    choose("niah", 600);
    page_->taskChoice()->setCurrentIndex(1);
    Q_EMIT page_->taskChoice()->activated(1);
    EXPECT_EQ(page_->map()->grid().task, "niah_single_2");
    page_->map()->hold(NeedleMap::Place{2, 4});
    EXPECT_TRUE(page_->reading().contains(QStringLiteral("no data, needs --haystack FILE")));
    const QTableView* tasks = page_->details()->taskTable();
    int without = -1;
    for (int row = 0; row < tasks->model()->rowCount(); ++row)
        if (tasks->model()->index(row, 3).data().toString() == QStringLiteral("no data")) without = row;
    ASSERT_GE(without, 0);
    EXPECT_EQ(tasks->model()->index(without, 4).data().toString(), QStringLiteral("needs --haystack FILE"));
    EXPECT_LE(tasks->columnWidth(3), 120) << "the reason makes no value wide";
    QTest::mouseClick(page_->form()->button(1), Qt::LeftButton);
    const QAbstractItemModel* values = page_->valuesTable()->model();
    EXPECT_TRUE(page_->valuesTable()->isVisible());
    EXPECT_EQ(values->rowCount(), 6);
    EXPECT_EQ(values->columnCount(), 6);
    EXPECT_EQ(values->index(2, 5).data().toString(), QStringLiteral("—"));
    EXPECT_EQ(values->headerData(5, Qt::Horizontal).toString(), QStringLiteral("16,384"));
}

TEST_F(ScoresPageTest, AnotherStepIsAnotherMap) {
    choose("niah", 600);
    const double late = *page_->map()->grid().at(0, 0).value;
    page_->stepChoice()->setCurrentIndex(0);
    Q_EMIT page_->stepChoice()->activated(0);
    EXPECT_EQ(page_->current()->checkpoint.step, Step(400));
    EXPECT_LT(*page_->map()->grid().at(0, 0).value, late);
}

TEST_F(ScoresPageTest, AnswersAreWrongOnesFirstAndFiltered) {
    choose("niah", 600);
    page_->details()->tabs()->setCurrentIndex(ScoreDetails::Answers);
    AnswersView* answers = page_->details()->answers();
    const QAbstractItemModelTester tester(answers->proxy(),
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    ASSERT_TRUE(waitFor([&] { return answers->proxy()->rowCount() == 108; }));
    EXPECT_EQ(answers->proxy()->at(0)->correct, 0);
    EXPECT_EQ(answers->proxy()->at(107)->correct, 1);
    EXPECT_TRUE(answers->detail().contains(QStringLiteral("7294018")));
    EXPECT_TRUE(answers->detail().contains(QStringLiteral("quiet-harbor")));
    QTest::mouseClick(answers->which()->button(1), Qt::LeftButton);
    const int wrong = answers->proxy()->rowCount();
    QTest::mouseClick(answers->which()->button(2), Qt::LeftButton);
    EXPECT_EQ(wrong + answers->proxy()->rowCount(), 108);
    QTest::mouseClick(answers->which()->button(0), Qt::LeftButton);
    answers->filter()->setFocus();
    QTest::keyClicks(answers->filter(), QStringLiteral("grass"));
    EXPECT_EQ(answers->proxy()->rowCount(), wrong);
}

TEST_F(ScoresPageTest, SettingsAndTasksAreTold) {
    choose("niah", 600);
    const QAbstractItemModel* settings = page_->details()->settingsTable()->model();
    QStringList lines;
    for (int row = 0; row < settings->rowCount(); ++row)
        lines << settings->index(row, 0).data().toString() + u'=' + settings->index(row, 1).data().toString();
    EXPECT_TRUE(lines.contains(QStringLiteral("seed=42"))) << lines.join(u'\n').toStdString();
    EXPECT_TRUE(lines.contains(QStringLiteral("tokenizer.kind=byte")));
    EXPECT_TRUE(lines.contains(QStringLiteral("lengths=1,024, 2,048, 4,096, 8,192, 16,384")));
    EXPECT_EQ(page_->details()->taskTable()->model()->rowCount(), 61);
    EXPECT_TRUE(workspace_->commandLine().startsWith(QStringLiteral("braid-engine eval niah")));
    choose("loss", 600);
    EXPECT_TRUE(page_->map()->grid().isEmpty());
    EXPECT_FALSE(page_->stepChoice()->count() > 1);
}

TEST_F(ScoresPageTest, WhatIsTruncatedOrLeftOutIsSeen) {
    choose("niah", 600);
    const QAbstractItemModel* tasks = page_->details()->taskTable()->model();
    std::int64_t truncated = 0, left_out = 0;
    for (int row = 0; row < tasks->rowCount(); ++row) {
        truncated += tasks->index(row, 6).data().toInt();
        left_out += tasks->index(row, 7).data().toInt();
    }
    EXPECT_EQ(truncated, 2 * 6);
    EXPECT_EQ(left_out, 2);
    page_->map()->hold(NeedleMap::Place{0, 4});
    EXPECT_TRUE(page_->reading().endsWith(QStringLiteral("2 left out"))) << page_->reading().toStdString();
    page_->map()->hold(std::nullopt);
    page_->details()->tabs()->setCurrentIndex(ScoreDetails::Answers);
    AnswersView* answers = page_->details()->answers();
    ASSERT_TRUE(waitFor([&] { return answers->proxy()->rowCount() == 108; }));
    ASSERT_EQ(answers->which()->count(), 4);
    QTest::mouseClick(answers->which()->button(3), Qt::LeftButton);
    EXPECT_EQ(answers->proxy()->rowCount(), 2 * 6);
    answers->table()->selectRow(0);
    EXPECT_EQ(answers->proxy()->index(0, AnswersModel::Cut).data().toString(), QStringLiteral("truncated"));
    EXPECT_TRUE(answers->detail().contains(QStringLiteral("TRUNCATED"))) << answers->detail().toStdString();
}

TEST_F(ScoresPageTest, LossByPositionIsAChartWithItsDifference) {
    choose("loss", 600);
    PositionChart* chart = page_->picture()->positions();
    ASSERT_TRUE(chart->lossPlot()->isVisible());
    ASSERT_TRUE(chart->differencePlot()->isVisible());
    const auto& losses = chart->lossPlot()->series();
    ASSERT_EQ(losses.size(), 2);
    EXPECT_EQ(losses[0].label, QStringLiteral("swa, step 600"));
    EXPECT_EQ(losses[1].label, QStringLiteral("full, step 600"));
    EXPECT_NE(losses[0].colour, losses[1].colour);
    ASSERT_TRUE(losses[0].low && losses[0].high);
    EXPECT_NEAR(losses[0].curve->y(0) - losses[0].low->y(0), 1.96 * 0.05, 1e-12);
    chart->lossPlot()->repaintNow();
    EXPECT_GT(chart->lossPlot()->yRange().upper, losses[0].high->y(0)) << "the whole band is in view";
    EXPECT_GT(chart->lossPlot()->xRange().lower, 0) << "a log axis";
    QTest::mouseClick(page_->form()->button(1), Qt::LeftButton);
    chart->lossPlot()->repaintNow();
    EXPECT_EQ(chart->lossPlot()->xRange().lower, 0) << "a linear axis";
    QTest::mouseClick(page_->form()->button(2), Qt::LeftButton);
    ASSERT_TRUE(page_->valuesTable()->isVisible());
    const QAbstractItemModel* values = page_->valuesTable()->model();
    EXPECT_EQ(values->rowCount(), 12);
    EXPECT_EQ(values->columnCount(), 5);
    EXPECT_EQ(values->index(0, 0).data().toString(), QStringLiteral("1"));
    EXPECT_EQ(values->index(0, 1).data().toString(), QStringLiteral("3.4500"));
    EXPECT_EQ(values->index(0, 3).data().toString(), formatFixed(-0.08, 4));
    choose("niah", 600);
    EXPECT_TRUE(page_->map()->isVisible());
    // Another, taken against nothing.
    addLossScore(run_, 400, 2.4);
    session_.refresh();
    ASSERT_TRUE(waitFor([&] { return page_->list()->model()->rowCount() == 4; }));
    choose("loss", 400);
    EXPECT_FALSE(chart->differencePlot()->isVisible());
    ASSERT_EQ(losses.size(), 1);
    for (CurvePlot* plot : {chart->lossPlot(), chart->differencePlot()}) plot->repaintNow();
    EXPECT_NEAR(chart->lossPlot()->xRange().upper, losses[0].curve->back().x, 0.01) << "all of it is in view";
}

TEST_F(ScoresPageTest, TheListIsSortedAndFiltered) {
    QTableView* list = page_->list();
    const auto steps = [&] {
        QStringList all;
        for (int row = 0; row < list->model()->rowCount(); ++row)
            all << list->model()->index(row, 2).data().toString();
        return all.join(QLatin1Char(' '));
    };
    const auto click = [&](int column) {
        const QHeaderView* header = list->horizontalHeader();
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          {header->sectionViewportPosition(column) + 10, header->height() / 2});
    };
    click(2);
    EXPECT_EQ(steps(), QStringLiteral("400 600 600"));
    click(2);
    EXPECT_EQ(steps(), QStringLiteral("600 600 400"));
    page_->filter()->setFocus();
    QTest::keyClicks(page_->filter(), QStringLiteral("niah"));
    EXPECT_EQ(steps(), QStringLiteral("600 400"));
    QTest::keyClick(page_->filter(), Qt::Key_Backspace, Qt::ControlModifier);
    EXPECT_EQ(list->model()->rowCount(), 3);
}

TEST_F(ScoresPageTest, AHeadlineNumberIsACurveOverSteps) {
    const RunId id = read_plan(run_.plan_file())->id;
    workspace_->showTab(TrainWorkspace::Curves);
    session_.setSelectedRuns({id});
    ASSERT_TRUE(waitFor([&] {
        const RunPointer run = session_.run(id);
        return run && run->curve("score/niah/niah-accuracy") != nullptr;
    }));
    const CurvePtr curve = session_.run(id)->curve("score/niah/niah-accuracy");
    EXPECT_EQ(curve->size(), 2U);
    EXPECT_EQ(curve->back().x, 600);
    auto* metrics = workspace_->trainPage()->findChild<QComboBox*>();
    ASSERT_NE(metrics, nullptr);
    ASSERT_TRUE(waitFor([&] { return metrics->findText(QStringLiteral("NIAH accuracy")) >= 0; }));
}

TEST_F(ScoresPageTest, ABrokenScoreFileIsNoHarm) {
    write_text(run_.path() + "/scores/broken.json", "{");
    session_.refresh();
    const RunId id = read_plan(run_.plan_file())->id;
    ASSERT_TRUE(waitFor([&] { return !session_.run(id)->scores->problem.isEmpty(); }));
    EXPECT_EQ(session_.run(id)->scores->records.size(), 3U);
}

TEST_F(ScoresPageTest, TheDialogAsksForAScoreAndTheJobCanBeCancelled) {
    auto writer = ProjectFixture::write(fixture_.addRun("with checkpoint"));
    ASSERT_TRUE(writer->begin_attempt({}).has_value());
    ScoreDialog* dialog = workspace_->score(read_plan(run_.plan_file())->id);
    ASSERT_NE(dialog, nullptr);
    EXPECT_FALSE(dialog->startButton()->isEnabled()) << "no checkpoint folder yet";
    dialog->close();
    ASSERT_TRUE(make_folder(run_.checkpoint_folder(Step(400))).has_value());
    dialog = workspace_->score(read_plan(run_.plan_file())->id);
    ASSERT_TRUE(waitFor([&] { return dialog->steps()->count() == 1; }));
    EXPECT_TRUE(dialog->startButton()->isEnabled()) << dialog->startButton()->toolTip().toStdString();
    Q_EMIT dialog->form()->changed("lengths", ParameterValue(std::string("64, many")));
    EXPECT_FALSE(dialog->startButton()->isEnabled());
    Q_EMIT dialog->form()->changed("lengths", ParameterValue(std::string("64, 128")));
    Q_EMIT dialog->form()->changed("depths", ParameterValue(std::int64_t{5}));
    EXPECT_TRUE(dialog->command().endsWith(QStringLiteral("@400 --lengths 64,128 --depths 5")))
        << dialog->command().toStdString();
    QTest::mouseClick(dialog->startButton(), Qt::LeftButton);
    ASSERT_EQ(commands_.scores.size(), 1U);
    EXPECT_EQ(commands_.scores[0].step, 400);
    EXPECT_EQ(commands_.scores[0].kind, QStringLiteral("niah"));

    auto* jobs = workspace_->page()->findChild<ScoreJobs*>();
    ScoreJob job{.id = 3, .request = commands_.scores[0], .state = ScoreJob::State::running};
    job.fraction = 0.43;
    job.text = QStringLiteral("length 128");
    Q_EMIT commands_.scoreJobChanged(job);
    ASSERT_EQ(jobs->count(), 1);
    EXPECT_EQ(jobs->text(3), QStringLiteral("43 %  length 128"));
    QTest::mouseClick(jobs->cancelButton(3), Qt::LeftButton);
    EXPECT_EQ(commands_.asked.back(), QStringLiteral("cancel-score 3"));
    job.state = ScoreJob::State::failed;
    job.text = QStringLiteral("no corpus");
    Q_EMIT commands_.scoreJobChanged(job);
    EXPECT_EQ(jobs->text(3), QStringLiteral("no corpus"));
    QTest::mouseClick(jobs->cancelButton(3), Qt::LeftButton);  // dismisses
    EXPECT_EQ(jobs->count(), 0);
}

TEST_F(ScoresPageTest, AScoreThatWasAskedForIsShownWhenItArrives) {
    choose("niah", 600);
    const RunId id = read_plan(run_.plan_file())->id;
    ScoreJob job{.id = 1, .request = {.run = id, .step = 400, .kind = QStringLiteral("loss")}};
    job.state = ScoreJob::State::done;
    Q_EMIT commands_.scoreJobChanged(job);
    EXPECT_EQ(page_->current()->kind, "niah");
    addLossScore(run_, 400, 2.4);
    session_.refresh();
    ASSERT_TRUE(waitFor([&] { return page_->current()->kind == "loss"; }));
    EXPECT_EQ(page_->current()->checkpoint.step, Step(400));
    // Another that nobody waits for leaves the eye where it is.
    addLossScore(run_, 200, 2.6);
    session_.refresh();
    ASSERT_TRUE(waitFor([&] { return page_->list()->model()->rowCount() == 5; }));
    EXPECT_EQ(page_->current()->checkpoint.step, Step(400));
}

TEST_F(ScoresPageTest, WhatToScoreAgainstIsChosenFromTheProject) {
    ASSERT_TRUE(make_folder(run_.checkpoint_folder(Step(400))).has_value());
    const RunFolder other = fixture_.addRun("reference");
    {
        auto writer = ProjectFixture::write(other);
        ASSERT_TRUE(writer->begin_attempt({}).has_value());
        writer->append(Step(300), {{"loss", 2.0}});
        ASSERT_TRUE(writer->checkpoint(Step(300), "checkpoints/step-00000300", 1'000).has_value());
        ASSERT_TRUE(writer->close(RunState::finished).has_value());
    }
    const RunId id = read_plan(other.plan_file())->id;
    session_.refresh();
    ASSERT_TRUE(waitFor(
        [&] { return session_.run(id) && session_.run(id)->record->status.checkpoint == Step(300); }));
    ScoreDialog* dialog = workspace_->score(read_plan(run_.plan_file())->id);
    ASSERT_TRUE(waitFor([&] { return dialog->steps()->count() == 1; }));
    dialog->setKind("loss");
    QPushButton* choose = nullptr;
    for (QPushButton* button : dialog->form()->findChildren<QPushButton*>())
        if (button->accessibleName() == QLatin1String("Choose: Against")) choose = button;
    ASSERT_NE(choose, nullptr);
    ASSERT_EQ(choose->menu()->actions().size(), 1);
    EXPECT_EQ(choose->menu()->actions()[0]->text(), QStringLiteral("reference, step 300"));
    EXPECT_EQ(dialog->form()->editor("against")->field()->lineEdit()->placeholderText(),
              QStringLiteral("nothing"));
    choose->menu()->actions()[0]->trigger();
    EXPECT_TRUE(
        dialog->command().contains(QStringLiteral("--against %1@300").arg(QString::fromStdString(id.str()))))
        << dialog->command().toStdString();
}

TEST(KeyText, BytesBecomeCharacters) {
    // "ä" is two bytes and one character, the clef four bytes and two.
    const std::string text = "a\u00e4b\U0001D11Ec";
    EXPECT_EQ(characterPlaces(text, {{1, 3}, {4, 8}, {8, 9}}),
              (std::vector<std::pair<int, int>>{{1, 2}, {3, 5}, {5, 6}}));
    EXPECT_EQ(characterPlaces(text, {{2, 3}}), (std::vector<std::pair<int, int>>{{1, 2}})) << "a part of it";
}

TEST_F(ScoresPageTest, KeyTokensAreMarkedInTheirTextAndKeysLeadThroughThem) {
    const KeyTokenFile file{.rule = {.context = 64, .short_context = 8, .advance = 4},
                            .reference = {{"run", "b7c0"}},
                            .tokenizer = {{"kind", "byte"}},
                            .samples = {{.text = "The harbour of \u00c5lesund. And again: \u00c5lesund.",
                                         .spans = {{15, 23}, {36, 44}}},
                                        {.text = "nothing here", .spans = {}},
                                        {.text = "one more place", .spans = {{9, 14}}}}};
    const std::string path = fixture_.folder().toStdString() + "/keys.json";
    ASSERT_TRUE(write_json_atomically(path, to_json(file)).has_value());
    workspace_->showTab(TrainWorkspace::KeyTokens);
    KeyTokensPage* page = workspace_->keyTokensPage();
    page->open(QString::fromStdString(path));
    ASSERT_TRUE(waitFor([&] { return page->samples()->model()->rowCount() == 3; }));
    EXPECT_EQ(page->text()->count(), 2);
    EXPECT_EQ(page->text()->keyText(0), QString::fromUtf8("\u00c5lesund"));
    EXPECT_EQ(page->text()->extraSelections().size(), 2);
    page->text()->setFocus();
    for (const int wanted : {0, 1}) {
        QTest::keyClick(page->text(), Qt::Key_F3);
        EXPECT_EQ(page->text()->current(), wanted);
    }
    QTest::keyClick(page->text(), Qt::Key_F3);
    EXPECT_EQ(page->samples()->currentIndex().row(), 2) << "the text without one is passed";
    QTest::keyClick(page->text(), Qt::Key_F3, Qt::ShiftModifier);
    EXPECT_EQ(page->samples()->currentIndex().row(), 0);
    EXPECT_EQ(page->text()->current(), 1);
}

TEST(ColourMap, RisesInLightness) {
    double before = -1;
    for (int i = 0; i <= 100; ++i) {
        const QColor colour = cividis(i / 100.0);
        const double light = 0.2126 * colour.redF() + 0.7152 * colour.greenF() + 0.0722 * colour.blueF();
        EXPECT_GT(light, before) << i;
        before = light;
    }
    EXPECT_EQ(cividis(-1), cividis(0));
    EXPECT_EQ(cividis(2), cividis(1));
}

}  // namespace
}  // namespace braid::ui
