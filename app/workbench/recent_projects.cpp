#include "app/workbench/recent_projects.h"

#include <QSettings>

namespace braid::ui {

namespace {
const QString recent_key = QStringLiteral("project/recent");
constexpr int most = 10;
}  // namespace

QStringList recentProjects() { return QSettings().value(recent_key).toStringList(); }

void rememberProject(const QString& folder) {
    QStringList folders = recentProjects();
    folders.removeAll(folder);
    folders.prepend(folder);
    QSettings().setValue(recent_key, QStringList(folders.mid(0, most)));
}

}  // namespace braid::ui
