#include "app/engine/verbs/study_verbs.h"
#include "app/engine/verbs/verbs.h"

namespace braid::cli {

void add_study(CommandLine& line) {
    CLI::App& study = line.group("study", "Studies: variants times seeds, trained alike and compared");
    add_study_new(line, study);
    add_study_show(line, study);
    add_study_run(line, study);
    add_study_work(line, study);
    add_study_exchange(line, study);
    add_study_fit(line, study);
    add_study_export(line, study);
    add_study_investigate(line, study);
    add_study_commands(line, study);
}

}  // namespace braid::cli
