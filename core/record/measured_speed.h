// How fast this project has trained so far, by device: what predictions of time rest on.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/record/study_state.h"

namespace braid {

struct MeasuredSpeed {
    std::string device;      // as the engine names it: "NVIDIA H200"
    double flops_per_s = 0;  // of training (core/spec/cost.h): median over the runs
    std::size_t runs = 0;    // that it was measured in
    bool operator==(const MeasuredSpeed&) const = default;
};

// From the newest runs (64 at most) that trained on a device, most runs first. Opens each run's store.
std::vector<MeasuredSpeed> measured_speeds(std::span<const StudyRun> runs, const MixerCatalog& catalog);

}  // namespace braid
