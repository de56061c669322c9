#include "app/workbench/startup_clock.h"

#include <time.h>
#include <unistd.h>

#include "core/record/process_identity.h"

namespace braid::ui {

double millisecondsSinceProcessStart() {
    // In clock ticks (10 ms) after boot.
    const double started = double(this_process().start_time) / double(sysconf(_SC_CLK_TCK));
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (double(now.tv_sec) + double(now.tv_nsec) * 1e-9 - started) * 1e3;
}

}  // namespace braid::ui
