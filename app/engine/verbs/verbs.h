// Every verb adds itself to the command line; verbs.def lists them in the order of the help.
#pragma once

#include "app/engine/cli/command_line.h"

namespace braid::cli {

#define BRAID_VERB(name) void add_##name(CommandLine& line);
#include "app/engine/verbs/verbs.def"

void add_verbs(CommandLine& line);
// Only those that need no LibTorch, also of the groups that have others.
void add_record_verbs(CommandLine& line);

}  // namespace braid::cli
