#include "app/workbench/options.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QTextStream>
#include <cstdlib>

namespace braid::ui {

namespace {

[[noreturn]] void refuse(const QString& problem) {
    QTextStream(stderr) << "braid: " << problem << "\n";
    std::exit(2);
}

QString tr(const char* text) { return QCoreApplication::translate("CommandLine", text); }

}  // namespace

Options parseOptions(const QStringList& arguments) {
    QCommandLineParser parser;
    parser.setApplicationDescription(
        tr("Braid, a workbench for hybrid language-model architectures.\n\n"
           "Without PROJECT, Braid opens the project around the working directory, else the last one, else a "
           "copy\n"
           "of its example study in your data folder. `braid figure NAME --out FILE.pdf` renders a figure "
           "without\n"
           "a display. Training from the command line: `braid-engine --help`."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("PROJECT"), tr("Project folder."),
                                 QStringLiteral("[PROJECT]"));
    const QCommandLineOption project(QStringLiteral("project"), tr("Project folder."), QStringLiteral("DIR"));
    const QCommandLineOption theme(QStringLiteral("theme"), tr("light, dark or system, for this start."),
                                   QStringLiteral("NAME"));
    const QCommandLineOption workspace(QStringLiteral("workspace"),
                                       tr("Workspace to show first: design, train, scale, probe, heads."),
                                       QStringLiteral("NAME"));
    const QCommandLineOption safe(
        QStringLiteral("safe-mode"),
        tr("Start with the layout, shortcuts and project of a first start; keep the settings."));
    const QCommandLineOption reset(QStringLiteral("reset-settings"), tr("Forget all settings, then start."));
    const QCommandLineOption screenshot(
        QStringLiteral("screenshot"), tr("Draw the window into FILE.png and quit."), QStringLiteral("FILE"));
    const QCommandLineOption size(QStringLiteral("size"),
                                  tr("Size of the window; else 1440x900, or what the screen has room for."),
                                  QStringLiteral("WxH"));
    const QCommandLineOption measure(
        QStringLiteral("measure-startup"),
        tr("Print the milliseconds from the start of the process to the first paint."));
    const QCommandLineOption stalls(
        QStringLiteral("measure-stalls"),
        tr("Run so long, print the longest stall of the event loop in milliseconds, and quit."),
        QStringLiteral("SECONDS"));
    parser.addOptions({stalls, project, theme, workspace, safe, reset, screenshot, size, measure});
    if (!parser.parse(arguments)) refuse(parser.errorText());
    if (parser.isSet(QStringLiteral("help"))) parser.showHelp(0);
    if (parser.isSet(QStringLiteral("version"))) parser.showVersion();

    Options options;
    const QStringList folders = parser.positionalArguments();
    if (folders.size() > 1) refuse(tr("one project at most, got %1").arg(folders.size()));
    options.project = parser.isSet(project) ? parser.value(project) : folders.value(0);
    if (parser.isSet(theme)) {
        ThemeMode mode = ThemeMode::system;
        if (!parseThemeMode(parser.value(theme), mode)) {
            refuse(tr("--theme: must be light, dark or system, got %1").arg(parser.value(theme)));
        }
        options.theme = mode;
    }
    options.workspace = parser.value(workspace);
    options.safeMode = parser.isSet(safe);
    options.resetSettings = parser.isSet(reset);
    options.screenshot = parser.value(screenshot);
    options.measureStartup = parser.isSet(measure);
    if (parser.isSet(stalls)) {
        options.measureStalls = parser.value(stalls).toInt();
        if (options.measureStalls < 1) {
            refuse(tr("--measure-stalls: must be at least 1 second, got %1").arg(parser.value(stalls)));
        }
    }
    if (parser.isSet(size)) {
        const QStringList parts = parser.value(size).split(QLatin1Char('x'));
        const QSize asked(parts.value(0).toInt(), parts.value(1).toInt());
        options.size = asked;
        if (parts.size() != 2 || asked.width() < 320 || asked.height() < 240) {
            refuse(tr("--size: must be WIDTHxHEIGHT, at least 320x240, got %1").arg(parser.value(size)));
        }
    }
    return options;
}

QSize fittingWindowSize(const QSize& available) {
    constexpr QSize frame(16, 48);
    return usual_window_size.boundedTo(available - frame);
}

}  // namespace braid::ui
