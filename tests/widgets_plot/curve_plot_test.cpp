#include "widgets/plot/curve_plot.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include "tests/widgets_plot/plot_fixture.h"

using namespace braid;
using namespace braid::ui;

namespace {

// The child that takes the mouse.
QWidget* canvas(CurvePlot& plot) {
    QWidget* child = plot.findChild<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
    EXPECT_NE(child, nullptr);
    return child;
}

void show(CurvePlot& plot, QSize size = QSize(760, 420)) {
    plot.resize(size);
    plot.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&plot));
    plot.repaintNow();
}

void hover(CurvePlot& plot, QPoint place) {
    QMouseEvent event(QEvent::MouseMove, place, canvas(plot)->mapToGlobal(place), Qt::NoButton, Qt::NoButton,
                      Qt::NoModifier);
    QCoreApplication::sendEvent(canvas(plot), &event);
}

void turnWheel(CurvePlot& plot, QPoint place, int notches, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QWheelEvent event(place, canvas(plot)->mapToGlobal(place), QPoint(), QPoint(0, 120 * notches),
                      Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(canvas(plot), &event);
    plot.repaintNow();
}

}  // namespace

TEST(CurvePlot, theFirstRunPanel) {
    for (const bool dark : {false, true}) {
        CurvePlot plot;
        plot.setTokens(dark ? darkTokens() : lightTokens());
        plot.setTitle(QStringLiteral("Far recall"), QStringLiteral("keys last seen more than 64 tokens ago"));
        plot.setXTitle(QStringLiteral("training tokens"));
        plot.setCountsOnX(true, true);
        plot.setYLimits(0, 1);
        plot.setSeries(fourHybrids());
        plot.setThreshold(PlotThreshold{
            .value = 0.9, .label = QStringLiteral("0.9"), .compare = true, .unit = QStringLiteral("tokens")});
        const QImage image = plot.toImage(QSize(860, 370), 1);
        keepPicture(image, dark ? QStringLiteral("first-run-dark") : QStringLiteral("first-run-light"));
        for (const int index : {0, 1, 2, 4}) {
            EXPECT_GT(pixelsLike(image,
                                 (dark ? darkTokens() : lightTokens()).runs[static_cast<std::size_t>(index)]),
                      100)
                << index;
        }
    }
}

TEST(CurvePlot, theTrainPanel) {
    CurvePlot plot;
    plot.setTokens(lightTokens());
    plot.setTitle(QStringLiteral("Loss"), QStringLiteral("nats per token, training"));
    QVector<PlotSeries> series{
        {QStringLiteral("a91"), QStringLiteral("a91"), noisyLoss(430, 1, 3.2), 0, true},
        {QStringLiteral("7c2"), QStringLiteral("7c2"), noisyLoss(1000, 2, 2.98), 1},
        {QStringLiteral("b08"), QStringLiteral("b08"), noisyLoss(1000, 3, 3.0), 2},
        {QStringLiteral("5fe"), QStringLiteral("5fe"), noisyLoss(760, 4, 3.06), 3}};
    plot.setSeries(series);
    plot.setCountsOnX(true, false);
    plot.setSmoothing(0.92);
    plot.setCursor(PlotCursor::a, 300);
    plot.setCursor(PlotCursor::b, 700);
    plot.setVerticalMarks({{510, QStringLiteral("resume"), MarkStyle::resume, 3},
                           {900, QStringLiteral("decay"), MarkStyle::decay}});
    keepPicture(plot.toImage(QSize(440, 460), 1), QStringLiteral("train-loss"));
    plot.setCompact(true);
    plot.setTitle(QStringLiteral("Tokens per second"));
    keepPicture(plot.toImage(QSize(290, 140), 2), QStringLiteral("train-compact"));
}

TEST(CurvePlot, aOneStepSpikeIsPaintedAtEveryZoom) {
    std::vector<double> y(200'000, 1.0);
    y[123'456] = 9;
    CurvePlot plot;
    plot.setTokens(lightTokens());
    plot.setLabels(PlotLabels::none);
    plot.setSeries({{QStringLiteral("r"), QStringLiteral("r"), curveOf(y), 0}});
    plot.setYRange({0, 10});
    for (double half = 90'000; half > 20; half /= 3) {
        plot.setXRange({123'456 - half, 123'456 + half});
        const QImage image = plot.toImage(QSize(500, 300));
        // The upper half of the panel holds nothing but the spike.
        const int painted = pixelsLike(image, lightTokens().runs[0], QRect(60, 40, 430, 100), 90);
        EXPECT_GT(painted, 60) << half;
        EXPECT_EQ(image, plot.toImage(QSize(500, 300))) << "two redraws must be pixel-identical";
    }
    keepPicture(plot.toImage(QSize(500, 300)), QStringLiteral("spike"));
}

TEST(CurvePlot, marksWhatHasNoPlace) {
    CurvePlot plot;
    plot.setTokens(lightTokens());
    plot.setTitle(QStringLiteral("Loss"), QStringLiteral("with accidents"));
    plot.setLabels(PlotLabels::none);
    plot.setSeries({{QStringLiteral("r"), QStringLiteral("r"),
                     curveOf({5, 4, infinite, 3, nan_value, 2.5, nan_value, 2, -1, 0, 1.5, 1.2, 1.1}), 0}});
    plot.setYScale(AxisScale::log);
    const QImage image = plot.toImage(QSize(520, 300));
    keepPicture(image, QStringLiteral("edge-marks"));
    EXPECT_EQ(plot.omissionsText(), QStringLiteral("2 values missing, 3 at the edge"));
    EXPECT_GT(plot.yRange().lower, 0);
    const QColor colour = lightTokens().runs[0];
    EXPECT_GT(pixelsLike(image, colour, QRect(40, 30, 470, 14)), 8) << "+inf at the upper edge";
    EXPECT_GT(pixelsLike(image, colour, QRect(40, 255, 470, 20)), 8) << "<= 0 at the lower edge";
    plot.setYScale(AxisScale::symlog);
    keepPicture(plot.toImage(QSize(520, 300)), QStringLiteral("symlog"));
    EXPECT_EQ(plot.omissionsText(), QStringLiteral("2 values missing, 1 at the edge"));
    EXPECT_LT(plot.yRange().lower, -1);
}

TEST(CurvePlot, smoothingKeepsAConstantCurveAndTheLastValue) {
    CurvePlot plot;
    plot.setSeries({{QStringLiteral("c"), QStringLiteral("c"), curveOf(std::vector<double>(100, 3.25)), 0}});
    plot.setSmoothing(0.99);
    plot.repaintNow();
    const auto readings = plot.readAt(99);
    ASSERT_EQ(readings.size(), 1);
    EXPECT_EQ(readings[0].raw, 3.25);
    EXPECT_EQ(readings[0].smoothed, 3.25);
    EXPECT_TRUE(std::isnan(plot.readAt(500)[0].raw)) << "beyond the record there is nothing to read";
}

TEST(CurvePlot, theReadoutNeverLeavesThePlot) {
    CurvePlot plot;
    QVector<PlotSeries> many;
    for (int i = 0; i < 30; ++i) {
        many.append({QString::number(i), QStringLiteral("a run with quite a long name %1").arg(i),
                     noisyLoss(100, static_cast<unsigned>(i), 2), i});
    }
    plot.setSeries(many);
    for (const QSize size : {QSize(700, 400), QSize(260, 160)}) {
        show(plot, size);
        int seen = 0;
        for (int x = 0; x < size.width(); x += 23) {
            for (int y = 0; y < size.height(); y += 23) {
                hover(plot, QPoint(x, y));
                const QRect box = plot.readoutRect();
                if (!box.isNull()) {
                    ++seen;
                    ASSERT_TRUE(plot.rect().contains(box)) << x << " " << y;
                }
            }
        }
        EXPECT_GT(seen, 10);
    }
    show(plot);
    hover(plot, QPoint(300, 200));
    EXPECT_TRUE(plot.readoutText().contains(QStringLiteral("and 22 more")))
        << plot.readoutText().toStdString();
    keepPicture(plot.grab().toImage(), QStringLiteral("readout"));
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(canvas(plot), &leave);
    EXPECT_TRUE(plot.readoutText().isEmpty());
}

TEST(CurvePlot, growingDataDoNotMoveAViewTheUserHasChosen) {
    CurvePlot plot;
    plot.setSeries({{QStringLiteral("r"), QStringLiteral("r"), curveOf({1, 2, 3}), 0, true}});
    plot.repaintNow();
    EXPECT_EQ(plot.xRange(), (AxisRange{0, 2}));
    plot.setCurve(QStringLiteral("r"), curveOf({1, 2, 3, 4, 5}));
    plot.setCurve(QStringLiteral("unknown"), curveOf({1}));
    plot.repaintNow();
    EXPECT_EQ(plot.xRange(), (AxisRange{0, 4})) << "a fitted view follows";
    plot.setXRange({1, 2});
    plot.setCurve(QStringLiteral("r"), curveOf({1, 2, 3, 4, 5, 6, 7}));
    plot.repaintNow();
    EXPECT_NEAR(plot.xRange().lower, 1, 1e-12);
    EXPECT_NEAR(plot.xRange().upper, 2, 1e-12);
    EXPECT_FALSE(plot.isFitted());
    plot.fit();
    EXPECT_EQ(plot.xRange(), (AxisRange{0, 6}));
    // A resume that cuts the record back does not move the end of an axis that has a limit.
    plot.setXLimits(0, 10);
    plot.repaintNow();
    const AxisRange before = plot.xRange();
    plot.setCurve(QStringLiteral("r"), curveOf({1, 2, 3}));
    plot.repaintNow();
    EXPECT_EQ(plot.xRange(), before);
}

TEST(CurvePlot, manyUpdatesPaintOnceAndShowTheLastState) {
    CurvePlot plot;
    plot.setSeries({{QStringLiteral("r"), QStringLiteral("r"), curveOf({0}), 0, true}});
    show(plot);
    std::vector<double> y{0};
    for (int i = 1; i <= 5000; ++i) {
        y.push_back(i);
        if (i % 100 == 0) {
            plot.setCurve(QStringLiteral("r"), curveOf(y));
        }
    }
    QTest::qWait(60);
    EXPECT_EQ(plot.xRange(), (AxisRange{0, 5000}));
}

TEST(CurvePlot, wheelDragAndDoubleClick) {
    CurvePlot plot;
    plot.setSeries({{QStringLiteral("r"), QStringLiteral("r"), noisyLoss(1000, 1, 3), 0}});
    show(plot);
    QSignalSpy ranges(&plot, &CurvePlot::xRangeChanged);
    const AxisRange whole = plot.xRange();
    const AxisRange wholeY = plot.yRange();
    const QPoint middle(380, 200);
    turnWheel(plot, middle, 3);
    EXPECT_NEAR(plot.xRange().size(), whole.size() / std::pow(1.2, 3), 1);
    EXPECT_GE(ranges.count(), 1);
    turnWheel(plot, middle, 2, Qt::ShiftModifier);
    EXPECT_LT(plot.yRange().size(), wholeY.size());
    const AxisRange before = plot.xRange();
    QTest::mousePress(canvas(plot), Qt::LeftButton, Qt::NoModifier, middle);
    QMouseEvent move(QEvent::MouseMove, middle + QPoint(100, 0),
                     canvas(plot)->mapToGlobal(middle + QPoint(100, 0)), Qt::NoButton, Qt::LeftButton,
                     Qt::NoModifier);
    QCoreApplication::sendEvent(canvas(plot), &move);
    QTest::mouseRelease(canvas(plot), Qt::LeftButton, Qt::NoModifier, middle + QPoint(100, 0));
    EXPECT_LT(plot.xRange().lower, before.lower);
    EXPECT_NEAR(plot.xRange().size(), before.size(), 1e-9 * before.size());
    QTest::mouseDClick(canvas(plot), Qt::LeftButton, Qt::NoModifier, middle);
    EXPECT_EQ(plot.xRange(), whole);
    EXPECT_TRUE(plot.isFitted());
}

TEST(CurvePlot, boxZoomTakesTheBox) {
    CurvePlot plot;
    plot.setSeries({{QStringLiteral("r"), QStringLiteral("r"), noisyLoss(1000, 1, 3), 0}});
    show(plot);
    const AxisRange whole = plot.xRange();
    QTest::mousePress(canvas(plot), Qt::RightButton, Qt::NoModifier, QPoint(200, 100));
    QMouseEvent move(QEvent::MouseMove, QPoint(300, 200), canvas(plot)->mapToGlobal(QPoint(300, 200)),
                     Qt::NoButton, Qt::RightButton, Qt::NoModifier);
    QCoreApplication::sendEvent(canvas(plot), &move);
    QTest::mouseRelease(canvas(plot), Qt::RightButton, Qt::NoModifier, QPoint(300, 200));
    EXPECT_LT(plot.xRange().size(), whole.size() / 3);
    EXPECT_GT(plot.xRange().lower, whole.lower);
}

TEST(CurvePlot, cursorsBySetClickKeyAndDrag) {
    CurvePlot plot;
    plot.setCursorsEnabled(true);
    plot.setSeries({{QStringLiteral("r"), QStringLiteral("r"), noisyLoss(1000, 1, 3), 0}});
    show(plot);
    QSignalSpy moved(&plot, &CurvePlot::cursorMoved);
    QTest::mouseClick(canvas(plot), Qt::LeftButton, Qt::NoModifier, QPoint(250, 150));
    QTest::mouseClick(canvas(plot), Qt::LeftButton, Qt::ShiftModifier, QPoint(450, 150));
    ASSERT_TRUE(plot.cursor(PlotCursor::a) && plot.cursor(PlotCursor::b));
    EXPECT_LT(*plot.cursor(PlotCursor::a), *plot.cursor(PlotCursor::b));
    EXPECT_EQ(moved.count(), 2);
    hover(plot, QPoint(350, 150));
    QTest::keyClick(&plot, Qt::Key_A);
    EXPECT_NEAR(*plot.cursor(PlotCursor::a), (plot.xRange().lower + plot.xRange().upper) / 2, 200);
    QTest::keyClick(&plot, Qt::Key_Escape);
    EXPECT_FALSE(plot.cursor(PlotCursor::a));
}

TEST(CurvePlot, theKeyboardReachesEverything) {
    CurvePlot plot;
    plot.setSeries({{QStringLiteral("r"), QStringLiteral("r"), noisyLoss(1000, 1, 3), 0}});
    show(plot);
    plot.setFocus(Qt::TabFocusReason);
    const AxisRange whole = plot.xRange();
    QTest::keyClick(&plot, Qt::Key_Plus);
    EXPECT_LT(plot.xRange().size(), whole.size());
    const double lower = plot.xRange().lower;
    QTest::keyClick(&plot, Qt::Key_Right);
    EXPECT_GT(plot.xRange().lower, lower);
    QTest::keyClick(&plot, Qt::Key_Home);
    EXPECT_EQ(plot.xRange(), whole);
    EXPECT_FALSE(plot.accessibleName().isEmpty());
}

TEST(CurvePlot, aClickOnALineNamesItsRun) {
    CurvePlot plot;
    plot.setSeries({{QStringLiteral("low"), QStringLiteral("low"), curveOf({1, 1, 1, 1}), 0},
                    {QStringLiteral("high"), QStringLiteral("high"), curveOf({2, 2, 2, 2}), 1}});
    plot.setYRange({0, 3});
    show(plot);
    QSignalSpy activated(&plot, &CurvePlot::seriesActivated);
    for (int y = 10; y < 380 && activated.isEmpty(); y += 4) {
        QTest::mouseClick(canvas(plot), Qt::LeftButton, Qt::NoModifier, QPoint(250, y));
    }
    ASSERT_FALSE(activated.isEmpty());
    EXPECT_EQ(activated[0][0].toString(), QStringLiteral("high"));
}

TEST(CurvePlot, coloursStayWithTheirRunInAnyOrder) {
    QVector<PlotSeries> series;
    for (const int index : {0, 1, 2, 4}) {
        series.append({QString::number(index), QString(), curveOf({1.0 * index, 1.0 * index}), index});
    }
    CurvePlot plot;
    plot.setTokens(lightTokens());
    plot.setLabels(PlotLabels::none);
    plot.setSeries(series);
    const QImage before = plot.toImage(QSize(500, 300));
    std::reverse(series.begin(), series.end());
    plot.setSeries(series);
    EXPECT_EQ(plot.toImage(QSize(500, 300)), before);
    series.removeFirst();
    plot.setSeries(series);
    plot.setYRange({-0.2, 4.2});
    const QImage fewer = plot.toImage(QSize(500, 300));
    for (const int index : {0, 1, 2}) {
        EXPECT_GT(pixelsLike(fewer, lightTokens().runs[static_cast<std::size_t>(index)], {}, 8), 300)
            << index;
    }
}

TEST(CurvePlot, oneWhoNeverGetsThereIsNotDrawnAsZero) {
    QVector<PlotSeries> series = fourHybrids();
    series[3].curve = recallCurve(60);
    CurvePlot plot;
    plot.setTokens(lightTokens());
    plot.setCountsOnX(true, true);
    plot.setYLimits(0, 1);
    plot.setXTitle(QStringLiteral("training tokens"));
    plot.setSeries(series);
    plot.setThreshold(PlotThreshold{
        .value = 0.9, .label = QStringLiteral("0.9"), .compare = true, .unit = QStringLiteral("tokens")});
    keepPicture(plot.toImage(QSize(860, 370)), QStringLiteral("never"));
}

TEST(CurvePlot, emptyAndOddInputIsHarmless) {
    CurvePlot plot;
    show(plot, QSize(300, 200));
    plot.setSeries({{QStringLiteral("e"), QStringLiteral("e"), nullptr, -3},
                    {QStringLiteral("n"), QStringLiteral("n"), curveOf({nan_value, nan_value}), 9},
                    {QStringLiteral("n"), QStringLiteral("same id"), curveOf({infinite}), 123}});
    plot.setSmoothing(nan_value);
    plot.setXRange({5, 5});
    plot.setYRange({nan_value, 1});
    plot.setXScale(AxisScale::log);
    plot.setYScale(AxisScale::log);
    plot.repaintNow();
    turnWheel(plot, QPoint(150, 100), 400);
    turnWheel(plot, QPoint(150, 100), -800);
    plot.fit();
    plot.resize(1, 1);
    plot.repaintNow();
    plot.toImage(QSize(40, 30));
}

TEST(CurvePlot, legendWhereLabelsDoNotFit) {
    CurvePlot plot;
    plot.setTokens(lightTokens());
    QVector<PlotSeries> series = fourHybrids();
    for (int i = 0; i < 8; ++i) {
        series.append({QStringLiteral("x%1").arg(i), QStringLiteral("another long hybrid %1").arg(i),
                       recallCurve(6 + 2 * i), 5 + i});
    }
    plot.setSeries(series);
    keepPicture(plot.toImage(QSize(520, 340)), QStringLiteral("legend"));
}
