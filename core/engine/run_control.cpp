#include "core/engine/run_control.h"

#include <chrono>

namespace braid {
namespace {

constexpr std::chrono::milliseconds look_every{25};

// "capture" and whatever a newer window may send: the engine says so instead of leaving it unanswered.
bool is_obeyed(const std::string& kind) {
    return kind == "pause" || kind == "resume" || kind == "checkpoint" || kind == "stop";
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
    std::unique_lock lock(mutex_);
    while (!closing_) {
        lock.unlock();
        TakenCommands taken = take_commands(writer_.folder());
        for (const Error& error : taken.rejected)
            writer_.event({}, LogLevel::warning, "command/rejected", describe(error));
        std::vector<InboxCommand> obeyed;
        for (InboxCommand& command : taken.commands) {
            writer_.command_received(command);
            if (is_obeyed(command.kind)) {
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
