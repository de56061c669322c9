// The two painters of a scene draw the same picture; how fast maps pan and appear.
#include <QElapsedTimer>
#include <QTest>
#include <cstdio>
#include <ctime>

#include "tests/widgets_heads/heads_fixture.h"
#include "widgets/common/theme.h"
#include "widgets/heads/map_painter.h"
#include "widgets/heads/map_renderer.h"
#include "widgets/heads/map_scene_maker.h"

namespace braid::ui {
namespace {

struct Compared {
    double mean = 0;  // of all channels, 0 to 255
    double far = 0;   // share of pixels that differ by more than 64 in a channel
};

Compared compare(const QImage& one, const QImage& two) {
    const QImage a = one.convertToFormat(QImage::Format_RGB32), b = two.convertToFormat(QImage::Format_RGB32);
    Compared compared;
    if (a.size() != b.size()) return {255, 1};
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x) {
            const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
            const int off[] = {std::abs(qRed(p) - qRed(q)), std::abs(qGreen(p) - qGreen(q)),
                               std::abs(qBlue(p) - qBlue(q))};
            compared.mean += off[0] + off[1] + off[2];
            if (std::max({off[0], off[1], off[2]}) > 64) ++compared.far;
        }
    const double pixels = double(a.width()) * a.height();
    compared.mean /= 3 * pixels;
    compared.far /= pixels;
    return compared;
}

class Painters : public HeadsTest {
protected:
    void SetUp() override {
        addRun("swa-128 S4");
        addCapture({.tokens = 1'024, .step = 200, .retrieval = 1});
        addCapture({.tokens = 1'024, .step = 600});
    }
    MadeScene sceneOf(HeadSide side, double ratio) {
        const MapSceneRequest request{
            .state = state(), .side = side, .size = QSizeF(460, 460), .ratio = ratio, .focused = true};
        MadeScene made = makeMapScene(request, workspace_->tiles());
        EXPECT_TRUE(waitFor([&] {
            if (made.missing.empty()) return true;
            workspace_->tiles().want(99, state().source(side), made.missing);
            QTest::qWait(5);
            made = makeMapScene(request, workspace_->tiles());
            return made.missing.empty();
        }));
        return made;
    }
};

TEST_F(Painters, DrawTheSamePicture) {
    QString problem;
    const std::unique_ptr<MapPainter> imgui = makeImguiPainter(&problem);
    if (!imgui) GTEST_SKIP() << "no OpenGL without a window: " << problem.toStdString();
    const std::unique_ptr<MapPainter> raster = makeRasterPainter();
    std::printf("    %s against %s\n", qPrintable(imgui->name()), qPrintable(raster->name()));
    open();
    ASSERT_TRUE(settle());
    ASSERT_TRUE(state().head(HeadSide::b));
    state().setLinksShown(true);
    const QString folder = qEnvironmentVariable("BRAID_SCREENSHOTS");
    int number = 0;
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark})
        for (const double ratio : {1.0, 2.0})
            for (const double span : {1'024.0, 300.0, 24.0}) {
                Theme::instance().setMode(mode, false);
                state().setViewport(MapViewport{1'024, 200, 700, span}.clamped());
                const MadeScene made = sceneOf(HeadSide::b, ratio);
                const QImage one = imgui->paint(*made.scene), two = raster->paint(*made.scene);
                const Compared off = compare(one, two);
                std::printf("    span %5.0f at %.0fx: mean difference %.2f of 255, %.2f %% of pixels far\n",
                            span, ratio, off.mean, off.far * 100);
                EXPECT_LT(off.mean, 3);
                EXPECT_LT(off.far, 0.02);
                if (!folder.isEmpty() && ratio == 1) {
                    one.save(folder + QStringLiteral("/painter-imgui-%1.png").arg(number));
                    two.save(folder + QStringLiteral("/painter-raster-%1.png").arg(number++));
                }
            }
    Theme::instance().setMode(ThemeMode::light, false);
}

TEST_F(Painters, PicturesTooLargeForTheDeviceAreStillDrawn) {
    const std::unique_ptr<MapPainter> imgui = makeImguiPainter(nullptr);
    if (!imgui) GTEST_SKIP();
    const QImage picture = imgui->paint({QSize(70'000, 2), Qt::red, {}});
    EXPECT_EQ(picture.width(), 70'000);
    EXPECT_EQ(picture.pixelColor(69'999, 1), QColor(Qt::red));
}

TEST_F(Painters, TheSettingOfSafeModeAsksForTheFallback) {
    qApp->setProperty("safeMode", true);
    EXPECT_EQ(wantedPainter(), PainterChoice::raster);
    qApp->setProperty("safeMode", false);
    qputenv("BRAID_MAP_PAINTER", "raster");
    EXPECT_EQ(wantedPainter(), PainterChoice::raster);
    qunsetenv("BRAID_MAP_PAINTER");
    EXPECT_EQ(wantedPainter(), PainterChoice::automatic);
    QString problem;
    EXPECT_EQ(makeMapPainter(PainterChoice::raster, &problem)->name(), QStringLiteral("Qt raster"));
}

// What this thread has computed so far: other processes of the machine do not count.
double threadMilliseconds() {
    timespec spent{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return double(spent.tv_sec) * 1e3 + double(spent.tv_nsec) / 1e6;
}

double residentMiB() {
    long pages = 0;
    if (FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    return double(pages) * 4096 / 1048576;
}

// Two maps of 16K tokens, panned at a zoom where tiles come from the factors.
class LongText : public HeadsTest {};

TEST_F(LongText, AppearsAtOnceAndPansSmoothly) {
    addRun("long");
    addCapture({.tokens = 16'384, .step = 600, .finest = 3, .first_layer = 2});
    for (const char* painter : {"imgui", "raster"}) {
        workspace_.reset();
        const double before_all = residentMiB();
        qputenv("BRAID_MAP_PAINTER", painter);
        open({900, 800});
        ASSERT_TRUE(waitFor([&] { return !page()->renderer().painterName().isEmpty(); }));
        workspace_->choice().pickHead(2, 1, true);
        ASSERT_TRUE(settle());
        std::printf("    %s\n", qPrintable(page()->renderer().painterName()));
        // First paint of another head, from the click to the picture.
        QElapsedTimer clock;
        clock.start();
        int paints = 0;
        qint64 first = -1;
        const auto watch = QObject::connect(map(HeadSide::b), &HeadMap::painted, [&] {
            ++paints;
            if (first < 0 && state().head(HeadSide::b) && state().head(HeadSide::b)->description.head == 0)
                first = clock.elapsed();
        });
        workspace_->choice().pickHead(2, 0, true);
        ASSERT_TRUE(waitFor([&] { return first >= 0; }));
        ASSERT_TRUE(settle());
        std::printf("    first paint after %lld ms, all of it after %lld ms\n", static_cast<long long>(first),
                    static_cast<long long>(clock.elapsed()));
        EXPECT_LT(first, 1'000) << "a hang, not a slow machine";

        // Pan: a new viewport whenever both maps have been painted.
        state().setViewport(MapViewport{16'384, 2'000, 9'000, 1'400});
        ASSERT_TRUE(settle());
        paints = 0;
        double longest = 0;
        clock.restart();
        for (int frame = 0; frame < 60; ++frame) {
            const int before = paints;
            const double turn = threadMilliseconds();
            state().setViewport(state().viewport().moved(14, 9));
            QCoreApplication::processEvents();
            longest = std::max(longest, threadMilliseconds() - turn);
            ASSERT_TRUE(waitFor([&] { return paints > before; }));
        }
        const double rate = 60'000.0 / double(clock.elapsed());
        std::printf(
            "    pan of two maps: %.0f pictures a second, longest turn of the window %.1f ms, painting %.1f "
            "ms\n",
            rate, longest, map(HeadSide::b)->paintMilliseconds());
        std::printf("    tiles: %zu, %.1f MiB of %zu MiB; %zu computed from factors\n",
                    workspace_->tiles().count(), double(workspace_->tiles().bytes()) / 1048576,
                    tile_store_bytes >> 20, workspace_->tiles().computed());
        std::printf("    memory of the process: %.0f MiB, %.0f MiB more than before\n", residentMiB(),
                    residentMiB() - before_all);
        EXPECT_GT(rate, 5) << "a hang, not a slow machine";
        EXPECT_LE(workspace_->tiles().bytes(), tile_store_bytes);
        QObject::disconnect(watch);
    }
    qunsetenv("BRAID_MAP_PAINTER");
}

}  // namespace
}  // namespace braid::ui
