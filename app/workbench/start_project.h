// Which project a start opens, and the copy of the example.
#pragma once

#include <QString>

#include "core/base/error.h"

namespace braid::ui {

// Folder of the example that is shipped: beside the program (share/braid/projects) or in the source tree.
Result<QString> exampleTemplate();
// <data folder>/braid/projects/laziness
QString exampleFolder();

// The project to open, made first where it is the example's copy. Reads the disk: not for the GUI thread.
// `asked` from the command line, `last` from the settings; both may be empty.
Result<QString> startProject(const QString& asked, const QString& last);

}  // namespace braid::ui
