// The project that a verb works in: --project DIR, the nearest one upwards, or the user's default project.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/record/project.h"

namespace braid::cli {

// `given` is --project, or empty. Fails where there is none.
Result<Project> find_project(const std::string& given);

// As find_project(); where there is none, the default project in the user's data folder, made if needed and
// named on stderr.
Result<Project> find_or_make_project(const std::string& given);

// $XDG_DATA_HOME/braid, else ~/.local/share/braid
std::string data_home();
// The default project's folder.
std::string default_project_folder();

// RUN on the command line: a folder with a plan.json, or what Project::find_run() understands.
Result<RunFolder> find_run(const std::string& text, const std::string& given_project);
// The project that a run folder lies in, or an empty text.
std::string project_folder_of(const RunFolder& run);

}  // namespace braid::cli
