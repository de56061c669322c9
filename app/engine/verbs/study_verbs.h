// The verbs below `study`.
#pragma once

#include "app/engine/cli/command_line.h"

namespace braid::cli {

// The group with those that need no LibTorch.
CLI::App& add_study_records(CommandLine& line);

void add_study_new(CommandLine& line, CLI::App& study);
void add_study_show(CommandLine& line, CLI::App& study);
void add_study_run(CommandLine& line, CLI::App& study);  // run, resume
void add_study_work(CommandLine& line, CLI::App& study);
void add_study_exchange(CommandLine& line, CLI::App& study);  // pack, collect
void add_study_fit(CommandLine& line, CLI::App& study);
void add_study_export(CommandLine& line, CLI::App& study);
void add_study_investigate(CommandLine& line, CLI::App& study);
void add_study_commands(CommandLine& line, CLI::App& study);  // pause, stop

}  // namespace braid::cli
