// STUDY on the command line: a name in the project, a file, or an example that comes with Braid.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/record/project.h"
#include "core/spec/study.h"

namespace braid::cli {

inline constexpr const char* study_help =
    "Name of a study in the project, a JSON file, or an example (laziness)";

struct OpenedStudy {
    Project project;
    StudySpec spec;
    std::string file;
};

// `seeds` ("1-5"; may be empty) takes the place of the study's own. Every problem of file, seeds and patterns
// at once. Outside any project an example is opened as a copy in the user's data folder (named on stderr).
Result<OpenedStudy> open_study(const std::string& text, const std::string& given_project,
                               const std::string& seeds = {});

// Where the example projects are: ../share/braid/projects beside the program, or the source tree's; may be
// empty.
std::string examples_folder();

// The architecture of a variant, valid.
Result<ArchitectureSpec> architecture_of(const Project& project, const StudyVariant& variant,
                                         std::int64_t needed_vocab);

}  // namespace braid::cli
