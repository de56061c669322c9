// Contrast as look.md promises it, computed from the tokens; digits of one width; a change of theme at run
// time.
#include <gtest/gtest.h>

#include <QApplication>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QPushButton>
#include <QSignalSpy>
#include <set>
#include <vector>

#include "widgets/common/controls.h"
#include "widgets/common/icons.h"
#include "widgets/common/mixer_style.h"
#include "widgets/common/theme.h"

namespace braid::ui {
namespace {

std::vector<std::pair<const char*, QColor>> levels(const Tokens& t) {
    return {{"window", t.window}, {"panel", t.panel}, {"surface", t.surface},    {"raised", t.raised},
            {"sunken", t.sunken}, {"hover", t.hover}, {"selection", t.selection}};
}

double worst(const Tokens& t, const QColor& colour, const char** where = nullptr) {
    double least = 21;
    for (const auto& [name, level] : levels(t)) {
        const double ratio = contrastRatio(colour, level);
        if (ratio < least && where) *where = name;
        least = std::min(least, ratio);
    }
    return least;
}

class ThemeTokens : public testing::TestWithParam<bool> {
protected:
    const Tokens& t() const { return GetParam() ? darkTokens() : lightTokens(); }
};

TEST_P(ThemeTokens, TextIsReadableOnEveryLevel) {
    for (const auto& [name, colour] : {std::pair{"text 1", t().text1},
                                       {"text 2", t().text2},
                                       {"text 3", t().text3},
                                       {"ok", t().ok},
                                       {"warn", t().warn},
                                       {"error", t().error},
                                       {"info", t().info},
                                       {"mark", t().mark}}) {
        const char* where = "";
        const double ratio = worst(t(), colour, &where);
        EXPECT_GE(ratio, 4.5) << name << " on " << where;
        RecordProperty(name, std::to_string(ratio));
    }
    EXPECT_GE(worst(t(), t().text1), t().dark ? 9.9 : 13.4);
    EXPECT_GE(contrastRatio(t().text1, t().checked), 9.0) << "a checked segment has primary text only";
}

TEST_P(ThemeTokens, StatusIsReadableOnItsTintAndTextOnInk) {
    EXPECT_GE(contrastRatio(t().ok, t().okTint), 5.0);
    EXPECT_GE(contrastRatio(t().warn, t().warnTint), 5.0);
    EXPECT_GE(contrastRatio(t().error, t().errorTint), 5.0);
    EXPECT_GE(contrastRatio(t().onInk, t().ink), 14.0);
}

TEST_P(ThemeTokens, FieldsAndRunLinesStandOut) {
    EXPECT_GE(contrastRatio(t().axis, t().surface), 3.0);
    for (int i = 0; i < run_colour_count; ++i) {
        EXPECT_GE(contrastRatio(runColour(i, t()), t().surface), t().dark ? 4.25 : 3.2) << "run " << i;
    }
}

TEST_P(ThemeTokens, MixerLettersAreReadable) {
    for (const char* id : {"full", "swa", "lightning", "mamba2", "gdn", "something new"}) {
        const MixerStyle style = mixerStyle(id);
        EXPECT_GE(contrastRatio(style.letterOnHue, style.hue), 5.0) << id;
        EXPECT_GE(contrastRatio(style.text(t()), t().surface), 4.5) << id;
    }
}

INSTANTIATE_TEST_SUITE_P(Both, ThemeTokens, testing::Bool(),
                         [](const auto& which) { return which.param ? "dark" : "light"; });

TEST(Contrast, KnownValues) {
    EXPECT_DOUBLE_EQ(contrastRatio(Qt::black, Qt::white), 21.0);
    EXPECT_DOUBLE_EQ(contrastRatio(Qt::white, Qt::white), 1.0);
    EXPECT_EQ(strongestOn(QColor(250, 240, 30)), QColor(Qt::black));
    EXPECT_EQ(strongestOn(QColor(0, 32, 81)), QColor(Qt::white));
}

TEST(ThemeFonts, DigitsHaveOneWidth) {
    for (const int weight : {400, 500, 600}) {
        for (const TypeStep step : {TypeStep::tick, TypeStep::table, TypeStep::control, TypeStep::result}) {
            const QFontMetricsF metrics(Theme::instance().font(step, weight));
            std::set<double> widths;
            for (char digit = '0'; digit <= '9'; ++digit) {
                widths.insert(metrics.horizontalAdvance(QLatin1Char(digit)));
            }
            EXPECT_EQ(widths.size(), 1u) << "weight " << weight << ", step " << int(step);
        }
    }
}

TEST(ThemeMode, ChangesPaletteAndTellsOnce) {
    Theme& theme = Theme::instance();
    theme.setMode(ThemeMode::light);
    QSignalSpy changed(&theme, &Theme::changed);
    theme.setMode(ThemeMode::dark);
    EXPECT_EQ(changed.count(), 1);
    EXPECT_TRUE(theme.isDark());
    EXPECT_EQ(QApplication::palette().color(QPalette::Base), darkTokens().surface);
    theme.setMode(ThemeMode::dark);
    EXPECT_EQ(changed.count(), 1);
    theme.setMode(ThemeMode::light);
    EXPECT_EQ(QApplication::palette().color(QPalette::Base), lightTokens().surface);
}

TEST(ThemeMode, FontSizeScalesAllSteps) {
    Theme& theme = Theme::instance();
    theme.setFontSize(16);
    EXPECT_EQ(theme.font(TypeStep::control).pixelSize(), 16);
    EXPECT_EQ(theme.font(TypeStep::result).pixelSize(), 31);
    theme.setFontSize(100);
    EXPECT_EQ(theme.fontSize(), Theme::largest_font);
    theme.setFontSize(13);
}

TEST(ThemeMode, NamesReadBack) {
    for (const ThemeMode mode : {ThemeMode::system, ThemeMode::light, ThemeMode::dark}) {
        ThemeMode back = ThemeMode::system;
        EXPECT_TRUE(parseThemeMode(themeModeName(mode), back));
        EXPECT_EQ(back, mode);
    }
    ThemeMode untouched = ThemeMode::dark;
    EXPECT_FALSE(parseThemeMode(QStringLiteral("pink"), untouched));
    EXPECT_EQ(untouched, ThemeMode::dark);
}

QImage drawn(const QSize& size, qreal ratio, const std::function<void(QPainter&)>& paint) {
    QImage image(size * ratio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(ratio);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    paint(painter);
    return image;
}

TEST(Icons, EveryOneDrawsSomethingInItsColour) {
    ASSERT_GT(iconNames().size(), 40);
    for (const QString& name : iconNames()) {
        const QImage image = iconPixmap(name, 20, QColor(255, 0, 0), 2).toImage();
        ASSERT_EQ(image.size(), QSize(40, 40)) << qPrintable(name);
        int inked = 0, red = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                const QColor pixel = image.pixelColor(x, y);
                inked += pixel.alpha() > 128;
                red += pixel.alpha() > 200 && pixel.red() > 200 && pixel.green() < 60;
            }
        }
        EXPECT_GT(inked, 12) << qPrintable(name);
        if (name != QLatin1String("braid")) {
            EXPECT_GT(red, 6) << qPrintable(name);
        }
    }
}

TEST(MixerTextures, DifferAndKeepTheirPhaseAcrossCells) {
    std::vector<QImage> images;
    for (const char* id : {"full", "swa", "lightning", "mamba2", "gdn"}) {
        images.push_back(
            drawn(QSize(32, 32), 2, [&](QPainter& p) { paintMixer(p, QRectF(0, 0, 32, 32), id); }));
        for (std::size_t i = 0; i + 1 < images.size(); ++i) EXPECT_NE(images[i], images.back()) << id;
        // Two cells beside each other look like one: the spine runs unbroken.
        const QImage halves = drawn(QSize(32, 32), 2, [&](QPainter& p) {
            paintMixer(p, QRectF(0, 0, 32, 16), id);
            paintMixer(p, QRectF(0, 16, 32, 16), id);
        });
        EXPECT_EQ(halves, images.back()) << id;
    }
}

TEST(MixerStrip, ShowsEveryLayerAndFoldsThousands) {
    std::vector<LayerSpec> layers(4000);
    for (LayerSpec& layer : layers)
        layer.groups = {{.mixer = "full", .heads = 2, .kv_heads = 2, .parameters = {}}};
    layers[3999].groups[0].mixer = "gdn";
    const QImage image =
        drawn(QSize(40, 10), 1, [&](QPainter& p) { paintStrip(p, QRectF(0, 0, 40, 10), layers); });
    EXPECT_EQ(image.pixelColor(0, 5), mixerStyle("full").hue);
    EXPECT_EQ(image.pixelColor(38, 5), mixerStyle("full").hue);
    EXPECT_EQ(runDashes(0).size(), 0);
    EXPECT_NE(runDashes(8), runDashes(0));
    EXPECT_NE(runDashes(16), runDashes(8));
    EXPECT_EQ(runColour(9, lightTokens()), runColour(1, lightTokens()));
}

}  // namespace
}  // namespace braid::ui
