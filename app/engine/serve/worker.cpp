#include "app/engine/serve/worker.h"

#include <algorithm>

#include "core/engine/guard.h"

namespace braid::cli {
namespace {

Error was_cancelled() { return {.kind = ErrorKind::interrupted, .message = "cancelled"}; }

}  // namespace

Worker::Worker(Send send, std::function<Json(const Json& id, const Result<Json>& result)> answer)
    : send_(std::move(send)), answer_(std::move(answer)) {}

Worker::~Worker() {
    stop(std::chrono::milliseconds(0));
    if (thread_.joinable()) thread_.join();
}

bool Worker::add(const Json& id, Work work) {
    const std::lock_guard lock(mutex_);
    for (const std::shared_ptr<Job>& job : jobs_)
        if (job->id == id && !job->answered) return false;
    auto job = std::make_shared<Job>();
    job->id = id;
    job->work = std::move(work);
    jobs_.push_back(std::move(job));
    // Not before it is needed: most servers only answer questions.
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    changed_.notify_all();
    return true;
}

bool Worker::cancel(const Json& id) {
    const std::lock_guard lock(mutex_);
    for (const std::shared_ptr<Job>& job : jobs_)
        if (job->id == id && !job->answered && !job->cancelled) return job->cancelled = true;
    return false;
}

void Worker::answer_cancelled() {
    const std::lock_guard lock(mutex_);
    for (const std::shared_ptr<Job>& job : jobs_) {
        if (!job->cancelled || job->answered) continue;
        job->answered = true;
        send_(answer_(job->id, fail(was_cancelled())));
    }
}

bool Worker::busy() {
    const std::lock_guard lock(mutex_);
    return !jobs_.empty();
}

bool Worker::stop(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    for (const std::shared_ptr<Job>& job : jobs_) {
        job->cancelled = true;
        job->answered = true;
    }
    ending_ = true;
    changed_.notify_all();
    return !thread_.joinable() || changed_.wait_for(lock, patience, [&] { return ended_; });
}

void Worker::run() {
    for (;;) {
        std::shared_ptr<Job> job;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
            if (jobs_.empty()) {
                ended_ = true;
                changed_.notify_all();
                return;
            }
            job = jobs_.front();
            reported_ = {};
        }
        const auto work = [&]() -> Result<Json> {
            return job->work(
                [&](double fraction, const std::string& text) { return report(*job, fraction, text); },
                job->cancelled);
        };
        bool wanted = true;
        {
            const std::lock_guard lock(mutex_);
            wanted = !job->cancelled;
        }
        finish(*job, wanted ? guarded("the request", work) : fail(was_cancelled()));
    }
}

void Worker::finish(Job& job, const Result<Json>& result) {
    const std::lock_guard lock(mutex_);
    if (!job.answered) send_(answer_(job.id, job.cancelled ? fail(was_cancelled()) : result));
    job.answered = true;
    jobs_.pop_front();
}

bool Worker::report(Job& job, double fraction, const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (job.cancelled) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - reported_ < between_progress) return true;
    reported_ = now;
    send_({{"jsonrpc", "2.0"},
           {"method", "progress"},
           {"params", {{"id", job.id}, {"fraction", std::clamp(fraction, 0.0, 1.0)}, {"text", text}}}});
    return true;
}

}  // namespace braid::cli
