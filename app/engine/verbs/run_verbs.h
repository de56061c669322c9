// The verbs below `run`.
#pragma once

#include "app/engine/cli/command_line.h"

namespace braid::cli {

inline constexpr const char* run_help = "Id of a run (its beginning is enough), name or folder";

// The group with those that need no LibTorch.
CLI::App& add_run_records(CommandLine& line);

void add_run_list(CommandLine& line, CLI::App& run);      // list, show
void add_run_metrics(CommandLine& line, CLI::App& run);   // metrics, tail
void add_run_commands(CommandLine& line, CLI::App& run);  // pause, checkpoint, stop, rm
void add_run_resume(CommandLine& line, CLI::App& run);    // resume
void add_run_export(CommandLine& line, CLI::App& run);    // export
void add_run_batches(CommandLine& line, CLI::App& run);   // batches

}  // namespace braid::cli
