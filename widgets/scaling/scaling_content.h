// All that the Scale workspace shows of one study at one moment. Made on a worker thread, immutable.
#pragma once

#include <QString>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/spec/study_cost.h"
#include "widgets/common/run_view.h"
#include "widgets/figure/scaling_lines.h"

namespace braid::ui {

struct ScalingContent {
    std::string study = {};
    std::string file = {};                          // of the study
    std::shared_ptr<const StudySpec> written = {};  // as the file has it
    StudySpec spec = {};                            // with the seeds of its runs
    Diagnostics problems = {};                      // that keep it from being planned
    std::shared_ptr<const std::vector<PlannedPoint>> planned = {};
    StudyCost cost = {};
    StudyState state = {};
    std::vector<RunPointer> runs = {};      // of each point of the state; null: none
    std::vector<std::string> metrics = {};  // that can be shown
    std::vector<std::string> fitted = {};   // of them those that have a record
    ScalingView view = {};                  // of the chosen metric
    std::vector<ScalingLine> lines = {};
    std::vector<ScalingMean> means = {};
};
using ScalingContentPtr = std::shared_ptr<const ScalingContent>;

struct ScalingRequest {
    std::string folder = {};  // of the project
    std::string file = {};
    std::shared_ptr<const StudySpec> spec = {};
    std::map<std::string, std::shared_ptr<const ArchitectureSpec>> architectures = {};
    std::vector<RunPointer> runs = {};  // of the study
    std::string metric = {};            // empty: the first that has a fit, else the first
    ScalingContentPtr previous = {};    // whose plan and records are taken where nothing has changed
};

ScalingContentPtr make_content(const ScalingRequest& request);

}  // namespace braid::ui
