// A measurement for people.
#pragma once

#include <string>

#include "core/record/measurement.h"

namespace braid::cli {

// Arrays with one or two axes as tables, the summary, the notes.
std::string measurement_text(const MeasurementRecord& record);

}  // namespace braid::cli
