// One thread for answers of which only the last counts: a job in a slot takes the place of the one that waits
// there.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace braid::ui {

class LatestWorker {
public:
    LatestWorker() : thread_([this] { run(); }) {}
    ~LatestWorker() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
        }
        wake_.notify_one();
        thread_.join();
    }
    void post(int slot, std::function<void()> job) {
        {
            const std::lock_guard lock(mutex_);
            waiting_[slot] = std::move(job);
        }
        wake_.notify_one();
    }
    void drop(int slot) {
        const std::lock_guard lock(mutex_);
        waiting_.erase(slot);
    }

private:
    void run() {
        while (true) {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
            if (ending_) return;
            const std::function<void()> job = std::move(waiting_.begin()->second);
            waiting_.erase(waiting_.begin());
            lock.unlock();
            job();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::map<int, std::function<void()>> waiting_;
    bool ending_ = false;
    std::thread thread_;  // last: it uses the others
};

}  // namespace braid::ui
