// Measuring from the window: empty states, the form, the queue.
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <QTreeView>
#include <filesystem>

#include "tests/widgets_probe/probe_fixture.h"
#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/parameter_editor.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/score_jobs.h"
#include "widgets/common/segments.h"
#include "widgets/probe/measure_dialog.h"
#include "widgets/probe/measure_options.h"
#include "widgets/probe/probe_charts.h"

namespace braid::ui {
namespace {

class ProbeRunTest : public ProbeTest {
protected:
    // As the engine records one.
    RunFolder addWithCheckpoint(const std::string& name) {
        RunPlan plan;
        plan.name = name;
        plan.architecture = architectureOf("FS[w=4] x2", name);
        plan.training.steps = 600;
        plan.created = "2026-03-04T05:06:0" + std::to_string(made_++) + "Z";
        const RunFolder folder = *fixture_.project().add_run(std::move(plan));
        const auto writer = ProjectFixture::write(folder);
        EXPECT_TRUE(writer->begin_attempt({}).has_value());
        ProjectFixture::steps(*writer, 0, 40);
        EXPECT_TRUE(writer->checkpoint(Step(40), "checkpoints/step-00000040", 1'000).has_value());
        std::filesystem::create_directories(folder.checkpoint_folder(Step(40)));
        EXPECT_TRUE(writer->close(RunState::finished).has_value());
        return folder;
    }
};

TEST_F(ProbeRunTest, WithoutACheckpointOneButtonLeadsToTrain) {
    open();
    EXPECT_FALSE(page_->measureButton()->isEnabled());
    ASSERT_TRUE(page_->empty()->isVisible());
    QTest::mouseClick(page_->empty()->button(), Qt::LeftButton);
    EXPECT_EQ(shell_.shown, QStringList{QStringLiteral("train")});
    EXPECT_EQ(page_->measure("probe"), nullptr);
}

TEST_F(ProbeRunTest, WhatWasNotMeasuredOffersOneButton) {
    addWithCheckpoint("swa");
    open();
    EmptyState* gradient = page_->charts()->gradientEmpty();
    ASSERT_TRUE(gradient->isVisible());
    QTest::mouseClick(gradient->button(), Qt::LeftButton);
    auto* dialog = page_->findChild<MeasureDialog*>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(dialog->kinds()->currentData().toString(), QStringLiteral("gradient"));
    QTest::mouseClick(dialog->cancelButton(), Qt::LeftButton);
    EXPECT_TRUE(commands_.scores.empty());
}

TEST_F(ProbeRunTest, TheFormIsTheKindsAndStartsAJobForEveryChosenRun) {
    addWithCheckpoint("one");
    addWithCheckpoint("two");
    open();
    ASSERT_EQ(workspace_->choice().chosen().size(), 2U);
    MeasureDialog* dialog = page_->measure("probe");
    ASSERT_NE(dialog, nullptr);
    for (const MeasurementKind* kind : probeKinds()) {
        dialog->setKind(kind->id);
        for (const ParameterDescription& parameter : kind->parameters)
            EXPECT_TRUE(dialog->form()->has(parameter.key)) << kind->id << " " << parameter.key;
    }
    dialog->setKind("probe");
    QCoreApplication::processEvents();  // the new form is shown
    QLineEdit* samples = dialog->form()->editor("samples")->field()->lineEdit();
    samples->setFocus();
    samples->selectAll();
    QTest::keyClicks(samples, QStringLiteral("0"));
    QTest::keyClick(samples, Qt::Key_Return);
    const auto labels = dialog->form()->editor("samples")->field()->findChildren<QLabel*>();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text().contains(QStringLiteral("must be"));
    })) << "said in its place";
    EXPECT_FALSE(dialog->startButton()->isEnabled()) << "what it shows is not what it would do";
    EXPECT_TRUE(dialog->problemText().contains(QStringLiteral("Samples: must be")))
        << dialog->problemText().toStdString();
    EXPECT_EQ(dialog->startButton()->toolTip(), dialog->problemText());
    // Another field changes: the text that was refused stays, and is still said.
    QLineEdit* seed = dialog->form()->editor("seed")->field()->lineEdit();
    const QString usual = seed->text();
    seed->setText(QStringLiteral("7"));
    QTest::keyClick(seed, Qt::Key_Return);
    EXPECT_EQ(samples->text(), QStringLiteral("0"));
    EXPECT_FALSE(dialog->startButton()->isEnabled());
    // It is right as soon as it is typed.
    samples->selectAll();
    QTest::keyClicks(samples, QStringLiteral("9"));
    EXPECT_TRUE(dialog->startButton()->isEnabled()) << dialog->problemText().toStdString();
    seed->setText(usual);
    QTest::keyClick(seed, Qt::Key_Return);
    samples->selectAll();
    QTest::keyClicks(samples, QStringLiteral("800"));
    QTest::keyClick(samples, Qt::Key_Return);
    ASSERT_TRUE(dialog->startButton()->isEnabled()) << dialog->problemText().toStdString();
    QTest::mouseClick(dialog->startButton(), Qt::LeftButton);
    ASSERT_EQ(commands_.scores.size(), 2U);
    EXPECT_EQ(commands_.scores[0].verb, ScoreRequest::Verb::measure);
    EXPECT_EQ(commands_.scores[0].kind, QStringLiteral("probe"));
    EXPECT_EQ(commands_.scores[0].step, 40);
    EXPECT_EQ(commands_.scores[0].options, (QStringList{QStringLiteral("--samples"), QStringLiteral("800")}));
}

TEST_F(ProbeRunTest, RunInTheListActsLikeTheButtonThatItReadsAs) {
    addWithCheckpoint("one");
    open();
    QTreeView* kinds = side_->kinds();
    const QRect cell = kinds->visualRect(kinds->model()->index(2, 1));
    QTest::mouseClick(kinds->viewport(), Qt::LeftButton, {}, cell.center());
    auto* dialog = page_->findChild<MeasureDialog*>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(dialog->kinds()->currentData().toString(), QStringLiteral("gradient"));
}

TEST_F(ProbeRunTest, JobsShowProgressAndCancel) {
    const RunFolder run = addWithCheckpoint("one");
    open();
    auto* jobs = page_->findChild<ScoreJobs*>();
    ASSERT_NE(jobs, nullptr);
    ScoreJob job{.id = 7,
                 .state = ScoreJob::State::running,
                 .fraction = 0.4,
                 .text = QStringLiteral("fitting layer 2")};
    job.request = {.run = idOf(run), .step = 40, .kind = QStringLiteral("probe")};
    Q_EMIT commands_.scoreJobChanged(job);
    EXPECT_EQ(jobs->count(), 0) << "a score is none of ours";
    job.request.verb = ScoreRequest::Verb::measure;
    Q_EMIT commands_.scoreJobChanged(job);
    ASSERT_EQ(jobs->count(), 1);
    EXPECT_TRUE(jobs->text(7).contains(QStringLiteral("fitting layer 2")));
    QTest::mouseClick(jobs->cancelButton(7), Qt::LeftButton);
    EXPECT_EQ(commands_.asked.last(), QStringLiteral("cancel-score 7"));
    job.state = ScoreJob::State::failed;
    job.text = QStringLiteral("the context is too long");
    Q_EMIT commands_.scoreJobChanged(job);
    EXPECT_EQ(jobs->text(7), QStringLiteral("the context is too long"));
}

TEST_F(ProbeRunTest, RunsWithoutTheirCheckpointsAreNamedOnceAndLeftOut) {
    const RunFolder one = addWithCheckpoint("one"), two = addWithCheckpoint("two");
    std::filesystem::remove_all(two.checkpoints_folder());
    open();
    MeasureDialog* dialog = page_->measure("probe");
    ASSERT_NE(dialog, nullptr);
    ASSERT_TRUE(waitFor([&] { return dialog->requests().size() == 1; }));
    EXPECT_EQ(dialog->requests()[0].run, idOf(one));
    EXPECT_TRUE(dialog->summary().contains(QStringLiteral("“two”"))) << dialog->summary().toStdString();
    EXPECT_TRUE(dialog->startButton()->isEnabled());
    dialog->reject();
    std::filesystem::remove_all(one.checkpoints_folder());
    dialog = page_->measure("probe");
    ASSERT_TRUE(waitFor([&] { return !dialog->startButton()->isEnabled(); }));
    EXPECT_TRUE(dialog->problemText().contains(QStringLiteral("“one”")))
        << dialog->problemText().toStdString();
    EXPECT_TRUE(dialog->problemText().contains(QStringLiteral("not on disk")));
}

TEST_F(ProbeRunTest, ManyJobsAreFoldedAndCancelledAtOnce) {
    const RunFolder run = addWithCheckpoint("one");
    open();
    auto* jobs = page_->findChild<ScoreJobs*>();
    ScoreJob job{.request = {.run = idOf(run),
                             .step = 40,
                             .kind = QStringLiteral("probe"),
                             .verb = ScoreRequest::Verb::measure}};
    for (job.id = 1; job.id <= 6; ++job.id) {
        job.state = job.id == 1 ? ScoreJob::State::running : ScoreJob::State::waiting;
        Q_EMIT commands_.scoreJobChanged(job);
        EXPECT_EQ(jobs->allButton()->isVisible(), job.id > 1) << "of one its own is enough";
    }
    EXPECT_EQ(jobs->moreText(), QStringLiteral("and 2 more"));
    EXPECT_TRUE(jobs->cancelButton(4)->isVisible());
    EXPECT_FALSE(jobs->cancelButton(5)->isVisible());
    QTest::mouseClick(jobs->allButton(), Qt::LeftButton);
    ASSERT_GE(commands_.asked.size(), 6);
    EXPECT_EQ(commands_.asked.mid(commands_.asked.size() - 6).first(), QStringLiteral("cancel-score 6"))
        << "those that wait before the one that works";
    EXPECT_EQ(commands_.asked.last(), QStringLiteral("cancel-score 1"));
    job.state = ScoreJob::State::failed;
    for (job.id = 1; job.id <= 6; ++job.id) Q_EMIT commands_.scoreJobChanged(job);
    EXPECT_EQ(jobs->allButton()->text(), QStringLiteral("Dismiss all"));
    QTest::mouseClick(jobs->allButton(), Qt::LeftButton);
    EXPECT_EQ(jobs->count(), 0);
    EXPECT_FALSE(jobs->isVisible());
}

TEST(MeasureOptions, OnlyWhatDiffersIsSaid) {
    const MeasurementKind& heads = *find_measurement("heads");
    ParameterValues values;
    EXPECT_TRUE(measureWords(heads, values, {}).isEmpty());
    values.set("new_tokens", std::int64_t(12));
    EXPECT_EQ(measureWords(heads, values, {}),
              (QStringList{QStringLiteral("--new-tokens"), QStringLiteral("12")}));
    const MeasurementKind& limit = *find_measurement("restrict");
    ParameterValues wrong;
    wrong.set("keys", std::string("nowhere.json"));
    const Diagnostics problems = checkMeasure(limit, wrong, QStringLiteral("/tmp"));
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].path, "keys");
}

}  // namespace
}  // namespace braid::ui
