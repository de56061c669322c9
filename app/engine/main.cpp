// braid-engine: trains, measures and fits, headless. It never loads Qt.
#include "app/engine/cli/command_line.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/verbs.h"

int main(int argc, char** argv) {
    braid::cli::stop_requested();
    braid::cli::CommandLine line;
    braid::cli::add_verbs(line);
    return line.run(argc, argv);
}
