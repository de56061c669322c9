// STUDY on the command line: a name in the project, a file, or an example that comes with Braid.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/record/project.h"
#include "core/record/study_state.h"

namespace braid::cli {

inline constexpr const char* study_help =
    "Name of a study in the project, a JSON file, or an example (laziness)";

// Whether a corpus must be there. To look at a study or its results its manifest is read, if that is there.
enum class DataNeed { required, optional };

struct OpenedStudy {
    Project project;
    StudySpec spec;
    std::vector<PlannedPoint> points;
    std::string file;
    DataNeed need = DataNeed::required;
    bool knows_data = true;  // false: its corpus is not there; vocabularies are those of the scales
};

// `seeds` ("1-5"; may be empty) takes the place of the study's own. Every problem of file, seeds and patterns
// at once. Outside any project an example is opened as a copy in the user's data folder (named on stderr).
Result<OpenedStudy> open_study(const std::string& text, const std::string& given_project,
                               const std::string& seeds = {}, DataNeed need = DataNeed::required);

// Where the example projects are: ../share/braid/projects beside the program, or the source tree's; may be
// empty.
std::string examples_folder();

// Every point of a valid study, planned with the project's architectures and the data's vocabulary; every
// problem.
Checked<std::vector<PlannedPoint>> plan_points(const Project& project, const StudySpec& spec,
                                               DataNeed need = DataNeed::required);

// How it stands now.
StudyState state_of(const OpenedStudy& study);
// The study with the seeds of its runs added.
Result<OpenedStudy> with_all_seeds(OpenedStudy study);

}  // namespace braid::cli
