#include "core/engine/run_control.h"

#include <time.h>
#include <unistd.h>

#include <chrono>

#include "core/base/clock.h"
#include "core/record/process_identity.h"

namespace braid {
namespace {

constexpr std::chrono::milliseconds look_every{25};

// "capture" and whatever a newer window may send: the engine says so instead of leaving it unanswered.
bool is_obeyed(const std::string& kind) {
    return kind == "pause" || kind == "resume" || kind == "checkpoint" || kind == "stop";
}

// When this process was started, as the commands' own times are written. A stop that was meant for an earlier
// engine and came too late for it must not end this one; a stop that came while this one was still loading
// must.
std::string process_start() {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    const double since_boot = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
    const double started =
        static_cast<double>(this_process().start_time) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    const auto age = std::chrono::duration<double>(since_boot - started);
    return utc_text_ms(std::chrono::system_clock::now() -
                       std::chrono::duration_cast<std::chrono::system_clock::duration>(age));
}

}  // namespace

RunControl::RunControl(RunWriter& writer, const std::atomic<bool>* stop_requested)
    : writer_(writer), stop_requested_(stop_requested), watcher_([this] { watch(); }) {}

RunControl::~RunControl() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    closed_.notify_all();
    watcher_.join();
}

std::vector<InboxCommand> RunControl::take() {
    const std::lock_guard lock(mutex_);
    std::vector<InboxCommand> taken(commands_.begin(), commands_.end());
    commands_.clear();
    pending_.store(stop_by_signal(), std::memory_order_release);
    return taken;
}

void RunControl::wait() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !commands_.empty() || stop_by_signal(); });
}

void RunControl::watch() {
    const std::string started = process_start();
    std::unique_lock lock(mutex_);
    while (!closing_) {
        lock.unlock();
        TakenCommands taken = take_commands(writer_.folder());
        for (const Error& error : taken.rejected)
            writer_.event({}, LogLevel::warning, "command/rejected", describe(error));
        std::vector<InboxCommand> obeyed;
        for (InboxCommand& command : taken.commands) {
            writer_.command_received(command);
            if (command.created < started) {
                writer_.command_acknowledged(command.id);
                writer_.command_done(command.id, "came too late for the engine it was meant for");
            } else if (is_obeyed(command.kind)) {
                writer_.command_acknowledged(command.id);
                obeyed.push_back(std::move(command));
            } else {
                writer_.command_acknowledged(command.id, "this engine does not know it");
                writer_.command_done(command.id, "this engine does not know it");
            }
        }
        lock.lock();
        for (InboxCommand& command : obeyed) commands_.push_back(std::move(command));
        if (!commands_.empty() || stop_by_signal()) {
            pending_.store(true, std::memory_order_release);
            arrived_.notify_all();
        }
        closed_.wait_for(lock, look_every, [this] { return closing_; });
    }
}

}  // namespace braid
