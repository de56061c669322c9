#include "app/engine/verbs/run_verbs.h"

namespace braid::cli {

CLI::App& add_run_records(CommandLine& line) {
    CLI::App& run = line.group("run", "Runs: list, show, follow, control, remove");
    add_run_list(line, run);
    add_run_metrics(line, run);
    add_run_commands(line, run);
    add_run_export(line, run);
    add_run_batches(line, run);
    return run;
}

}  // namespace braid::cli
