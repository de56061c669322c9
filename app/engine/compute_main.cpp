// braid-compute: trains, measures and fits, headless; started by braid-engine. It never loads Qt.
#include <cstdio>
#include <cstdlib>

#include "app/engine/cli/command_line.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/verbs.h"

int main(int argc, char** argv) {
    int code = 0;
    {
        braid::cli::stop_requested();
        braid::cli::CommandLine line;
        braid::cli::add_verbs(line);
        code = line.run(argc, argv);
    }
    std::fflush(nullptr);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return code;  // leaks are looked for after main()
#else
    // All work is written and all files are closed. What is left is LibTorch taking its thousands of
    // operators out of their tables one by one: 0.2 s, a quarter of a short command.
    std::_Exit(code);
#endif
}
