// What each point of a study trains: its architecture, training and data.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/spec/mixer_kind.h"
#include "core/spec/study_points.h"

namespace braid {

struct PlannedPoint {
    StudyPoint point;
    ArchitectureSpec architecture;
    TrainingSpec training;  // steps of the budget
    DataSpec data;
    std::int64_t parameters = 0;  // N of the architecture: without embeddings
    std::int64_t tokens() const { return training.steps * training.tokens_per_step(); }
};

// What has to be known besides the study.
struct StudySurroundings {
    const MixerCatalog& catalog;
    // An architecture of the project by name.
    std::function<Checked<ArchitectureSpec>(const std::string& name)> find_architecture;
    // The vocabulary that data need, which every pattern gets; 0: the scale's. May be empty.
    std::function<Checked<std::int64_t>(const DataSpec& data, const TrainingSpec& training)> vocab = {};
};

// In the order of study_points(). The spec is valid() by itself. Every problem once, at the place of the file
// that it comes from: patterns that cannot be read or break a rule at a scale, axes that change nothing,
// budgets of less than one step or too short for warm-up and decay.
Checked<std::vector<PlannedPoint>> plan_study(const StudySpec& spec, const StudySurroundings& surroundings);

// N of full attention with these dimensions: what budgets are counted in.
std::int64_t reference_parameters(const Scale& scale, const MixerCatalog& catalog);

}  // namespace braid
