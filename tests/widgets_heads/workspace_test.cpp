// The workspace by clicks and keys: picking heads, zoom and pan, locks, links, checkpoints, prompts,
// captures.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QWheelEvent>

#include "core/base/file.h"
#include "tests/widgets_heads/heads_fixture.h"
#include "widgets/common/command_foot.h"
#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/field.h"
#include "widgets/common/segments.h"
#include "widgets/figure/attention_data.h"
#include "widgets/figure/figure_data.h"
#include "widgets/figure/figure_export.h"
#include "widgets/heads/capture_bar.h"
#include "widgets/heads/checkpoint_slider.h"
#include "widgets/heads/heads_figure.h"
#include "widgets/heads/links_model.h"
#include "widgets/heads/prompt_dialog.h"
#include "widgets/heads/thumbnails.h"
#include "widgets/heads/token_strip.h"

namespace braid::ui {
namespace {

class HeadsWorkspaceTest : public HeadsTest {
protected:
    void SetUp() override { addRun("swa-64 S1"); }
    void openTwo() {
        addCapture({.tokens = 512, .step = 200, .retrieval = 1});
        addCapture({.tokens = 512, .step = 600});
        open();
        ASSERT_TRUE(settle());
    }
    void wheel(HeadSide side, const QPoint& at, int turned) {
        QWheelEvent event(at, map(side)->mapToGlobal(at), {}, {0, turned}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(map(side), &event);
    }
};

TEST_F(HeadsWorkspaceTest, BeginsWithOneSentenceAndOneButton) {
    open();
    EXPECT_TRUE(page()->empty()->isVisible());
    QTest::mouseClick(page()->empty()->button(), Qt::LeftButton);
    auto* dialog = page()->findChild<PromptDialog*>();
    ASSERT_NE(dialog, nullptr);
    // The run of the project has no checkpoint: said where one would start.
    EXPECT_TRUE(dialog->foot()->problemText().contains(QStringLiteral("checkpoint")));
    EXPECT_FALSE(dialog->foot()->startButton()->isEnabled());
}

TEST_F(HeadsWorkspaceTest, OpensTheEarliestBesideTheLatestAndTheStrongestHead) {
    openTwo();
    EXPECT_EQ(page()->title(), QStringLiteral("Layer 2, head 1"));
    EXPECT_EQ(workspace_->choice().capture(HeadSide::a)->checkpoint.step.value, 200);
    EXPECT_EQ(workspace_->choice().capture(HeadSide::b)->checkpoint.step.value, 600);
    EXPECT_TRUE(page()->pane(HeadSide::b)->title().startsWith(QStringLiteral("step 600")));
    EXPECT_TRUE(page()->pane(HeadSide::b)->scores().contains(QStringLiteral("needle")));
    EXPECT_EQ(state().lock(), MapLock::row);
    EXPECT_EQ(state().cursor()->query, 511);
    ASSERT_TRUE(waitFor([&] { return !state().line(HeadSide::b).empty(); }));
    double sum = 0;
    for (const float weight : state().line(HeadSide::b)) sum += double(weight);
    const double sink = double((*state().head(HeadSide::b)->sink())[511]);
    EXPECT_NEAR(sum + sink, 1, 1e-4);
    EXPECT_EQ(workspace_->commandLine(), QString::fromStdString(workspace_->choice().leading()->command));
}

TEST_F(HeadsWorkspaceTest, ThumbnailsAreAListWithOrderNamesAndKeys) {
    openTwo();
    ThumbnailModel* model = workspace_->headsSide()->model();
    const QAbstractItemModelTester tester(model);
    ASSERT_TRUE(waitFor([&] { return !model->loading(); }));
    ASSERT_EQ(model->rowCount(), 6);
    for (int row = 0; row < 6; ++row)
        EXPECT_FALSE(model->index(row).data(ThumbnailModel::PictureRole).value<QImage>().isNull());
    EXPECT_EQ(model->index(0).data().toString(), QStringLiteral("2.1"));
    EXPECT_TRUE(model->index(0).data(ThumbnailModel::TopRole).toBool());
    EXPECT_TRUE(model->index(1).data(ThumbnailModel::TopRole).toBool());
    EXPECT_FALSE(model->index(2).data(ThumbnailModel::TopRole).toBool());
    EXPECT_EQ(model->index(5).data().toString(), QStringLiteral("0.1"));  // it has no score
    const QString name = model->index(0).data(Qt::AccessibleTextRole).toString();
    EXPECT_TRUE(name.startsWith(QStringLiteral("Layer 2, head 1, full"))) << name.toStdString();
    QComboBox* order = workspace_->headsSide()->order();
    order->setCurrentIndex(int(HeadOrder::layer));
    Q_EMIT order->activated(int(HeadOrder::layer));
    EXPECT_EQ(model->index(0).data().toString(), QStringLiteral("0.0"));
    ThumbnailView* view = workspace_->headsSide()->view();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(model->index(2)).center());
    ASSERT_TRUE(settle());
    EXPECT_EQ(page()->title(), QStringLiteral("Layer 1, head 0"));
    EXPECT_EQ(model->index(2).data(ThumbnailModel::SideRole).toString(), QStringLiteral("AB"));
    // With the keyboard, and beside the other.
    view->setFocus();
    QTest::keyClick(view, Qt::Key_Right);
    ASSERT_TRUE(settle());
    EXPECT_EQ(page()->title(), QStringLiteral("Layer 1, head 1"));
    QTest::keyClick(view, Qt::Key_Right);
    QTest::keyClick(view, Qt::Key_Return);
    QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::ShiftModifier,
                      view->visualRect(model->index(0)).center());
    ASSERT_TRUE(settle());
    EXPECT_EQ(*workspace_->choice().head(HeadSide::a), HeadPlaceOf(2, 0));
    EXPECT_EQ(*workspace_->choice().head(HeadSide::b), HeadPlaceOf(0, 0));
    EXPECT_TRUE(page()->pane(HeadSide::b)->title().startsWith(QStringLiteral("0.0")));
    EXPECT_EQ(model->index(0).data(ThumbnailModel::SideRole).toString(), QStringLiteral("B"));
}

TEST_F(HeadsWorkspaceTest, MapsZoomPanAndLinkTheirCursors) {
    openTwo();
    HeadMap* map = this->map(HeadSide::a);
    const QPoint at = pointOf(HeadSide::a, 300, 100);
    state().unlock();
    QTest::mouseMove(map, at + QPoint(3, 3));
    QTest::mouseMove(map, at);
    ASSERT_TRUE(state().cursor().has_value());
    EXPECT_NEAR(double(state().cursor()->query), 300, 2);
    EXPECT_NEAR(double(state().cursor()->key), 100, 2);
    EXPECT_TRUE(this->map(HeadSide::b)->reading().startsWith(QStringLiteral("query 30")) ||
                this->map(HeadSide::b)->reading().startsWith(QStringLiteral("query 29")));
    QTest::mouseMove(map, pointOf(HeadSide::a, 50, 400));  // above the diagonal there is no pair
    EXPECT_FALSE(state().cursor().has_value());

    wheel(HeadSide::a, at, 240);
    EXPECT_NEAR(state().viewport().span, 256, 1);
    const MapCursor under = map->pairAt(at);
    EXPECT_NEAR(double(under.query), 300, 3);
    EXPECT_NEAR(double(under.key), 100, 3);
    // Pan.
    const MapViewport before = state().viewport();
    QTest::mousePress(map, Qt::LeftButton, {}, at);
    QTest::mouseMove(map, at - QPoint(10, 5));
    QTest::mouseMove(map, at - QPoint(40, 20));
    QTest::mouseRelease(map, Qt::LeftButton, {}, at - QPoint(40, 20));
    EXPECT_NEAR(state().viewport().key - before.key, 40 * before.span / map->mapRect().width(), 1);
    EXPECT_NEAR(state().viewport().query - before.query, 20 * before.span / map->mapRect().width(), 1);
    EXPECT_EQ(state().lock(), MapLock::none);  // a drag is no click
    // Keys.
    map->setFocus();
    QTest::keyClick(map, Qt::Key_Plus);
    EXPECT_LT(state().viewport().span, before.span);
    for (int i = 0; i < 20; ++i) QTest::keyClick(map, Qt::Key_Plus);
    EXPECT_DOUBLE_EQ(state().viewport().span, MapViewport::fewest);
    QTest::keyClick(map, Qt::Key_Minus);
    EXPECT_GT(state().viewport().span, MapViewport::fewest);
    QTest::keyClick(map, Qt::Key_Home);
    EXPECT_TRUE(state().viewport().isWhole());
    QTest::mouseDClick(map, Qt::LeftButton, {}, at);
    EXPECT_NEAR(state().viewport().span, 128, 1);
    ASSERT_TRUE(settle());
    EXPECT_EQ(map->level(), 0);
}

TEST_F(HeadsWorkspaceTest, AClickLocksEscFreesArrowsMoveNJumps) {
    openTwo();
    HeadMap* map = this->map(HeadSide::b);
    QTest::mouseClick(map, Qt::LeftButton, {}, pointOf(HeadSide::b, 400, 120));
    EXPECT_EQ(state().lock(), MapLock::row);
    const std::int64_t query = state().cursor()->query;
    EXPECT_NEAR(double(query), 400, 2);
    QTest::mouseMove(map, pointOf(HeadSide::b, 300, 60));
    EXPECT_EQ(state().cursor()->query, query);  // held
    EXPECT_NEAR(double(state().cursor()->key), 60, 2);
    ASSERT_TRUE(waitFor([&] { return state().line(HeadSide::a).size() == 512; }));
    map->setFocus();
    QTest::keyClick(map, Qt::Key_Up);
    EXPECT_EQ(state().cursor()->query, query - 1);
    QTest::keyClick(map, Qt::Key_Right);
    QTest::keyClick(map, Qt::Key_N);
    EXPECT_EQ(state().cursor()->key, 512 / 3);
    EXPECT_EQ(state().cursor()->query, query - 1);
    EXPECT_TRUE(shell_.said.last().contains(QStringLiteral("Esc frees it")));
    // The key's column.
    QTest::keyClick(map, Qt::Key_C);
    EXPECT_EQ(state().lock(), MapLock::column);
    ASSERT_TRUE(waitFor([&] {
        const auto& line = state().line(HeadSide::b);
        return line.size() == 512 && line[0] == 0 && line[511] > 0;
    }));
    QTest::keyClick(map, Qt::Key_Escape);
    EXPECT_EQ(state().lock(), MapLock::none);
    QTest::mouseClick(map, Qt::LeftButton, Qt::ShiftModifier, pointOf(HeadSide::b, 400, 120));
    EXPECT_EQ(state().lock(), MapLock::column);
    EXPECT_NEAR(double(state().cursor()->key), 120, 2);
    // What is shown is the weight itself.
    const MapCursor pair = *state().cursor();
    EXPECT_FLOAT_EQ(float(state().weight(HeadSide::b)),
                    state().head(HeadSide::b)->row(pair.query)[std::size_t(pair.key)]);
}

TEST_F(HeadsWorkspaceTest, TheRowsTokensAreChipsThatMoveTheCursor) {
    openTwo();
    TokenStrip* keys = page()->pane(HeadSide::b)->keys();
    EXPECT_TRUE(keys->text().contains(QStringLiteral("special magic number is 7419 036")));
    const QRectF chip = keys->chipOf(512 / 3 + 4);
    ASSERT_FALSE(chip.isEmpty());
    QTest::mouseClick(keys, Qt::LeftButton, {}, chip.center().toPoint());
    EXPECT_EQ(state().cursor()->key, 512 / 3 + 4);
    keys->setFocus();
    QTest::keyClick(keys, Qt::Key_Right);
    EXPECT_EQ(state().cursor()->key, 512 / 3 + 5);
    EXPECT_FALSE(page()->pane(HeadSide::b)->queries()->text().isEmpty());
}

TEST_F(HeadsWorkspaceTest, TheTableOfLinksIsTheTwinOfTheMap) {
    openTwo();
    HeadsPanel* panel = workspace_->headsPanel();
    DataTable* table = panel->table();
    ASSERT_TRUE(waitFor([&] { return table->model()->rowCount() > 10; }));
    const QAbstractItemModelTester tester(table->model());
    // Beyond the layer's window by default.
    EXPECT_EQ(state().leastDistance(), 65);
    EXPECT_EQ(panel->distances()->currentText(), QStringLiteral("beyond 64"));
    for (std::size_t i = 1; i < state().links().size(); ++i)
        ASSERT_LE(state().links()[i].weight, state().links()[i - 1].weight);
    QTest::mouseClick(panel->strongestButton(), Qt::LeftButton);
    const AttentionLink& best = state().links().front();
    EXPECT_EQ(state().cursor()->query, best.query);
    EXPECT_EQ(state().cursor()->key, best.key);
    EXPECT_EQ(state().lock(), MapLock::row);
    EXPECT_GE(best.key, 512 / 3);
    EXPECT_LT(best.key, 512 / 3 + 6);  // the needle
    // Another row of the table.
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Down);
    table->selectRow(3);
    QTest::keyClick(table, Qt::Key_Return);
    const QString told =
        table->model()->index(3, LinksModel::KeyColumn).data(Qt::AccessibleTextRole).toString();
    EXPECT_TRUE(told.contains(QStringLiteral("token %1").arg(state().cursor()->key))) << told.toStdString();
    table->sortByColumn(LinksModel::DistanceColumn, Qt::AscendingOrder);
    EXPECT_EQ(table->model()->index(0, LinksModel::DistanceColumn).data().toString().toInt() > 64, true);
    panel->distances()->setCurrentIndex(0);
    Q_EMIT panel->distances()->activated(0);
    ASSERT_TRUE(waitFor([&] { return !state().linksPending(); }));
    EXPECT_EQ(state().leastDistance(), 0);
    table->clearSelection();
    table->copySelection();
    EXPECT_GT(QGuiApplication::clipboard()->text().count(QLatin1Char('\n')), 20);
}

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

TEST_F(HeadsWorkspaceTest, ImpliedHeadsAreNoRetrievalHeads) {
    Capture capture = addCapture({.tokens = 512, .step = 600});
    for (CaptureHead& head : capture.heads)
        if (head.implied) head.scores = {.needle = 0.99, .entropy = 0.01, .sink = 0.9, .far = 0.99};
    ASSERT_TRUE(write_capture_description(capture.folder, capture));
    open();
    ASSERT_TRUE(settle());
    EXPECT_EQ(page()->title(), QStringLiteral("Layer 2, head 1"));
    ThumbnailModel* model = workspace_->headsSide()->model();
    for (const HeadOrder order : {HeadOrder::needle, HeadOrder::entropy, HeadOrder::sink, HeadOrder::far}) {
        model->setOrder(order);
        EXPECT_EQ(model->index(5).data().toString(), QStringLiteral("0.1")) << int(order);
        EXPECT_FALSE(model->index(5).data(ThumbnailModel::TopRole).toBool());
    }
}

TEST_F(HeadsWorkspaceTest, TabGoesThroughTheToolbarAndTheTableKeepsTheLock) {
    openTwo();
    QList<QWidget*> met;
    for (QWidget* at = page()->nextInFocusChain(); at && at != page(); at = at->nextInFocusChain())
        if (at->focusPolicy() & Qt::TabFocus && at->isVisible() && at->isEnabled()) met << at;
    const QList<QWidget*> wanted{page()->form()->button(0), page()->view()->button(0), page()->linksButton(),
                                 page()->promptButton(),    page()->figureButton(),    map(HeadSide::a)};
    qsizetype last = -1;
    for (QWidget* widget : wanted) {
        EXPECT_GT(met.indexOf(widget), last);
        last = met.indexOf(widget);
    }
    EXPECT_EQ(page()->focusProxy(), nullptr);  // one that would be passed over with all that it holds

    DataTable* table = workspace_->headsPanel()->table();
    ASSERT_TRUE(waitFor([&] { return table->model()->rowCount() > 10; }));
    state().lockAt({400, 120}, MapLock::row);
    table->setFocus(Qt::TabFocusReason);
    QFocusEvent focus(QEvent::FocusIn, Qt::TabFocusReason);
    QApplication::sendEvent(table, &focus);
    EXPECT_EQ(state().cursor()->query, 400);
    EXPECT_EQ(state().cursor()->key, 120);
    QTest::keyClick(table, Qt::Key_Return);
    EXPECT_NE(*state().cursor(), (MapCursor{400, 120}));
}

TEST_F(HeadsWorkspaceTest, ScalesAndTheDifference) {
    openTwo();
    Segments *form = page()->form(), *view = page()->view();
    QTest::mouseClick(form->button(1), Qt::LeftButton);
    EXPECT_EQ(state().scale().form, AttentionForm::linear);
    QTest::mouseClick(form->button(2), Qt::LeftButton);
    EXPECT_EQ(state().scale().form, AttentionForm::row);
    QTest::mouseClick(view->button(1), Qt::LeftButton);
    EXPECT_TRUE(state().difference());
    EXPECT_TRUE(state().scale().is_signed);
    EXPECT_FALSE(page()->pane(HeadSide::a)->isVisible());
    ASSERT_TRUE(settle());
    EXPECT_EQ(page()->pane(HeadSide::b)->title(),
              QStringLiteral("B − A: 2.1 at step 600 less 2.1 at step 200"));
    EXPECT_TRUE(page()->pane(HeadSide::b)->scores().isEmpty());  // of one head, not of the difference
    ASSERT_TRUE(waitFor([&] { return state().shownLine(HeadSide::b).size() == 512; }));
    const auto key = std::size_t(512 / 3);
    EXPECT_FLOAT_EQ(state().shownLine(HeadSide::b)[key],
                    state().line(HeadSide::b)[key] - state().line(HeadSide::a)[key]);
    EXPECT_TRUE(map(HeadSide::b)->reading().contains(QStringLiteral("B − A")));
    QTest::mouseClick(view->button(0), Qt::LeftButton);
    EXPECT_TRUE(page()->pane(HeadSide::a)->isVisible());
    workspace_->choice().closeB();
    EXPECT_FALSE(page()->pane(HeadSide::b)->isVisible());
    EXPECT_FALSE(view->button(1)->isEnabled());
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
    EXPECT_FALSE(page()->figureButton()->isEnabled());
    workspace_->choice().pickHead(2, 0, false);
    ASSERT_TRUE(settle());
    EXPECT_EQ(workspace_->choice().requestLike(*workspace_->choice().leading()).folder,
              QString::fromStdString(folder));
}

TEST_F(HeadsWorkspaceTest, WithoutRoomForThumbnailsHeadsArePickedInTheToolbar) {
    openTwo();
    QComboBox* heads = page()->headChoice();
    EXPECT_FALSE(heads->isVisible());
    workspace_->setCompact(true);
    EXPECT_TRUE(heads->isVisible());
    ASSERT_EQ(heads->count(), 6);
    EXPECT_TRUE(heads->currentText().startsWith(QStringLiteral("2.1, needle 0.")));
    heads->setCurrentIndex(2);
    Q_EMIT heads->activated(2);
    ASSERT_TRUE(settle());
    EXPECT_EQ(page()->title(), QStringLiteral("Layer 1, head 0"));
}

TEST_F(HeadsWorkspaceTest, EntropyOverTheCheckpointsComesFromATrace) {
    addCapture({.tokens = 300, .step = 600});
    add_trace(run_, id_.str());
    open();
    ASSERT_TRUE(settle());
    ASSERT_TRUE(waitFor([&] { return workspace_->choice().entropyOverTokens().size() == 31; }));
    EXPECT_NEAR(workspace_->choice().entropyOverTokens().front().y(), 0.85, 0.01);
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

TEST_F(HeadsWorkspaceTest, BecomesAFigure) {
    openTwo();
    state().setViewport(MapViewport{512, 100, 300, 200});
    const auto figure = figureOfHeads(workspace_->choice());
    ASSERT_TRUE(figure.has_value());
    ASSERT_EQ(figure->spec.panels.size(), 2U);
    EXPECT_EQ(figure->spec.panels[0].metric, "attention/2.1");
    const Checked<FigureSpec> back = figure_from_json(to_json(figure->spec));
    ASSERT_TRUE(back.has_value()) << back.error().front().message();
    const Result<FigureData> data = load_figure_data(fixture_.folder().toStdString(), *back);
    ASSERT_TRUE(data.has_value()) << describe(data.error());
    ASSERT_EQ(data->panels.size(), 2U);
    const FigureAttention& map = data->panels[1].attention.at(0);
    EXPECT_EQ(map.step, 600);
    EXPECT_EQ(map.size, 1);
    EXPECT_EQ(map.first_key, 100);
    EXPECT_EQ(map.rows, 200);
    const std::vector<float> row = state().head(HeadSide::b)->row(450);
    EXPECT_NEAR(map.weights[std::size_t(150 * map.columns + 71)], row[171], 1e-6);
    for (const FigureFile file : {FigureFile::pdf, FigureFile::svg, FigureFile::png, FigureFile::csv}) {
        const FigureBytes bytes = render_figure(*back, *data, file);
        EXPECT_GT(bytes.bytes.size(), 1'000);
        EXPECT_LT(bytes.bytes.size(), file == FigureFile::pdf ? 400'000 : 20'000'000);
    }
    state().setDifference(true);
    const auto difference = figureOfHeads(workspace_->choice());
    ASSERT_EQ(difference->spec.panels.size(), 1U);
    EXPECT_EQ(difference->spec.panels[0].metric, "attention/2.1/less/2.1@200");
    const Result<FigureData> less = load_figure_data(fixture_.folder().toStdString(), difference->spec);
    ASSERT_TRUE(less.has_value()) << describe(less.error());
    EXPECT_TRUE(less->panels[0].attention.at(0).is_signed);
}

TEST(AttentionMetrics, ReadBack) {
    for (const char* text : {"attention/8.3", "attention/8.3/row", "attention/8.3/less/10.7@1200"}) {
        const auto metric = parse_attention_metric(text);
        ASSERT_TRUE(metric) << text;
        EXPECT_EQ(to_text(*metric), text);
    }
    for (const char* text : {"attention", "attention/8", "attention/8.3/", "attention/8.3/less/1.2", "loss",
                             "attention/8.3/rows", "attention/-1.3"})
        EXPECT_FALSE(parse_attention_metric(text)) << text;
}

}  // namespace
}  // namespace braid::ui
