// Runs waiting for this machine: at most k engines at a time, in order.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "core/launch/launcher.h"

namespace braid {

struct QueueItem {
    enum class State { waiting, running, ended, failed_to_start };
    RunFolder folder;
    State state = State::waiting;
    ProcessIdentity process = {};     // when running or ended
    int exit_code = 0;                // when ended
    std::string last_words = {};      // of its log, when it ended with another code than 0
    std::optional<Error> error = {};  // when it could not be started
};

// Belongs to one thread, which calls poll() now and then (a timer of the window).
class LocalQueue {
public:
    explicit LocalQueue(
        int at_once, std::function<Result<EngineProcess>(const RunFolder&)> start = [](const RunFolder& run) {
            return start_run(run);
        });

    void set_at_once(int at_once) { at_once_ = at_once; }
    void add(RunFolder folder);
    // Takes a waiting run out; false where it is not waiting (stop_run() it then).
    bool remove(const RunFolder& folder);

    // Reaps ended engines, starts waiting ones; returns the items that changed.
    std::vector<QueueItem> poll();

    int waiting() const;
    int running() const;

private:
    struct Working {
        RunFolder folder;
        EngineProcess process;
    };
    int at_once_;
    std::function<Result<EngineProcess>(const RunFolder&)> start_;
    std::deque<RunFolder> waiting_;
    std::vector<Working> running_;
};

}  // namespace braid
