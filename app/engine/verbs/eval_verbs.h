// The verbs below `eval`.
#pragma once

#include "app/engine/cli/command_line.h"

namespace braid::cli {

void add_eval_babilong(CommandLine& line, CLI::App& eval);
void add_eval_choices(CommandLine& line, CLI::App& eval);
void add_eval_keys(CommandLine& line, CLI::App& eval);
void add_eval_loss(CommandLine& line, CLI::App& eval);
void add_eval_longbench(CommandLine& line, CLI::App& eval);
void add_eval_longppl(CommandLine& line, CLI::App& eval);
void add_eval_niah(CommandLine& line, CLI::App& eval);
void add_eval_ruler(CommandLine& line, CLI::App& eval);

}  // namespace braid::cli
