// What is shown of what was measured: rows by kind of layer, an earlier step, other settings; and where a
// cell leads to.
#include <QAbstractButton>
#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include "tests/widgets_probe/probe_fixture.h"
#include "widgets/common/layer_kinds.h"
#include "widgets/common/segments.h"
#include "widgets/figure/figure_kind.h"
#include "widgets/probe/class_bars.h"
#include "widgets/probe/probe_figures.h"

namespace braid::ui {
namespace {

class ProbeChoiceTest : public ProbeTest {
protected:
    void SetUp() override {
        near_ = addRun("near");
        far_ = addRun("far", "FS[w=64] x3");
        for (const RunFolder& run : {near_, far_}) {
            const MeasurementFiles files(run, 600);
            files.probe();
            files.heads();
            files.gradient();
        }
        MeasurementFiles(near_, 200).probe(0.2);
        MeasurementFiles(near_, 600).heads(4, 50);
        open();
        maps_ = page_->maps();
    }
    // As a user does.
    static void choose(QComboBox* box, int index) {
        box->setFocus();
        box->setCurrentIndex(index);
        Q_EMIT box->activated(index);
    }
    void chooseKind(const QString& title) {
        QAbstractItemModel* kinds = side_->kinds()->model();
        for (int row = 0; row < kinds->rowCount(); ++row)
            if (kinds->index(row, 0).data().toString() == title)
                QTest::mouseClick(side_->kinds()->viewport(), Qt::LeftButton, {},
                                  side_->kinds()->visualRect(kinds->index(row, 0)).center());
    }
    RunFolder near_, far_;
    LayerMapView* maps_ = nullptr;
};

TEST_F(ProbeChoiceTest, LayersOfOneKindAreComparedAcrossModels) {
    QTest::mouseClick(page_->rows()->button(1), Qt::LeftButton);
    const LayerMap& accuracy = maps_->sections()[0].map;
    ASSERT_EQ(accuracy.rows.size(), 4U) << "full of both, then windows of both";
    EXPECT_EQ(accuracy.rows[0].mixer, "full");
    EXPECT_EQ(accuracy.rows[1].mixer, "full");
    EXPECT_EQ(accuracy.rows[2].mixer, "swa");
    EXPECT_TRUE(accuracy.rows[0].cells[1].isOutside);
    EXPECT_FALSE(accuracy.rows[2].cells[1].isOutside);
    EXPECT_EQ(rowMean(accuracy.rows[1]).layers, 3U);
    maps_->setFocus(Qt::TabFocusReason);
    QTest::keyClick(maps_, Qt::Key_Home);
    EXPECT_EQ(maps_->read()->layer, 0U);
    QTest::keyClick(maps_, Qt::Key_Right);
    EXPECT_EQ(maps_->read()->layer, 2U) << "over the layer of the other kind";
    QTest::keyClick(maps_, Qt::Key_Left);
    QTest::keyClick(maps_, Qt::Key_Left);
    EXPECT_EQ(maps_->read()->layer, 0U) << "stays";
    EXPECT_FALSE(page_->reading().contains(QStringLiteral("not measured")));
    QTest::mouseClick(page_->rows()->button(0), Qt::LeftButton);
    EXPECT_EQ(maps_->sections()[0].map.rows.size(), 2U);
}

TEST_F(ProbeChoiceTest, EarlierStepsAreShown) {
    ASSERT_TRUE(side_->stepChoice()->isVisible());
    ASSERT_EQ(side_->stepChoice()->count(), 3) << "the last, 200, 600";
    EXPECT_EQ(workspace_->choice().measured("probe").size(), 2U);
    choose(side_->stepChoice(), 1);
    ASSERT_EQ(workspace_->choice().measured("probe").size(), 1U) << "of one run only";
    EXPECT_EQ(workspace_->choice().measured("probe")[0].record->checkpoint.step, Step(200));
    EXPECT_TRUE(workspace_->choice().measured("heads").empty()) << "nothing of another step is mixed in";
    const std::vector<NamedFigure> figures = probeFigures(workspace_->choice());
    ASSERT_EQ(figures.size(), 2U) << "accuracy and gain; the comparison";
    EXPECT_EQ(figures[0].spec.panels[0].step, 200);
    choose(side_->stepChoice(), 0);
    EXPECT_EQ(workspace_->choice().measured("probe").size(), 2U);
}

TEST_F(ProbeChoiceTest, OtherSettingsAreShown) {
    EXPECT_FALSE(side_->settingsChoice()->isVisible()) << "of probing there is one choice";
    chooseKind(QStringLiteral("Retrieval heads"));
    ASSERT_TRUE(side_->settingsChoice()->isVisible());
    ASSERT_EQ(side_->settingsChoice()->count(), 3);
    const int fifty = side_->settingsChoice()->findText(QStringLiteral("samples 50"));
    ASSERT_GT(fifty, 0) << side_->settingsChoice()->itemText(1).toStdString();
    choose(side_->settingsChoice(), fifty);
    const std::vector<MeasuredRun> shown = workspace_->choice().measured("heads");
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(shown[0].record->settings.at("samples"), 50);
    for (const NamedFigure& figure : probeFigures(workspace_->choice()))
        if (figure.spec.panels[0].metric == "heads/mass") {
            EXPECT_EQ(figure.spec.panels[0].score, measurementSettings(*shown[0].record));
            const auto data = load_figure_data(fixture_.folder().toStdString(), figure.spec);
            ASSERT_TRUE(data.has_value());
            EXPECT_EQ(data->panels[0].measured[0].record->settings.at("samples"), 50);
        }
}

TEST_F(ProbeChoiceTest, ACellLeadsToItsHead) {
    QSignalSpy chosen(&session_, &ProjectSession::headChosen);
    const LayerMapView::Place head{2, 1, 2};
    QTest::mouseDClick(maps_, Qt::LeftButton, {}, maps_->cellRect(head).center().toPoint());
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(session_.chosenHead(), (HeadChoice{RunId(maps_->run(head).run), Step(600), 2, 1}));
    EXPECT_EQ(shell_.shown.last(), QStringLiteral("heads"));
    // A layer leads to its strongest head.
    maps_->hold(LayerMapView::Place{0, 0, 2});
    QTest::mouseClick(panel_->headsButton(), Qt::LeftButton);
    ASSERT_TRUE(session_.chosenHead().has_value());
    EXPECT_EQ(session_.chosenHead()->layer, 2U);
    EXPECT_EQ(session_.chosenHead()->head, 1U);
    maps_->setFocus();
    QTest::keyClick(maps_, Qt::Key_Return, Qt::ControlModifier);
    EXPECT_EQ(shell_.shown.size(), 3);
}

TEST_F(ProbeChoiceTest, TheClassifierIsChosenWhereSeveralWereCompared) {
    QComboBox* box = page_->classifierChoice();
    ASSERT_TRUE(box->isVisible());
    ASSERT_EQ(box->count(), 2);
    const double logistic = maps_->cell({0, 0, 3}).value;
    choose(box, 1);
    EXPECT_DOUBLE_EQ(maps_->cell({0, 0, 3}).value, logistic / 2);
    EXPECT_NEAR(maps_->cell({1, 0, 3}).value, (logistic - 2 * maps_->cell({0, 0, 2}).value) / 2, 1e-9);
    EXPECT_TRUE(maps_->sections()[0].note.startsWith(QStringLiteral("MLP, ")));
    EXPECT_EQ(box->currentText().toStdString(), "MLP");
    for (const NamedFigure& figure : probeFigures(workspace_->choice()))
        EXPECT_NE(figure.spec.panels[0].metric, "probe/accuracy")
            << "the file's own is of another classifier";
    choose(box, 0);
    EXPECT_DOUBLE_EQ(maps_->cell({0, 0, 3}).value, logistic);
}

TEST_F(ProbeChoiceTest, ClassesAreToldWhereTheyWereRecorded) {
    maps_->hold(LayerMapView::Place{0, 0, 3});
    ASSERT_TRUE(panel_->classBars()->isVisible());
    EXPECT_EQ(panel_->classBars()->text(3).toStdString(), "class 3: 73.0 %, 50 samples");
    maps_->hold(LayerMapView::Place{2, 0, 0});
    EXPECT_FALSE(panel_->classBars()->isVisible());
}

}  // namespace
}  // namespace braid::ui
