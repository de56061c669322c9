// Projects that were open, newest first (QSettings).
#pragma once

#include <QStringList>

namespace braid::ui {

QStringList recentProjects();
void rememberProject(const QString& folder);

}  // namespace braid::ui
