// braid-engine: what works on records and files alone is done here, at once; for all else the program becomes
// braid-compute, which has every verb and takes 0.6 s to load LibTorch. The process stays the same one.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "app/engine/cli/command_line.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/verbs.h"
#include "core/base/error.h"

namespace {

// Threads of a parallel region wait for each other by spinning. GNU OpenMP's default is some milliseconds,
// which on cores that are shared keeps the thread waited for from running: two trainings of the tiny scale
// on the same two cores took 852 ms a step, with short waits 68 ms; one alone takes 23 ms either way.
// The OpenMP library reads its environment once, while it is loaded. Whoever sets a policy keeps it.
void wait_shortly() {
    if (std::getenv("GOMP_SPINCOUNT") == nullptr && std::getenv("OMP_WAIT_POLICY") == nullptr)
        ::setenv("GOMP_SPINCOUNT", "5000", 1);  // about 50 us
}

// Where one of them is closed, the next file that is opened would get what is printed.
void open_standard_streams() {
    int opened = 0;
    do opened = ::open("/dev/null", O_RDWR);
    while (opened >= 0 && opened <= STDERR_FILENO);
    if (opened >= 0) ::close(opened);
}

// Returns only where that is not possible.
int become_compute(char** argv) {
    // From the script that looks for LibTorch on other machines (resources/launcher/braid-engine.sh).
    if (const char* missing = std::getenv("BRAID_NO_LIBTORCH")) {
        braid::cli::print_error({.kind = braid::ErrorKind::unavailable, .message = missing});
        return braid::cli::ExitCode::failed;
    }
    std::error_code ignored;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const std::string program = (self.parent_path() / "braid-compute").string();
    wait_shortly();
    ::execv(program.c_str(), argv);
    braid::cli::print_error(braid::error_from_errno(errno, "cannot start", program));
    return braid::cli::ExitCode::failed;
}

}  // namespace

int main(int argc, char** argv) {
    open_standard_streams();
    braid::cli::CommandLine line;
    braid::cli::add_record_verbs(line);
    if (!line.knows(argc, argv)) return become_compute(argv);
    braid::cli::stop_requested();
    return line.run(argc, argv);
}
