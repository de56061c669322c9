#include "widgets/common/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QSettings>
#include <QToolTip>
#include <algorithm>

#include "widgets/common/style.h"
#include "widgets/common/system_appearance.h"

// Resources of a static library are linked in by naming them, outside any namespace.
static void initialiseResources() {
    Q_INIT_RESOURCE(icons);
    Q_INIT_RESOURCE(fonts);
}

namespace braid::ui {

namespace {

const QString mode_key = QStringLiteral("look/theme");
const QString size_key = QStringLiteral("look/font_size");

// Bundled, because the ten digits of a system font need not have one width.
QString addFont(const QString& file) {
    const int id = QFontDatabase::addApplicationFont(file);
    const QStringList families = id < 0 ? QStringList() : QFontDatabase::applicationFontFamilies(id);
    return families.value(0);
}

}  // namespace

Theme::Theme() = default;
Theme::~Theme() = default;

Theme& Theme::instance() {
    static Theme theme;
    return theme;
}

const Tokens& Theme::tokens() const {
    const bool dark =
        mode_ == ThemeMode::dark || (mode_ == ThemeMode::system && system_ && system_->isDark());
    return dark ? darkTokens() : lightTokens();
}

void Theme::install(QApplication& application) {
    initialiseResources();
    system_ = new SystemAppearance(&application);
    connect(system_, &SystemAppearance::changed, this, [this] {
        if (mode_ == ThemeMode::system) apply();
    });
    const QSettings settings;
    parseThemeMode(settings.value(mode_key).toString(), mode_);
    fontSize_ = std::clamp(settings.value(size_key, 13).toInt(), smallest_font, largest_font);
    family_ = addFont(QStringLiteral(":/fonts/BraidSans-Regular.ttf"));
    addFont(QStringLiteral(":/fonts/BraidSans-Medium.ttf"));
    addFont(QStringLiteral(":/fonts/BraidSans-SemiBold.ttf"));
    monoFamily_ = addFont(QStringLiteral(":/fonts/BraidMono-Regular.ttf"));
    application.setStyle(new Style);
    installed_ = true;
    apply();
}

void Theme::setMode(ThemeMode mode, bool remember) {
    if (remember) QSettings().setValue(mode_key, themeModeName(mode));
    if (mode_ == mode) return;
    mode_ = mode;
    apply();
}

void Theme::setFontSize(int pixels) {
    pixels = std::clamp(pixels, smallest_font, largest_font);
    QSettings().setValue(size_key, pixels);
    if (fontSize_ == pixels) return;
    fontSize_ = pixels;
    apply();
}

void Theme::apply() {
    if (!installed_) return;
    QApplication::setPalette(Style::tokenPalette());
    QApplication::setFont(font());
    QToolTip::setFont(font(TypeStep::table));
    QToolTip::setPalette(Style::tokenPalette());
    Q_EMIT changed();
    for (QWidget* widget : QApplication::allWidgets()) {
        if (widget->isVisible()) widget->update();
    }
}

int Theme::pixels(TypeStep step) const {
    return qRound(double(int(step)) * fontSize_ / double(int(TypeStep::control)));
}

QFont Theme::font(TypeStep step, int weight) const {
    QFont font = family_.isEmpty() ? QFontDatabase::systemFont(QFontDatabase::GeneralFont) : QFont(family_);
    font.setPixelSize(pixels(step));
    font.setWeight(QFont::Weight(weight));
    return font;
}

QFont Theme::mono(TypeStep step) const {
    QFont font =
        monoFamily_.isEmpty() ? QFontDatabase::systemFont(QFontDatabase::FixedFont) : QFont(monoFamily_);
    font.setPixelSize(pixels(step));
    return font;
}

bool Theme::reducedMotion() const { return system_ && system_->isStill(); }

QString themeModeName(ThemeMode mode) {
    switch (mode) {
        case ThemeMode::light:
            return QStringLiteral("light");
        case ThemeMode::dark:
            return QStringLiteral("dark");
        case ThemeMode::system:
            break;
    }
    return QStringLiteral("system");
}

bool parseThemeMode(const QString& name, ThemeMode& out) {
    for (const ThemeMode mode : {ThemeMode::system, ThemeMode::light, ThemeMode::dark}) {
        if (name == themeModeName(mode)) {
            out = mode;
            return true;
        }
    }
    return false;
}

}  // namespace braid::ui
