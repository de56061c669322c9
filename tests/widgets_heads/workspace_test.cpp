// The workspace by clicks and keys: picking heads, zoom and pan, locks, links, scales.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "tests/widgets_heads/heads_fixture.h"
#include "widgets/common/command_foot.h"
#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/segments.h"
#include "widgets/heads/capture_bar.h"
#include "widgets/heads/line_detail.h"
#include "widgets/heads/links_model.h"
#include "widgets/heads/prompt_dialog.h"
#include "widgets/heads/thumbnails.h"
#include "widgets/heads/token_strip.h"

namespace braid::ui {
namespace {

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
    // The strongest two of those that look at the needle at all: here one.
    EXPECT_TRUE(model->index(0).data(ThumbnailModel::TopRole).toBool());
    EXPECT_LT(model->headAt(model->index(1))->scores.needle.value(), 0.1);
    for (int row = 1; row < 6; ++row)
        EXPECT_FALSE(model->index(row).data(ThumbnailModel::TopRole).toBool()) << row;
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

TEST_F(HeadsWorkspaceTest, BesideAMapThatTheHeightBoundsStandTheRowsLargestWeights) {
    addCapture({.tokens = 512, .step = 600});
    open({900, 640});
    ASSERT_TRUE(settle());
    const LineDetail* detail = page()->pane(HeadSide::a)->detail();
    EXPECT_TRUE(detail->isVisible());
    ASSERT_TRUE(waitFor([&] { return detail->table()->model()->rowCount() > 0; }));
    EXPECT_TRUE(detail->title().startsWith(QStringLiteral("Query 511"))) << detail->title().toStdString();
    // It begins where the map ends, and the plot beneath is as wide as the map.
    const QRectF drawn = map(HeadSide::a)->mapRect();
    EXPECT_GT(detail->mapTo(page(), QPoint()).x(),
              map(HeadSide::a)->mapTo(page(), drawn.toRect().topRight()).x());
    EXPECT_GT(drawn.width(), 300);
    const std::vector<float>& row = state().line(HeadSide::a);
    const auto most = std::max_element(row.begin(), row.end()) - row.begin();
    const auto* links = qobject_cast<LinksModel*>(detail->table()->model());
    EXPECT_EQ(links->link(0).key, most);
    EXPECT_FLOAT_EQ(links->link(0).weight, row[std::size_t(most)]);
    for (int i = 1; i < links->rowCount(); ++i)
        EXPECT_LE(std::abs(links->link(i).weight), std::abs(links->link(i - 1).weight));
    // A click moves the cursor along the row.
    const AttentionLink third = links->link(2);
    QTest::mouseClick(detail->table()->viewport(), Qt::LeftButton, {},
                      detail->table()->visualRect(links->index(2, LinksModel::WeightColumn)).center());
    EXPECT_EQ(state().cursor()->key, third.key);
    EXPECT_EQ(state().lock(), MapLock::row);
    // The queries that look at a key, while its column is locked.
    state().lockAt({511, third.key}, MapLock::column);
    ASSERT_TRUE(waitFor([&] { return detail->title().startsWith(QStringLiteral("Key ")); }));
    ASSERT_TRUE(waitFor([&] { return links->rowCount() > 0 && links->link(0).key == third.key; }));
    EXPECT_TRUE(detail->table()->isColumnHidden(LinksModel::KeyColumn));
    // Where the width bounds the map, there is no room for it.
    page()->resize(480, 800);
    EXPECT_FALSE(detail->isVisible());
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

}  // namespace
}  // namespace braid::ui
