#include "app/engine/verbs/run_verbs.h"
#include "app/engine/verbs/study_verbs.h"
#include "app/engine/verbs/verbs.h"

namespace braid::cli {

void add_record_verbs(CommandLine& line) {
#define BRAID_VERB(name)
#define BRAID_RECORD_VERB(name) add_##name(line);
#include "app/engine/verbs/verbs.def"
    add_run_records(line);
    add_study_records(line);
}

}  // namespace braid::cli
