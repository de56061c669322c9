// The look of Braid: every colour, size and font of the window comes from here (light and dark).
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QString>
#include <array>

class QApplication;

namespace braid::ui {

enum class ThemeMode { system, light, dark };

inline constexpr int run_colour_count = 8;

// One set of colours. Contrast is computed and tested in tests/widgets_common/theme_test.cpp.
struct Tokens {
    bool dark = false;
    QColor window, panel, surface;            // bars and rail; docks; pages
    QColor raised, sunken, hover;             // buttons; table headers; under the pointer
    QColor selection, checked;                // selected row; checked segment
    QColor text1, text2, text3, disabled;     // primary to faint
    QColor border, borderStrong, axis, grid;  // hairline; button; field and axis; plot grid
    QColor ink, onInk;                        // accent: the one primary button, focus ring, underline
    QColor ok, warn, error, info;
    QColor okTint, warnTint, errorTint;
    QColor mark;  // needle, circled heads
    std::array<QColor, run_colour_count> runs;
};

const Tokens& lightTokens();
const Tokens& darkTokens();

// WCAG contrast ratio, 1 to 21, of two opaque colours.
double contrastRatio(const QColor& a, const QColor& b);
// Black or white, whichever is stronger on `background`.
QColor strongestOn(const QColor& background);

// Steps of the type scale, in pixels at the default UI font size.
enum class TypeStep { tick = 11, table = 12, control = 13, title = 15, value = 18, result = 25 };

// Shape, in device-independent pixels.
namespace metrics {
inline constexpr int gap1 = 4, gap2 = 8, gap3 = 12, gap4 = 16, gap6 = 24;
inline constexpr int radiusCell = 3, radiusField = 4, radiusButton = 5, radiusCard = 6, radiusDialog = 8;
inline constexpr int control = 28, row = 26, rowCompact = 24, dockTitle = 30, toolbar = 44, topBar = 39,
                     statusBar = 30, rail = 60;
}  // namespace metrics

class SystemAppearance;

// The theme of the application. Widgets read tokens() while they paint; a change repaints all of them. What
// caches colours (pixmaps, plots) listens to changed().
class Theme : public QObject {
    Q_OBJECT

public:
    static Theme& instance();
    ~Theme() override;

    // Installs style, palette and fonts. Once, right after the QApplication is made.
    void install(QApplication& application);

    ThemeMode mode() const { return mode_; }
    void setMode(ThemeMode mode, bool remember = true);  // remembered in QSettings
    bool isDark() const { return tokens().dark; }
    const Tokens& tokens() const;

    // Pixel size of TypeStep::control; the other steps follow.
    static constexpr int smallest_font = 11, largest_font = 20;
    int fontSize() const { return fontSize_; }
    void setFontSize(int pixels);
    int pixels(TypeStep step) const;

    // Weight: 400, 500 or 600. The ten digits of this font have one width (tabular).
    QFont font(TypeStep step = TypeStep::control, int weight = 400) const;
    QFont mono(TypeStep step = TypeStep::control) const;  // pattern, command, log

    bool reducedMotion() const;
    // Milliseconds of an animation, 0 with reduced motion.
    int motion(int milliseconds) const { return reducedMotion() ? 0 : milliseconds; }

Q_SIGNALS:
    void changed();

private:
    Theme();
    void apply();

    ThemeMode mode_ = ThemeMode::system;
    int fontSize_ = 13;
    bool installed_ = false;
    SystemAppearance* system_ = nullptr;
    QString family_, monoFamily_;
};

inline const Tokens& tokens() { return Theme::instance().tokens(); }

QString themeModeName(ThemeMode mode);                     // "system", "light", "dark"
bool parseThemeMode(const QString& name, ThemeMode& out);  // false: unknown name

}  // namespace braid::ui
