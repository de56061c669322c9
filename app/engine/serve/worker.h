// The long methods of serve: done on one thread of their own, one at a time in the order of the requests, so
// that every other method is answered meanwhile. Models and devices are that thread's alone.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/base/json.h"

namespace braid::cli {

class Worker {
public:
    // One message to the other side, at once. May be called from two threads, never from both at a time.
    using Send = std::function<void(const Json& message)>;
    // Told how much is done, 0 to 1, and what is being done; false: stop.
    using Progress = std::function<bool(double fraction, const std::string& text)>;
    // `stop`: true once it is cancelled, for what cannot wait until it next tells of its progress.
    using Work = std::function<Result<Json>(const Progress& progress, const std::atomic<bool>& stop)>;

    static constexpr std::chrono::milliseconds between_progress{50};

    // answer(id, result): the message that answers a request.
    Worker(Send send, std::function<Json(const Json& id, const Result<Json>& result)> answer);
    ~Worker();  // as stop(), with all patience

    // False: a request of this id is not answered yet.
    bool add(const Json& id, Work work);
    // Whether there was such a request. What it does is stopped as soon as it can be, without anybody waiting
    // for that: answer_cancelled() answers it.
    bool cancel(const Json& id);
    void answer_cancelled();
    bool busy();
    // Cancels all; nothing is answered any more. Whether the thread came to its end within `patience`.
    bool stop(std::chrono::milliseconds patience);

private:
    struct Job {
        Json id;
        Work work;
        std::atomic<bool> cancelled = false;  // changed under the mutex; the work may look at any time
        bool answered = false;
    };
    void run();
    void finish(Job& job, const Result<Json>& result);
    bool report(Job& job, double fraction, const std::string& text);

    Send send_;
    std::function<Json(const Json&, const Result<Json>&)> answer_;
    std::mutex mutex_;  // of all below, and held while something is sent
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Job>> jobs_;  // the first is being done
    std::chrono::steady_clock::time_point reported_ = {};
    bool ending_ = false, ended_ = false;
    std::thread thread_;
};

}  // namespace braid::cli
