// index.db: what the list of runs showed last, so that it need not open every run again. A cache: it can be
// deleted, damaged or read-only; then the runs are read themselves.
#pragma once

#include <map>
#include <string>

#include "core/record/project.h"

namespace braid {

struct IndexedRun {
    std::string plan_stamp;   // of plan.json: size and time
    std::string store_stamp;  // of run.db and its log; empty: the status has to be read each time
    RunEntry entry;
    bool operator==(const IndexedRun&) const = default;
};

// By name of the run folder. Never fails: what cannot be read is not there.
std::map<std::string, IndexedRun> load_index(const std::string& project_folder);

// Replaces these rows and removes those of `gone`. Does nothing where the project cannot be written to.
void save_index(const std::string& project_folder, const std::map<std::string, IndexedRun>& changed,
                const std::vector<std::string>& gone);

}  // namespace braid
