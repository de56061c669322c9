// The commands of others to a run that trains: a watcher thread takes them out of the inbox, acknowledges
// them within 200 ms whatever the training thread is doing, and the training thread obeys between two
// micro-batches.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/record/inbox.h"
#include "core/record/run_writer.h"

namespace braid {

class RunControl {
public:
    // Starts the watcher. `stop_requested` (may be null) is a stop that comes by a signal.
    RunControl(RunWriter& writer, const std::atomic<bool>* stop_requested);
    ~RunControl();
    RunControl(const RunControl&) = delete;
    RunControl& operator=(const RunControl&) = delete;

    // Training thread. Cheap: one atomic read when there is nothing.
    bool pending() const { return pending_.load(std::memory_order_acquire); }
    // What has come, in order; empty where nothing has.
    std::vector<InboxCommand> take();
    // Waits until something comes or a stop is asked for by a signal.
    void wait();

    bool stop_by_signal() const { return stop_requested_ != nullptr && stop_requested_->load(); }

private:
    void watch();

    RunWriter& writer_;
    const std::atomic<bool>* stop_requested_;
    std::atomic<bool> pending_{false};
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<InboxCommand> commands_;
    bool closing_ = false;
    std::condition_variable closed_;
    std::thread watcher_;
};

}  // namespace braid
