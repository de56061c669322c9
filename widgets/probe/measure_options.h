// What `braid-engine measure KIND` is told: the kind's parameters as words of a command line. Defaults are
// the engine's: only what differs is passed on.
#pragma once

#include <QString>
#include <QStringList>

#include "core/spec/measurement_kind.h"

namespace braid::ui {

// Texts that name a file: relative to the project where they lie in it.
bool namesFile(const ParameterDescription& parameter);
QStringList measureWords(const MeasurementKind& kind, const ParameterValues& values, const QString& project);
// Ranges, choices, files that do not exist. Paths are keys.
Diagnostics checkMeasure(const MeasurementKind& kind, const ParameterValues& values, const QString& project);

}  // namespace braid::ui
