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

    // Of this kind (and step, and settings: hashes as in their file names, with commas between them) the one
    // of the last step, of those the newest; null: there is none.
    const MeasurementRecord* latest(std::string_view kind, std::optional<std::int64_t> step = {},
                                    std::string_view settings = {}) const;
};

using RunMeasurementsPointer = std::shared_ptr<const RunMeasurements>;

// Reads <run>/measurements. Never null.
RunMeasurementsPointer readRunMeasurements(const RunFolder& folder);
// Changes whenever a measurement of the run was written or removed; 0: it has none. One look at the folder.
std::int64_t measurementsStamp(const RunFolder& folder);

// "1f2e3d4c": the end of the name of its file.
std::string measurementSettings(const MeasurementRecord& record);

// "Retrieval heads"; the id where no such kind is known.
QString measurementTitle(const std::string& kind);

}  // namespace braid::ui
