// Maps, curves, the inspector and the table of values, with real clicks and keys.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>
#include <set>

#include "tests/widgets_probe/probe_fixture.h"
#include "widgets/common/colour_map.h"
#include "widgets/common/controls.h"
#include "widgets/common/segments.h"
#include "widgets/common/theme.h"
#include "widgets/plot/curve_plot.h"
#include "widgets/probe/head_scatter.h"
#include "widgets/probe/measure_dialog.h"
#include "widgets/probe/probe_charts.h"
#include "widgets/probe/restriction_bars.h"
#include "widgets/probe/run_legend.h"

namespace braid::ui {
namespace {

class ProbePageTest : public ProbeTest {
protected:
    void SetUp() override {
        near_ = addRun("near");
        far_ = addRun("far", "FS[w=64] x3");
        for (const RunFolder& run : {near_, far_}) {
            const MeasurementFiles files(run, 600);
            const bool first = &run == &near_ || idOf(run) == idOf(near_);
            files.probe(first ? 1 : 0.5);
            files.heads();
            files.gradient();
            files.trace(first ? 4e5 : 1.4e6);
            files.restrict();
        }
        open();
        maps_ = page_->maps();
    }
    void click(LayerMapView::Place place) {
        QTest::mouseClick(maps_, Qt::LeftButton, {}, maps_->cellRect(place).center().toPoint());
    }
    RunFolder near_, far_;
    LayerMapView* maps_ = nullptr;
};

TEST_F(ProbePageTest, RunsStandSideBySideOnOneScale) {
    ASSERT_GE(maps_->shown(), 3U);
    const LayerMap& accuracy = maps_->sections()[0].map;
    ASSERT_EQ(accuracy.rows.size(), 2U);
    EXPECT_EQ(accuracy.layers(), 6U) << "of the deeper run";
    EXPECT_EQ(accuracy.rows[0].label, QStringLiteral("near"));
    EXPECT_EQ(accuracy.rows[0].cells.size(), 4U) << "no cell where a run has no layer";
    EXPECT_EQ(accuracy.least, 0);
    EXPECT_EQ(accuracy.most, 100);
    const LayerMap& gain = maps_->sections()[1].map;
    EXPECT_TRUE(gain.isSigned);
    EXPECT_EQ(gain.least, -gain.most) << "centred at 0";
    EXPECT_EQ(page_->charts()->gradientPlot()->series().size(), 2);
    EXPECT_EQ(page_->charts()->entropyPlot()->series().size(), 2);
    EXPECT_EQ(panel_->bars()->bars().size(), 4U);
    const double x0 = maps_->cellRect({0, 0, 3}).left();
    EXPECT_EQ(maps_->cellRect({2, 1, 3}).left(), x0) << "one layer axis";
}

TEST_F(ProbePageTest, ACellTellsItsNumberItsIntervalAndItsSamples) {
    QTest::mouseMove(maps_, maps_->cellRect({0, 0, 2}).center().toPoint());
    EXPECT_TRUE(page_->reading().contains(QStringLiteral("near, layer 2 (full)")))
        << page_->reading().toStdString();
    EXPECT_TRUE(page_->reading().contains(QStringLiteral(" to ")));
    EXPECT_TRUE(page_->reading().contains(QStringLiteral("400 samples")));
    EXPECT_EQ(maps_->accessibleDescription(), page_->reading());
    EXPECT_EQ(panel_->title(), QStringLiteral("near, layer 2"));
    click({0, 0, 2});
    ASSERT_TRUE(maps_->held().has_value());
    QTest::mouseMove(maps_, maps_->cellRect({0, 0, 0}).center().toPoint());
    EXPECT_EQ(panel_->title(), QStringLiteral("near, layer 2")) << "held";
    EXPECT_TRUE(panel_->valuesText().contains(QStringLiteral("Gain over the layer below")));
    QTest::mouseClick(panel_->copyButton(), Qt::LeftButton);
    EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("Probing accuracy")));
    QTest::keyClick(maps_, Qt::Key_Escape);
    EXPECT_FALSE(maps_->held().has_value());
}

TEST_F(ProbePageTest, KeysReachEveryMap) {
    maps_->setFocus(Qt::TabFocusReason);
    QTest::keyClick(maps_, Qt::Key_Home);
    for (int i = 0; i < 9; ++i) QTest::keyClick(maps_, Qt::Key_Right);
    ASSERT_TRUE(maps_->read().has_value());
    EXPECT_EQ(maps_->read()->layer, 3U) << "stops at the last layer of the row";
    for (int i = 0; i < 4; ++i) QTest::keyClick(maps_, Qt::Key_Down);
    EXPECT_EQ(maps_->read()->section, 2U);
    QTest::keyClick(maps_, Qt::Key_Return);
    EXPECT_EQ(maps_->held(), maps_->read());
    QTest::keyClick(maps_, Qt::Key_Up);
    EXPECT_EQ(maps_->held()->section, 1U) << "what is held moves along";
}

TEST_F(ProbePageTest, LayersWithoutAttentionAreHatchedAndTheTopTwoCircled) {
    const LayerMap& heads = maps_->sections()[2].map;
    EXPECT_EQ(heads.rowName, QStringLiteral("head"));
    ASSERT_EQ(heads.top.size(), 2U);
    EXPECT_EQ(heads.top[0], (std::pair<std::size_t, std::size_t>(1, 2)));
    EXPECT_TRUE(std::isnan(maps_->cell({2, 0, 1}).value));
    QTest::mouseMove(maps_, maps_->cellRect({2, 0, 1}).center().toPoint());
    EXPECT_TRUE(page_->reading().contains(QStringLiteral("not among the layers")))
        << page_->reading().toStdString();
    EXPECT_FALSE(page_->reading().contains(QStringLiteral(" 0.000")));
    const QImage picture = maps_->grab().toImage();
    const QRect cell = maps_->cellRect({2, 0, 1}).toAlignedRect().adjusted(2, 2, -2, -2);
    std::set<QRgb> colours;
    for (int x = cell.left(); x < cell.right(); ++x) colours.insert(picture.pixel(x, cell.center().y()));
    EXPECT_GT(colours.size(), 1U) << "hatched";
    const QRect low = maps_->cellRect({2, 0, 0}).toAlignedRect();
    EXPECT_NE(QColor(picture.pixel(low.center())), tokens().sunken);
}

TEST_F(ProbePageTest, FurtherMapsComeWhereThereIsRoom) {
    maps_->resize(560, 1400);
    ASSERT_GT(maps_->shown(), 3U);
    EXPECT_EQ(maps_->sections()[3].title, QStringLiteral("Loss when one layer is restricted"));
    EXPECT_TRUE(maps_->sections()[3].isOptional);
    click({3, 0, 1});
    EXPECT_EQ(maps_->held(), (LayerMapView::Place{3, 0, 1}));
    maps_->resize(560, maps_->minimumSizeHint().height());
    EXPECT_EQ(maps_->shown(), 3U);
    EXPECT_FALSE(maps_->held().has_value()) << "what is not shown is not held";
}

TEST_F(ProbePageTest, AClickLeadsToTheRun) {
    QTest::mouseClick(maps_, Qt::LeftButton, {}, maps_->labelRect(0, 1).center().toPoint());
    ASSERT_TRUE(workspace_->choice().current() != nullptr);
    EXPECT_EQ(workspace_->choice().current()->name, QStringLiteral("far"));
    EXPECT_EQ(maps_->sections()[2].map.runs.front().name, QStringLiteral("far")) << "its heads";
    click({0, 0, 1});
    EXPECT_EQ(workspace_->choice().current()->name, QStringLiteral("near"));
    QTest::mouseClick(panel_->openButton(), Qt::LeftButton);
    EXPECT_EQ(shell_.shown, QStringList{QStringLiteral("train")});
    EXPECT_EQ(session_.selectedRuns(), std::vector{idOf(near_)});
}

TEST_F(ProbePageTest, RunsAreChosenInTheList) {
    QAbstractItemModelTester tester(side_->runs()->model());
    ASSERT_EQ(side_->runs()->model()->rowCount(), 2);
    const QModelIndex first = side_->runs()->model()->index(0, 0);
    side_->runs()->setFocus();
    side_->runs()->setCurrentIndex(first);
    QTest::keyClick(side_->runs(), Qt::Key_Space);
    ASSERT_TRUE(waitFor([&] { return workspace_->choice().chosen().size() == 1; }));
    EXPECT_EQ(maps_->sections()[0].map.rows.size(), 1U);
    EXPECT_EQ(side_->state("probe"), QStringLiteral("1 of 1"));
}

TEST_F(ProbePageTest, TheTableHasEveryNumber) {
    QTest::mouseClick(page_->form()->button(1), Qt::LeftButton);
    QAbstractItemModelTester tester(page_->table()->model());
    EXPECT_EQ(page_->table()->model()->rowCount(), 4 + 6);
    EXPECT_EQ(page_->table()->model()->headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(),
              QStringLiteral("Layer"));
    EXPECT_EQ(page_->table()->model()->index(0, 6).data().toString(), QStringLiteral("400"));
    for (int row = 0; row < side_->kinds()->model()->rowCount(); ++row)
        if (side_->kinds()->model()->index(row, 0).data().toString() == QLatin1String("Tracing"))
            side_->kinds()->setCurrentIndex(side_->kinds()->model()->index(row, 0));
    EXPECT_EQ(page_->arrayChoice()->count(), 6);
    EXPECT_EQ(page_->table()->model()->rowCount(), 25 * 2 * (4 + 6));
}

TEST_F(ProbePageTest, TheGradientShowsItsFarLevelAndWhereItIsMet) {
    CurvePlot* plot = page_->charts()->gradientPlot();
    plot->repaintNow();
    EXPECT_FALSE(plot->toImage({400, 260}).isNull());
    EXPECT_TRUE(plot->series()[0].low != nullptr) << "its interval";
}

TEST_F(ProbePageTest, NewMeasurementsAreShownAndBadFilesTold) {
    EXPECT_EQ(side_->state("entropy"), QStringLiteral("Run"));
    MeasurementFiles(near_, 600).entropy();
    ASSERT_TRUE(waitFor([&] { return side_->state("entropy") == QLatin1String("1 of 2"); }));
    page_->charts()->chooseThird(QStringLiteral("entropy"));
    HeadScatter* scatter = page_->charts()->scatter();
    ASSERT_EQ(scatter->points().size(), 8U);
    QTest::keyClick(scatter, Qt::Key_Right);
    EXPECT_TRUE(scatter->accessibleDescription().contains(QStringLiteral("100 samples")));
    write_text(near_.measurements_folder() + "/bad.json", "{\"kind\": 3}");
    const auto problem = [&] { return workspace_->choice().problem(); };
    ASSERT_TRUE(waitFor([&] { return problem().contains(QStringLiteral("bad.json")); }));
    EXPECT_GE(maps_->shown(), 3U) << "the others stay";
}

TEST_F(ProbeTest, OneLegendForAllChartsAndDashesWhereHuesRepeat) {
    std::vector<RunFolder> runs;
    for (const char* seed : {"seed-1", "seed-2", "seed-3"}) {  // of one variant: one colour
        runs.push_back(fixture_.addFinishedRun(seed, "laziness", std::string("window-4/") + seed));
        const MeasurementFiles files(runs.back(), 600);
        files.gradient();
        files.trace();
        files.noise();
    }
    open();
    ASSERT_EQ(workspace_->choice().chosen().size(), 3U);
    const RunLegend* legend = page_->charts()->legend();
    ASSERT_TRUE(legend->isVisible());
    ASSERT_EQ(legend->entries().size(), 3U);
    EXPECT_EQ(legend->shown(), 3U);
    std::set<std::pair<int, int>> looks;
    for (const PlotSeries& one : page_->charts()->entropyPlot()->series()) {
        looks.emplace(one.colour, one.dash);
        const auto entry = std::find_if(legend->entries().begin(), legend->entries().end(),
                                        [&](const auto& each) { return one.id.startsWith(each.id); });
        ASSERT_NE(entry, legend->entries().end());
        EXPECT_EQ(std::pair(entry->colour, entry->dash), std::pair(one.colour, one.dash));
    }
    EXPECT_EQ(looks.size(), 3U) << "no two look alike";
    page_->charts()->chooseThird(QStringLiteral("noise/change"));
    const auto& parts = page_->charts()->thirdPlot()->series();
    ASSERT_EQ(parts.size(), 3);
    EXPECT_EQ(parts[0].component, "full");
    EXPECT_EQ(parts[2].component, "ffn");
}

TEST_F(ProbeTest, TitlesTellTheRangeOfSamplesWhereRowsDiffer) {
    const RunFolder few = addRun("few"), many = addRun("many");
    MeasurementFiles(few, 600).probe();
    MeasurementFiles(many, 600).probe();
    MeasurementList list = read_measurements(few);
    for (MeasuredArray& array : list.records.at(0).arrays) array.samples = {64};
    ASSERT_TRUE(write_measurement(few.measurements_folder(), list.records[0]).has_value());
    open();
    ASSERT_FALSE(page_->maps()->sections().empty());
    EXPECT_TRUE(page_->maps()->sections()[0].note.contains(QStringLiteral("64 to 400 samples")))
        << page_->maps()->sections()[0].note.toStdString();
}

TEST_F(ProbePageTest, SignedColoursMeetInTheMiddle) {
    EXPECT_EQ(redBlue(0, light_middle), light_middle);
    EXPECT_GT(redBlue(0.9, light_middle).blue(), redBlue(0.9, light_middle).red());
    EXPECT_GT(redBlue(-0.9, light_middle).red(), redBlue(-0.9, light_middle).blue());
    EXPECT_EQ(redBlue(0, dark_middle), dark_middle);
    EXPECT_EQ(redBlue(7, light_middle), redBlue(1, light_middle)) << "clamped";
}

}  // namespace
}  // namespace braid::ui
