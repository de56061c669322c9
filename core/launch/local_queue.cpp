#include "core/launch/local_queue.h"

#include <algorithm>

namespace braid {

LocalQueue::LocalQueue(int at_once, std::function<Result<EngineProcess>(const RunFolder&)> start)
    : at_once_(at_once), start_(std::move(start)) {}

void LocalQueue::add(RunFolder folder) {
    if (std::find(waiting_.begin(), waiting_.end(), folder) == waiting_.end())
        waiting_.push_back(std::move(folder));
}

bool LocalQueue::remove(const RunFolder& folder) { return std::erase(waiting_, folder) > 0; }

std::vector<QueueItem> LocalQueue::poll() {
    std::vector<QueueItem> changed;
    for (auto working = running_.begin(); working != running_.end();) {
        const std::optional<int> code = working->process.poll();
        if (!code) {
            ++working;
            continue;
        }
        changed.push_back({.folder = working->folder,
                           .state = QueueItem::State::ended,
                           .process = working->process.identity(),
                           .exit_code = *code,
                           .last_words = *code == 0 ? std::string() : working->process.last_words()});
        working = running_.erase(working);
    }
    while (!waiting_.empty() && running() < at_once_) {
        RunFolder folder = std::move(waiting_.front());
        waiting_.pop_front();
        Result<EngineProcess> process = start_(folder);
        if (process) {
            changed.push_back(
                {.folder = folder, .state = QueueItem::State::running, .process = process->identity()});
            running_.push_back({std::move(folder), std::move(*process)});
        } else {
            changed.push_back({.folder = std::move(folder),
                               .state = QueueItem::State::failed_to_start,
                               .error = std::move(process.error())});
        }
    }
    return changed;
}

int LocalQueue::waiting() const { return static_cast<int>(waiting_.size()); }
int LocalQueue::running() const { return static_cast<int>(running_.size()); }

}  // namespace braid
