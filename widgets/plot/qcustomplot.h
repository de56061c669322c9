// QCustomPlot's header under QT_NO_KEYWORDS and QT_NO_FOREACH. For .cpp files only: it is long.
#pragma once

#define signals Q_SIGNALS
#define foreach(item, container) for (item : container)
#include <qcustomplot.h>  // IWYU pragma: export
#undef foreach
#undef signals
