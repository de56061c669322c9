#include "app/engine/cli/signals.h"

#include <unistd.h>
#include <csignal>

namespace braid::cli {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

extern "C" void on_signal(int) {
    if (stop.exchange(true)) ::_exit(130);
}

}  // namespace

const std::atomic<bool>& stop_requested() {
    static const bool installed = [] {
        struct sigaction action {};
        action.sa_handler = on_signal;
        sigemptyset(&action.sa_mask);
        action.sa_flags = SA_RESTART;
        ::sigaction(SIGINT, &action, nullptr);
        ::sigaction(SIGTERM, &action, nullptr);
        std::signal(SIGPIPE, SIG_IGN);
        std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is an error of writing, with its place
        return true;
    }();
    (void)installed;
    return stop;
}

}  // namespace braid::cli
