#include "app/engine/verbs/study_verbs.h"

namespace braid::cli {

CLI::App& add_study_records(CommandLine& line) {
    CLI::App& study = line.group("study", "Studies: variants times seeds, trained alike and compared");
    add_study_new(line, study);
    add_study_show(line, study);
    add_study_exchange(line, study);
    add_study_fit(line, study);
    add_study_export(line, study);
    add_study_commands(line, study);
    return study;
}

}  // namespace braid::cli
