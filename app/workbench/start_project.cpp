#include "app/workbench/start_project.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include "core/record/project.h"

namespace braid::ui {

namespace {
const QString example_name = QStringLiteral("laziness");
}

Result<QString> exampleTemplate() {
    const auto isProject = [](const QString& folder) {
        return QFileInfo::exists(folder + QStringLiteral("/project.json"));
    };
    QDir at(QCoreApplication::applicationDirPath());
    const QString installed =
        QDir::cleanPath(at.filePath(QStringLiteral("../share/braid/projects/") + example_name));
    if (isProject(installed)) return installed;
    // build/<preset>/bin lies inside the source tree.
    for (int level = 0; level < 5; ++level) {
        const QString folder = at.filePath(QStringLiteral("projects/") + example_name);
        if (isProject(folder)) return folder;
        if (!at.cdUp()) break;
    }
    return fail(ErrorKind::not_found, "the example project was not installed with the program",
                installed.toStdString(), "Open a project of yours with File > Open project");
}

QString exampleFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           QStringLiteral("/braid/projects/") + example_name;
}

Result<QString> startProject(const QString& asked, const QString& last) {
    const auto folderOf = [](const Project& project) { return QString::fromStdString(project.folder()); };
    if (!asked.isEmpty()) {
        const QFileInfo place(asked);  // a folder, or the project.json in it as a file manager gives it
        return Project::open((place.isFile() ? place.absolutePath() : place.absoluteFilePath()).toStdString())
            .map(folderOf);
    }
    const Result<Project> around = Project::find(QDir::currentPath().toStdString());
    if (around) return folderOf(*around);
    if (!last.isEmpty() && last != exampleFolder()) {
        if (const Result<Project> project = Project::open(last.toStdString())) return folderOf(*project);
    }
    const Result<QString> shipped = exampleTemplate();
    if (!shipped) return fail(shipped.error());
    return Project::open_copy(shipped->toStdString(), exampleFolder().toStdString()).map(folderOf);
}

}  // namespace braid::ui
