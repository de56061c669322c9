#include "core/measure/ruler/averages.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/measure/ruler/tasks.h"

namespace braid {
namespace {

constexpr std::int64_t short_lengths = 4'096;

struct Sum {
    double sum = 0;
    std::int64_t count = 0;
    void add(double value) {
        sum += value;
        ++count;
    }
    double mean() const { return sum / static_cast<double>(count); }
};

struct Average {
    double value = 0;
    std::int64_t tasks = 0;
};

Average average(std::span<const Score> scores, const std::function<bool(const TextTask&)>& task_counts,
                const std::function<bool(std::int64_t)>& length_counts) {
    std::map<std::string, Sum> by_task;
    for (const Score& score : scores) {
        const TextTask* task = find_ruler_task(score.name);
        if (task != nullptr && score.value && score.length && task_counts(*task) &&
            length_counts(*score.length))
            by_task[score.name].add(*score.value);
    }
    Sum all;
    for (const auto& [task, sum] : by_task) all.add(sum.mean());
    return {.value = all.count > 0 ? all.mean() : 0, .tasks = all.count};
}

std::string count_text(std::int64_t tasks, std::int64_t of) {
    std::string text = " (";
    if (tasks < of) text.append(std::to_string(tasks)).append(" of ");
    return text.append(std::to_string(of)).append(")");
}

}  // namespace

std::vector<ScoreSummary> ruler_averages(std::span<const Score> scores) {
    const auto every_task = [](const TextTask&) { return true; };
    const auto every_length = [](std::int64_t) { return true; };
    const auto needle = [](const TextTask& task) { return task.needle; };
    const auto all = static_cast<std::int64_t>(ruler_tasks().size());
    const std::int64_t needles = std::count_if(ruler_tasks().begin(), ruler_tasks().end(), needle);
    std::vector<ScoreSummary> averages;
    const auto add = [&](std::string name, const Average& average, std::int64_t of, bool count_all) {
        if (average.tasks == 0) return;
        if (count_all || average.tasks < of) name.append(count_text(average.tasks, of));
        averages.push_back({.name = std::move(name), .value = average.value, .unit = "%"});
    };
    add("NIAH average", average(scores, needle, every_length), needles, true);
    add("Total average", average(scores, every_task, every_length), all, true);
    add("RULER <= 4K",
        average(scores, every_task, [](std::int64_t length) { return length <= short_lengths; }), all, false);
    add("RULER > 4K", average(scores, every_task, [](std::int64_t length) { return length > short_lengths; }),
        all, false);
    return averages;
}

}  // namespace braid
