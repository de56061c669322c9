#include "app/engine/verbs/run_verbs.h"
#include "app/engine/verbs/verbs.h"

namespace braid::cli {

void add_run(CommandLine& line) { add_run_resume(line, add_run_records(line)); }

}  // namespace braid::cli
