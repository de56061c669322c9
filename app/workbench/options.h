// What was asked for on the command line of `braid`.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>

#include "widgets/common/theme.h"

namespace braid::ui {

struct Options {
    QString project;  // folder; empty: the one around the working directory, the last, the example
    std::optional<ThemeMode> theme;  // for this start only
    bool safeMode = false;           // no saved layout, shortcuts or project
    bool resetSettings = false;
    QString workspace;               // shown first
    QString screenshot;              // file: draw the window there and quit
    std::optional<QSize> size = {};  // of the window
    int measureStalls = 0;           // seconds; print the longest stall of the event loop in them, and quit
    bool measureStartup = false;     // print milliseconds from the start of the process to the first paint
};

inline constexpr QSize usual_window_size(1440, 900);
// What of the usual size a screen with this much room beside its panels can show, with the window's frame.
QSize fittingWindowSize(const QSize& available);

// Exits for --help, --version and what is wrong, with the reason on stderr (exit code 2).
Options parseOptions(const QStringList& arguments);

}  // namespace braid::ui
