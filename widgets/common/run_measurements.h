// The measurements of a run's checkpoints as the window shows them. Made on the reader thread, immutable.
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/record/measurement.h"

namespace braid::ui {

struct RunMeasurements {
    std::vector<MeasurementRecord> records;  // by step, then by file name
    QString problem;                         // of files that cannot be read; empty: none

    // Of this kind (and step) the one of the last step, of those the newest; null: there is none.
    const MeasurementRecord* latest(std::string_view kind, std::optional<std::int64_t> step = {}) const;
};

using RunMeasurementsPointer = std::shared_ptr<const RunMeasurements>;

// Reads <run>/measurements. Never null.
RunMeasurementsPointer readRunMeasurements(const RunFolder& folder);
// Changes whenever a measurement of the run was written or removed; 0: it has none. One look at the folder.
std::int64_t measurementsStamp(const RunFolder& folder);

// "Retrieval heads"; the id where no such kind is known.
QString measurementTitle(const std::string& kind);

}  // namespace braid::ui
