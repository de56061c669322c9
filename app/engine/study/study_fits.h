// The scaling laws of a study: its finished points as a table, fitted, kept in the project.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/engine/study/study_file.h"
#include "core/analysis/scaling_record.h"

namespace braid::cli {

struct StudyFitRequest {
    std::string metric = {};
    ScalingReportOptions report = {};        // group is set here
    std::vector<std::string> held_out = {};  // rules besides the study's own
    std::vector<std::string> excluded = {};
    std::string command = {};
};

// Points that are not finished, have no value of the metric, or belong to a curve with too few of them are
// left out and named. Errors: not_found (no point can be used), invalid_input (rules, a baseline that is
// none), interrupted.
Result<ScalingRecord> fit_study(const OpenedStudy& study, const StudyFitRequest& request,
                                const FitWatch& watch, const std::function<void(const std::string&)>& stage);

// What is fitted: the study's list, or its measure.
std::vector<std::string> fitted_metrics(const StudySpec& spec);

}  // namespace braid::cli
