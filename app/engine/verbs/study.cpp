#include "app/engine/verbs/study_verbs.h"
#include "app/engine/verbs/verbs.h"

namespace braid::cli {

void add_study(CommandLine& line) {
    CLI::App& study = add_study_records(line);
    add_study_run(line, study);
    add_study_work(line, study);
    add_study_investigate(line, study);
}

}  // namespace braid::cli
