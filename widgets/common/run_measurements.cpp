#include "widgets/common/run_measurements.h"

#include "core/record/newest_record.h"
#include "core/spec/measurement_kind.h"
#include "widgets/common/answer_folder.h"

namespace braid::ui {

const MeasurementRecord* RunMeasurements::latest(std::string_view kind, std::optional<std::int64_t> step,
                                                 std::string_view settings) const {
    return newest_record(records, [&](const MeasurementRecord& record) {
        if (record.kind != kind || (step && record.checkpoint.step.value != *step)) return false;
        return settings.empty() || settings.find(measurementSettings(record)) != std::string_view::npos;
    });
}

RunMeasurementsPointer readRunMeasurements(const RunFolder& folder) {
    auto measurements = std::make_shared<RunMeasurements>();
    MeasurementList list = read_measurements(folder);
    measurements->records = std::move(list.records);
    measurements->problem = problemsText(list.problems);
    return measurements;
}

std::int64_t measurementsStamp(const RunFolder& folder) { return folderStamp(folder.measurements_folder()); }

std::string measurementSettings(const MeasurementRecord& record) {
    const std::string id = measurement_id(record);
    return id.substr(id.rfind('-') + 1);
}

QString measurementTitle(const std::string& kind) {
    const MeasurementKind* found = find_measurement(kind);
    return QString::fromStdString(found ? found->title : kind);
}

}  // namespace braid::ui
