// braid: the window. It never loads Torch and never waits for an engine or a disk.
#include <QApplication>
#include <QFileInfo>
#include <QPixmap>
#include <QScreen>
#include <QSettings>
#include <QTextStream>
#include <QThreadPool>
#include <QTimer>
#include <cstdio>
#include <cstring>

#include "app/workbench/main_window.h"
#include "app/workbench/options.h"
#include "app/workbench/recent_projects.h"
#include "app/workbench/run_controller.h"
#include "app/workbench/settings_dialog.h"
#include "app/workbench/shortcuts_dialog.h"
#include "app/workbench/stall_meter.h"
#include "app/workbench/start_project.h"
#include "app/workbench/startup_clock.h"
#include "app/workbench/workspaces.h"
#include "core/record/project.h"
#include "widgets/common/icons.h"
#include "widgets/common/theme.h"
#include "widgets/figure/figure_command.h"

namespace braid::ui {
namespace {

constexpr int settle_ms = 1'000;  // from the project being open to a picture of it

// Finds or makes the project off the GUI thread, then opens it.
void openInBackground(MainWindow& window, std::function<Result<QString>()> find) {
    QThreadPool::globalInstance()->start([&window, find = std::move(find)] {
        const Result<QString> folder = find();
        QMetaObject::invokeMethod(&window, [&window, folder] {
            if (folder) {
                window.openProject(*folder);
            } else {
                window.reportNoProject(folder.error());
            }
        });
    });
}

void takeScreenshot(MainWindow& window, const QString& file) {
    QTimer::singleShot(settle_ms, &window, [&window, file] {
        const bool written = window.grab().save(file);
        if (!written) QTextStream(stderr) << "braid: cannot write " << file << "\n";
        QCoreApplication::exit(written ? 0 : 1);
    });
}

// Without a display, a picture can still be drawn.
void chooseOffscreen(int argc, char** argv) {
    // Set but empty is what remains of a display in some scripts.
    for (const char* variable : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
        if (!qEnvironmentVariableIsEmpty(variable)) return;
    for (int i = 1; i < argc; ++i) {
        for (const char* option : {"--screenshot", "--help", "-h", "--version", "-v"}) {
            if (std::strncmp(argv[i], option, std::strlen(option)) == 0)
                qputenv("QT_QPA_PLATFORM", "offscreen");
        }
    }
    if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) return;
    std::fputs(
        "braid: no display (DISPLAY and WAYLAND_DISPLAY are empty).\n"
        "Without one, use `braid-engine --help` to train and `braid figure NAME --out FILE.pdf` to draw.\n",
        stderr);
    std::exit(1);
}

int runWindow(int argc, char** argv) {
    chooseOffscreen(argc, argv);
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("braid"));
    QApplication::setApplicationDisplayName(QStringLiteral("Braid"));
    QApplication::setOrganizationName(QStringLiteral("Braid"));
    QApplication::setApplicationVersion(QStringLiteral(BRAID_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.braid.Workbench"));
    Options options = parseOptions(QApplication::arguments());
    // A picture has the usual size wherever it is drawn.
    if (!options.size && options.screenshot.isEmpty())
        options.size = fittingWindowSize(QGuiApplication::primaryScreen()->availableSize());
    if (options.resetSettings) QSettings().clear();
    application.setProperty("safeMode", options.safeMode);  // no graphics driver in Heads
    Theme::instance().install(application);
    if (options.theme) Theme::instance().setMode(*options.theme, false);
    QApplication::setWindowIcon(applicationIcon());

    ProjectSession session;
    RunController commands(session);
    commands.setJobs(savedJobs());
    MainWindow window(session, commands, workspaces(), options);
    const auto showShortcuts = [&window] { ShortcutsDialog(window.registry(), &window).exec(); };
    QObject::connect(&window, &MainWindow::shortcutsWanted, &window, showShortcuts);
    QObject::connect(&window, &MainWindow::settingsWanted, &window, [&] {
        SettingsDialog dialog(&window);
        QObject::connect(&dialog, &SettingsDialog::jobsChanged, &commands, &RunController::setJobs);
        QObject::connect(&dialog, &SettingsDialog::shortcutsWanted, &dialog, showShortcuts);
        dialog.exec();
    });
    QObject::connect(&window, &MainWindow::projectWanted, &window, &MainWindow::openProject);
    QObject::connect(&window, &MainWindow::newProjectWanted, &window, [&window](const QString& folder) {
        openInBackground(window, [folder]() -> Result<QString> {
            const std::string title = QFileInfo(folder).fileName().toStdString();
            return Project::create(folder.toStdString(), title).map([&folder](const Project&) {
                return folder;
            });
        });
    });
    QObject::connect(&window, &MainWindow::exampleWanted, &window, [&window] {
        openInBackground(window, [] { return startProject(exampleFolder(), {}); });
    });
    QObject::connect(&session, &ProjectSession::opened, &window,
                     [&session] { rememberProject(session.folder()); });
    if (options.measureStartup) {
        QObject::connect(&window, &MainWindow::firstPainted, &window, [] {
            QTextStream(stdout) << "first paint after " << millisecondsSinceProcessStart() << " ms\n";
        });
    }
    if (!options.screenshot.isEmpty()) {
        const auto shoot = [&window, file = options.screenshot] { takeScreenshot(window, file); };
        QObject::connect(&session, &ProjectSession::opened, &window, shoot);
        QObject::connect(&session, &ProjectSession::openFailed, &window, shoot);
        QObject::connect(&window, &MainWindow::noProject, &window, shoot);
    }
    StallMeter stalls;
    if (options.measureStalls > 0) {
        QObject::connect(&window, &MainWindow::firstPainted, &stalls, &StallMeter::start);
        QTimer::singleShot(options.measureStalls * 1'000, &window, [&stalls] {
            QTextStream(stdout) << "longest stall " << stalls.longest() << " ms\n";
            QCoreApplication::quit();
        });
    }
    window.show();
    openInBackground(window, [options] {
        return startProject(options.project, options.safeMode ? QString() : recentProjects().value(0));
    });
    const int code = QApplication::exec();
    QThreadPool::globalInstance()->waitForDone();  // its last word goes to the window
    return code;
}

}  // namespace
}  // namespace braid::ui

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "figure") == 0) return braid::ui::runFigureCommand(argc, argv);
    return braid::ui::runWindow(argc, argv);
}
