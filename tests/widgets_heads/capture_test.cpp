// What is captured and when: checkpoints, the dialog, failures, damaged files, other projects.
#include <QComboBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTest>

#include "core/base/file.h"
#include "tests/widgets_heads/heads_fixture.h"
#include "widgets/common/command_foot.h"
#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/field.h"
#include "widgets/common/segments.h"
#include "widgets/heads/capture_bar.h"
#include "widgets/heads/checkpoint_slider.h"
#include "widgets/heads/prompt_dialog.h"
#include "widgets/heads/thumbnails.h"

namespace braid::ui {
namespace {

TEST_F(HeadsWorkspaceTest, OfAnotherProjectNothingStays) {
    openTwo();
    HeadsSide* side = workspace_->headsSide();
    EXPECT_EQ(side->windowTitle(), QStringLiteral("6 heads"));
    ASSERT_TRUE(waitFor([&] { return !side->model()->loading(); }));
    const ProjectFixture other("another");
    session_.open(other.folder());
    ASSERT_TRUE(waitFor([&] { return page()->empty()->isVisible() && workspace_->choice().searched(); }));
    EXPECT_EQ(side->model()->rowCount(), 0);
    EXPECT_EQ(side->windowTitle(), QStringLiteral("Heads"));
    EXPECT_TRUE(state().isEmpty());
    EXPECT_FALSE(state().cursor().has_value());
    EXPECT_TRUE(state().links().empty());
    EXPECT_EQ(page()->title(), QStringLiteral("Heads"));
    EXPECT_EQ(page()->headChoice()->count(), 0);
    EXPECT_TRUE(workspace_->choice().checkpoints().empty());
    EXPECT_TRUE(workspace_->commandLine().isEmpty());
    session_.close();
    EXPECT_TRUE(page()->empty()->isVisible());
    EXPECT_FALSE(page()->promptButton()->isEnabled());
    EXPECT_FALSE(page()->promptButton()->toolTip().isEmpty());
    EXPECT_EQ(page()->ask(), nullptr);
}

TEST_F(HeadsWorkspaceTest, CheckpointsOpenFromDiskOrAreAskedForAndTheViewStays) {
    addCapture({.tokens = 512, .step = 200, .retrieval = 1});
    addCapture({.tokens = 512, .step = 600});
    addCapture({.tokens = 512, .step = 400, .retrieval = 3});
    for (const std::int64_t step : {100, 200, 300, 400, 600})
        std::filesystem::create_directories(run_.checkpoint_folder(Step(step)));
    open();
    ASSERT_TRUE(settle());
    CheckpointSlider* slider = page()->slider();
    ASSERT_TRUE(waitFor([&] { return workspace_->choice().checkpoints().size() == 5; }));
    state().setViewport(MapViewport{512, 100, 250, 200});
    state().lockAt({400, 171}, MapLock::row);
    const QPoint from(int(slider->handleX(HeadSide::b)), slider->height() - 24);
    QTest::mousePress(slider, Qt::LeftButton, {}, from);
    QTest::mouseMove(slider, QPoint(int(slider->xOf(400)) + 2, from.y()));
    QTest::mouseRelease(slider, Qt::LeftButton, {}, QPoint(int(slider->xOf(400)) + 2, from.y()));
    ASSERT_TRUE(
        waitFor([&] { return workspace_->choice().capture(HeadSide::b)->checkpoint.step.value == 400; }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(state().viewport().span, 200);
    EXPECT_EQ(state().cursor()->query, 400);
    EXPECT_TRUE(captures_->requests.empty());
    // A checkpoint of which there is no capture of this text.
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_B);
    QTest::keyClick(slider, Qt::Key_Left);
    ASSERT_EQ(captures_->requests.size(), 1U);
    EXPECT_EQ(captures_->requests[0].step, 300);
    EXPECT_EQ(captures_->requests[0].sample, 17);
    EXPECT_TRUE(captures_->requests[0].heads.isEmpty());  // of a short text all
    captures_->tell(
        {.state = CaptureJob::State::running, .fraction = 0.4, .text = QStringLiteral("layer 3 of 18")});
    EXPECT_TRUE(page()->bar()->text().contains(QStringLiteral("layer 3 of 18")));
    QTest::mouseClick(page()->bar()->button(), Qt::LeftButton);
    EXPECT_EQ(captures_->cancelled, std::vector<int>{1});
    captures_->tell({.state = CaptureJob::State::cancelled});
    EXPECT_TRUE(page()->bar()->text().isEmpty());
    QTest::keyClick(slider, Qt::Key_Left);
    const Capture made = addCapture({.tokens = 512, .step = 300, .retrieval = 2});
    captures_->tell(
        {.state = CaptureJob::State::done, .folder = QString::fromStdString(made.folder), .seconds = 0.6});
    ASSERT_TRUE(
        waitFor([&] { return workspace_->choice().capture(HeadSide::b)->checkpoint.step.value == 300; }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(state().viewport().span, 200);
    EXPECT_TRUE(shell_.said.contains(QStringLiteral("Capture ready, 0.6 s")));
}

TEST_F(HeadsWorkspaceTest, FailuresAreSaidWhereOneCanActAndTheViewStays) {
    openTwo();
    CaptureRequest request{.run = id_, .step = 600};
    request.source = CaptureSource::prompt;
    request.prompt = QStringLiteral("a");
    workspace_->choice().start(request);
    captures_->tell({.state = CaptureJob::State::failed,
                     .text = QStringLiteral("the run has no tokenizer"),
                     .hint = QStringLiteral("Train with a corpus.")});
    EXPECT_EQ(page()->bar()->text(), QStringLiteral("the run has no tokenizer Train with a corpus."));
    QTest::mouseClick(page()->bar()->button(), Qt::LeftButton);  // Try again
    ASSERT_EQ(captures_->requests.size(), 2U);
    captures_->tell({.state = CaptureJob::State::failed,
                     .text = QStringLiteral("takes about 40 minutes"),
                     .too_long = true});
    EXPECT_EQ(page()->bar()->button()->text(), QStringLiteral("Capture anyway"));
    QTest::mouseClick(page()->bar()->button(), Qt::LeftButton);
    EXPECT_TRUE(captures_->requests.back().allow_long);
    captures_->tell({.state = CaptureJob::State::failed, .text = QStringLiteral("the engine ended")});
    Q_EMIT captures_->engineLost(QStringLiteral("signal 11"), true);
    EXPECT_FALSE(state().isEmpty());
    EXPECT_EQ(page()->title(), QStringLiteral("Layer 2, head 1"));
    workspace_->choice().dismiss();
    EXPECT_TRUE(page()->bar()->text().contains(QStringLiteral("started again")));
}

TEST_F(HeadsWorkspaceTest, ThumbnailsThatAreAllThereIsAskForMore) {
    addCapture({.tokens = 700,
                .step = 600,
                .detail = false,
                .notes = {"The text is longer than the trained context."}});
    open();
    ASSERT_TRUE(settle());
    EXPECT_TRUE(page()->bar()->text().contains(QStringLiteral("Only a thumbnail")));
    QTest::mouseClick(page()->bar()->button(), Qt::LeftButton);
    ASSERT_EQ(captures_->requests.size(), 1U);
    EXPECT_EQ(captures_->requests[0].heads, QStringList{QStringLiteral("2.1")});
    const Capture made = addCapture({.tokens = 700, .step = 600});
    captures_->tell({.state = CaptureJob::State::done, .folder = QString::fromStdString(made.folder)});
    ASSERT_TRUE(
        waitFor([&] { return state().lead() && state().lead()->whole && state().lead()->exactRows(); }));
}

TEST_F(HeadsWorkspaceTest, TheDialogAsksForASampleOrAPromptAndListsWhatIsThere) {
    const auto writer = ProjectFixture::write(run_);
    ASSERT_TRUE(writer->begin_attempt({}).has_value());
    ASSERT_TRUE(writer->checkpoint(Step(600), "checkpoints/step-00000600", 1'000).has_value());
    addCapture({.tokens = 512, .step = 600});
    open();
    ASSERT_TRUE(settle());
    PromptDialog* dialog = page()->ask();
    EXPECT_EQ(dialog->list()->model()->rowCount(), 1);
    EXPECT_EQ(dialog->list()->model()->index(0, 0).data().toString(), QStringLiteral("needle sample 17"));
    dialog->sample()->setValue(23);
    dialog->depth()->lineEdit()->setFocus();
    QTest::keyClicks(dialog->depth()->lineEdit(), QStringLiteral("120"));
    EXPECT_TRUE(dialog->foot()->problemText().contains(QStringLiteral("0 to 100 %, got 120")));
    dialog->depth()->setText(QStringLiteral("40"));
    QTest::keyClicks(dialog->context()->lineEdit(), QStringLiteral("1024"));
    CaptureRequest asked = dialog->request();
    EXPECT_EQ(asked.sample, 23);
    EXPECT_EQ(asked.context, 1'024);
    EXPECT_NEAR(*asked.depth, 0.4, 1e-9);
    QTest::mouseClick(dialog->source()->button(1), Qt::LeftButton);
    // The run is of a task: it has no tokenizer, and reads numbers.
    EXPECT_TRUE(dialog->foot()->problemText().contains(QStringLiteral("tokens: must not be empty")));
    EXPECT_TRUE(dialog->prompt()->placeholderText().contains(QStringLiteral("blanks or commas")));
    QTest::keyClicks(dialog->prompt(), QStringLiteral("Call me"));
    EXPECT_TRUE(dialog->foot()->problemText().contains(QStringLiteral("got “Call”")));
    dialog->prompt()->setPlainText(QStringLiteral("3, 17 4\n17"));
    EXPECT_TRUE(dialog->foot()->problemText().isEmpty()) << dialog->foot()->problemText().toStdString();
    asked = dialog->request();
    EXPECT_EQ(asked.source, CaptureSource::tokens);
    EXPECT_EQ(asked.tokens, (std::vector<std::int64_t>{3, 17, 4, 17}));
    EXPECT_TRUE(asked.prompt.isEmpty());
    const QPoint row = dialog->list()->visualRect(dialog->list()->model()->index(0, 0)).center();
    QTest::mouseClick(dialog->list()->viewport(), Qt::LeftButton, {}, row);
    EXPECT_FALSE(dialog->isVisible());
}

TEST_F(HeadsWorkspaceTest, CheckpointsThatBelongToNoRunAreLookedAtToo) {
    const std::string folder = fixture_.folder().toStdString() + "/imported";
    const RunFolder other(folder);  // captures lie in the same place
    make_capture(other, "", {.tokens = 300, .step = 0});
    open();
    PromptDialog* dialog = page()->ask();
    dialog->addFolder(QString::fromStdString(folder));
    ASSERT_TRUE(waitFor([&] { return dialog->list()->model()->rowCount() == 1; }));
    EXPECT_EQ(dialog->request().folder, QString::fromStdString(folder));
    EXPECT_TRUE(dialog->request().run.empty());
    QTest::mouseClick(dialog->source()->button(1), Qt::LeftButton);
    dialog->prompt()->setPlainText(QStringLiteral("Call me Ishmael."));
    EXPECT_EQ(dialog->request().source, CaptureSource::prompt);
    EXPECT_EQ(dialog->request().prompt, QStringLiteral("Call me Ishmael."));
    EXPECT_TRUE(dialog->foot()->startButton()->isEnabled());
    dialog->close();
    ASSERT_TRUE(settle());
    workspace_->choice().pickHead(2, 0, false);
    ASSERT_TRUE(settle());
    EXPECT_EQ(workspace_->choice().requestLike(*workspace_->choice().leading()).folder,
              QString::fromStdString(folder));
}

TEST_F(HeadsWorkspaceTest, AHeadThatWasChosenElsewhereIsShown) {
    openTwo();
    session_.selectHead(id_, Step(600), 1, 1);
    ASSERT_TRUE(settle());
    EXPECT_EQ(page()->title(), QStringLiteral("Layer 1, head 1"));
    session_.selectHead(id_, Step(500), 2, 0);  // never captured
    ASSERT_EQ(captures_->requests.size(), 1U);
    EXPECT_EQ(captures_->requests[0].step, 500);
    EXPECT_EQ(captures_->requests[0].heads, QStringList{QStringLiteral("2.0")});
}

TEST_F(HeadsWorkspaceTest, DamageIsSaidAndTheOtherHeadsAreNotHarmed) {
    const Capture capture = addCapture({.tokens = 512, .step = 600});
    write_text(capture.folder + "/2.1.att", "no such thing");
    write_text(run_.captures_folder() + "/step-00000700.deadbeef/capture.json", "{");
    open();
    ASSERT_TRUE(waitFor([&] { return page()->bar()->text().contains(QStringLiteral("2.1.att")); }));
    EXPECT_TRUE(page()->pane(HeadSide::a)->scores().isEmpty());
    ThumbnailModel* model = workspace_->headsSide()->model();
    ASSERT_TRUE(waitFor([&] { return !model->loading(); }));
    const QModelIndex broken = model->indexOf(2, 1);
    EXPECT_FALSE(broken.data(ThumbnailModel::DamageRole).toString().isEmpty());
    EXPECT_EQ(broken.data(ThumbnailModel::ScoreRole).toString(), QStringLiteral("—"));
    EXPECT_TRUE(model->indexOf(2, 0).data(ThumbnailModel::DamageRole).toString().isEmpty());
    workspace_->choice().pickHead(2, 0, false);
    ASSERT_TRUE(settle());
    EXPECT_EQ(page()->title(), QStringLiteral("Layer 2, head 0"));
    // And back to the damaged one, which is captured again.
    workspace_->choice().pickHead(2, 1, false);
    ASSERT_TRUE(waitFor([&] { return page()->bar()->text().contains(QStringLiteral("2.1.att")); }));
    EXPECT_EQ(page()->bar()->button()->text(), QStringLiteral("Capture again"));
    QTest::mouseClick(page()->bar()->button(), Qt::LeftButton);
    ASSERT_EQ(captures_->requests.size(), 1U);
    EXPECT_EQ(captures_->requests[0].step, 600);
    EXPECT_EQ(captures_->requests[0].sample, 17);
    const Capture made = addCapture({.tokens = 512, .step = 600});
    captures_->tell({.state = CaptureJob::State::done, .folder = QString::fromStdString(made.folder)});
    ASSERT_TRUE(waitFor([&] { return state().lead() && state().lead()->whole; }));
    ASSERT_TRUE(waitFor([&] { return !page()->bar()->text().contains(QStringLiteral("2.1.att")); }));
    ASSERT_TRUE(waitFor([&] {
        return !model->loading() &&
               model->indexOf(2, 1).data(ThumbnailModel::DamageRole).toString().isEmpty();
    }));
}

}  // namespace
}  // namespace braid::ui
