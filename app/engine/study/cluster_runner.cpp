#include "app/engine/study/cluster_runner.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "app/engine/study/evaluations.h"
#include "app/engine/study/study_tasks.h"
#include "core/launch/launcher.h"
#include "core/launch/submitted_tasks.h"
#include "core/record/study_state.h"

namespace braid::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto look_every = 250ms;
constexpr auto shortest_poll = 500ms;  // of the scheduler, after something has changed
constexpr auto longest_poll = 20'000ms;
constexpr auto least_between_statuses = 1s;
constexpr int most_losses = 2;
constexpr std::size_t most_tasks = 1'000;  // of an array: one less than Slurm's usual MaxArraySize

class ClusterRunner {
public:
    ClusterRunner(const Cluster& cluster, const OpenedStudy& study, const ClusterRunOptions& options,
                  const std::function<void(const std::string&)>& message)
        : cluster_(cluster), study_(study), options_(options), state_(state_of(study)), message_(message) {}

    Result<void> plan();
    bool work();  // false: nothing waits or works
    StudyProgress progress() const;
    ClusterOutcome outcome() const;

private:
    const std::string& folder() const { return study_.project.folder(); }
    std::string name(std::size_t point) const { return name_of(state_.points[point].planned.point); }
    Result<void> choose_device();
    bool complete(std::size_t point) const;
    Result<void> submit(const std::vector<std::vector<std::size_t>>& tasks);
    void poll();
    void read_statuses();
    void end(const SubmittedTask& task);
    void fail_point(std::size_t point, const std::string& why);
    std::vector<std::size_t> points_of(const SubmittedTask& task) const;  // those that are asked for

    const Cluster& cluster_;
    const OpenedStudy& study_;
    const ClusterRunOptions& options_;
    StudyState state_;
    const std::function<void(const std::string&)>& message_;
    std::optional<SubmittedTasks> tasks_;
    ClusterSettings settings_;
    std::string device_;
    std::vector<std::size_t> asked_;  // points
    std::map<std::string, std::size_t> by_key_;
    std::vector<std::vector<std::size_t>> lost_;  // to be submitted again
    std::vector<int> losses_;                     // of each point
    std::set<std::string> told_;                  // said once
    Clock::time_point next_poll_ = {}, next_status_ = {};
    std::chrono::milliseconds between_polls_ = shortest_poll;
    StudyOutcome outcome_;
};

// Nothing trains on the CPU because nobody has asked for a GPU.
Result<void> ClusterRunner::choose_device() {
    settings_ = options_.settings;
    device_ = options_.device.empty() ? study_.spec.training.device : options_.device;
    std::int64_t needed = 1;
    for (const std::size_t point : asked_)
        needed = std::max(needed, state_.points[point].planned.training.gpus);
    std::int64_t gpus = settings_.integer("gpus_per_job");
    const auto refuse = [](const std::string& rule, std::int64_t found) {
        return fail(to_error({{.path = "--gpus-per-job", .rule = rule, .found = std::to_string(found)}}));
    };
    if (gpus < 0 && device_ == "auto")
        return fail(ErrorKind::invalid_input,
                    "the study trains wherever it can (device auto): say how many GPUs a job takes",
                    "--gpus-per-job", "1, or 0 for the CPU; --remember keeps it in the project");
    if (gpus < 0) gpus = device_ == "cpu" ? 0 : needed;
    if (gpus == 0 && device_ == "cuda") return refuse("must be at least 1 for device cuda", gpus);
    if (gpus > 0 && device_ == "cpu") return refuse("must be 0 for device cpu", gpus);
    if (gpus > 0 && gpus < needed)
        return refuse("must be at least " + std::to_string(needed) + ", as the study's training.gpus says",
                      gpus);
    device_ = gpus == 0 ? "cpu" : "cuda";
    settings_.values.set("gpus_per_job", gpus);
    return {};
}

bool ClusterRunner::complete(std::size_t point) const {
    const PointState& state = state_.points[point];
    return state.finished() && unanswered(state.run->folder, study_.spec.evaluations).empty();
}

Result<void> ClusterRunner::plan() {
    losses_.assign(state_.points.size(), 0);
    std::vector<std::size_t> first, later;
    for (std::size_t i = 0; i < state_.points.size(); ++i) {
        const StudyFields fields = fields_of(study_.spec, state_.points[i].planned.point);
        if (!options_.only.empty() && !holds_any(options_.only, fields)) continue;
        (holds_any(options_.first, fields) ? first : later).push_back(i);
    }
    asked_ = first;
    asked_.insert(asked_.end(), later.begin(), later.end());
    outcome_.points = asked_.size();
    for (const std::size_t point : asked_) by_key_.emplace(state_.points[point].planned.point.key, point);
    if (Result<void> chosen = choose_device(); !chosen) return chosen;
    if (Result<void> here = cluster_.check(); !here) return here;
    Result<SubmittedTasks> tasks = SubmittedTasks::open(cluster_, folder(), study_.spec.name);
    if (!tasks) return fail(std::move(tasks.error()));
    tasks_ = *std::move(tasks);
    std::set<std::string> submitted;
    for (const SubmittedTask& task : tasks_->tasks())
        submitted.insert(task.points.begin(), task.points.end());
    if (!submitted.empty())
        message_(std::to_string(submitted.size()) + " runs are submitted already; they are watched");
    std::vector<std::size_t> missing;
    for (const std::size_t point : asked_) {
        outcome_.finished += complete(point) ? 1 : 0;
        if (!complete(point) && !submitted.contains(state_.points[point].planned.point.key))
            missing.push_back(point);
    }
    std::vector<PlannedPoint> planned;
    for (const PointState& point : state_.points) planned.push_back(point.planned);
    return submit(tasks_of(study_.spec, planned, missing));
}

Result<void> ClusterRunner::submit(const std::vector<std::vector<std::size_t>>& tasks) {
    const Result<std::string> engine = find_engine();
    if (!engine) return fail(engine.error());
    for (const std::vector<std::size_t>& task : tasks)
        if (Result<void> made = make_runs(study_, state_, task, device_); !made) return made;
    for (std::size_t begin = 0; begin < tasks.size(); begin += most_tasks) {
        SubmittedTasks::Request request{.device = device_, .settings = settings_};
        std::size_t runs = 0;
        for (std::size_t i = begin; i < std::min(begin + most_tasks, tasks.size()); ++i) {
            std::vector<std::string>& keys = request.tasks.emplace_back();
            for (const std::size_t point : tasks[i]) keys.push_back(state_.points[point].planned.point.key);
            runs += keys.size();
        }
        request.command = [&](std::int64_t number) -> std::vector<std::string> {
            return {*engine,     "study",  "work",         study_.spec.name,
                    "--project", folder(), "--submission", std::to_string(number),
                    "--task"};
        };
        Result<std::string> job = tasks_->submit(request);
        if (!job) {
            Error error = std::move(job.error());
            error.message += "\nNothing is lost: the runs are planned in the project";
            return fail(std::move(error));
        }
        message_(std::to_string(runs) + (runs == 1 ? " run" : " runs") + " submitted as job " + *job +
                 " of " + cluster_.title() + ", in " + std::to_string(request.tasks.size()) +
                 (request.tasks.size() == 1 ? " task" : " tasks"));
    }
    return {};
}

std::vector<std::size_t> ClusterRunner::points_of(const SubmittedTask& task) const {
    std::vector<std::size_t> points;
    for (const std::string& key : task.points)
        if (const auto found = by_key_.find(key); found != by_key_.end()) points.push_back(found->second);
    return points;
}

void ClusterRunner::fail_point(std::size_t point, const std::string& why) {
    std::string text = name(point);
    if (state_.points[point].run) text += " (run " + state_.points[point].run->id.str() + ")";
    outcome_.failures.push_back(text + ": " + why);
    message_(outcome_.failures.back());
}

// What became of the points of a task that is over.
void ClusterRunner::end(const SubmittedTask& task) {
    const std::string id = task.id();
    std::vector<std::size_t> again;
    for (const std::size_t point : points_of(task)) {
        PointState& state = state_.points[point];
        const Result<RunStatus> status = read_run_status(state.run->folder);
        if (status) state.run->status = *status;
        const RunState now = state.state();
        if (complete(point)) {
            ++outcome_.finished;
            message_(name(point) + " is done");
        } else if (now == RunState::failed) {
            fail_point(point, state.run->status.message);
        } else if (task.last.phase == TaskPhase::lost || task.last.phase == TaskPhase::done) {
            // TIMEOUT, NODE_FAIL, or nobody knows of it any more.
            if (now == RunState::finished && task.last.phase == TaskPhase::done)
                fail_point(point, "a score is missing: see evaluations.log in its folder");
            else if (losses_[point] >= most_losses)
                fail_point(point, "its job " + id + " was lost for the third time (" + task.last.word + ")");
            else
                again.push_back(point);
        } else if (task.last.phase == TaskPhase::stopped || now == RunState::cancelled) {
            ++outcome_.stopped;
            message_(name(point) + " was stopped by somebody; it is left alone (job " + id + ")");
        } else {
            std::string why = "its job " + id + " ended: " + task.last.word;
            if (task.last.word == "OUT_OF_MEMORY") why += " (give it more: --memory)";
            const std::string log = tasks_->log_file(task);
            why += "; its log " + log + " ends:\n" + end_of_log(log, 600);
            fail_point(point, why);
        }
    }
    if (again.empty()) return;
    for (const std::size_t point : again) ++losses_[point];
    message_("job " + id + " was lost (" + task.last.word +
             "); what it trained is submitted again and goes on from its last checkpoint");
    lost_.push_back(std::move(again));
}

void ClusterRunner::poll() {
    if (Clock::now() < next_poll_) return;
    const auto phases = [this] {
        std::vector<TaskPhase> now;
        for (const SubmittedTask& task : tasks_->tasks()) now.push_back(task.last.phase);
        return now;
    };
    const std::vector<TaskPhase> before = phases();
    const Result<std::vector<SubmittedTask>> ended = tasks_->poll();
    if (!ended) {
        // The jobs go on without us, and the controller may come back.
        if (told_.insert(ended.error().message).second) message_(describe(ended.error()));
    } else {
        for (const SubmittedTask& task : *ended) end(task);
        for (const SubmittedTask& task : tasks_->tasks())
            if (task.last.phase == TaskPhase::waiting && task.last.reason.find("held") != std::string::npos &&
                told_.insert(task.id()).second)
                message_("task " + task.id() + " is held (" + task.last.reason + "): scontrol release " +
                         task.id());
    }
    between_polls_ = phases() != before
                         ? std::chrono::milliseconds(shortest_poll)
                         : std::min<std::chrono::milliseconds>(longest_poll, between_polls_ * 5 / 4);
    next_poll_ = Clock::now() + between_polls_;
}

// Of what works now.
void ClusterRunner::read_statuses() {
    if (Clock::now() < next_status_) return;
    const Clock::time_point begin = Clock::now();
    for (const SubmittedTask& task : tasks_->tasks()) {
        if (task.last.phase != TaskPhase::working) continue;
        for (const std::size_t point : points_of(task)) {
            PointState& state = state_.points[point];
            if (state.finished()) continue;
            if (Result<RunStatus> status = read_run_status(state.run->folder))
                state.run->status = *std::move(status);
            if (!state.finished()) continue;
            // Its task may be about to end, too.
            between_polls_ = shortest_poll;
            next_poll_ = std::min(next_poll_, Clock::now() + shortest_poll);
        }
    }
    // A slow file system is not asked all the time.
    next_status_ =
        Clock::now() + std::max<Clock::duration>(least_between_statuses, 4 * (Clock::now() - begin));
}

bool ClusterRunner::work() {
    if (options_.stop && options_.stop()) return false;
    poll();
    if (!lost_.empty()) {
        std::vector<std::vector<std::size_t>> tasks = std::move(lost_);
        lost_.clear();
        if (const Result<void> submitted = submit(tasks); !submitted)
            for (const std::vector<std::size_t>& task : tasks)
                for (const std::size_t point : task) fail_point(point, describe(submitted.error()));
    }
    read_statuses();
    return !tasks_->tasks().empty();
}

StudyProgress ClusterRunner::progress() const {
    StudyProgress now{.finished = outcome_.finished,
                      .points = outcome_.points,
                      .seconds_left = std::numeric_limits<double>::quiet_NaN()};
    std::int64_t done = 0, all = 0;
    for (const std::size_t point : asked_) {
        const PointState& state = state_.points[point];
        all += state.planned.training.steps;
        if (state.run) done += std::min(state.run->status.step.value, state.planned.training.steps);
    }
    if (all > 0) now.fraction = static_cast<double>(done) / static_cast<double>(all);
    std::size_t waiting = 0;
    std::string reason;
    const std::vector<SubmittedTask>& tasks = tasks_->tasks();
    for (const SubmittedTask& task : tasks) {
        if (task.last.phase == TaskPhase::waiting) {
            ++waiting;
            if (reason.empty()) reason = task.last.reason;
        }
        for (const std::size_t point : points_of(task)) {
            const PointState& state = state_.points[point];
            if (task.last.phase != TaskPhase::working || state.finished() ||
                state.state() == RunState::planned)
                continue;
            now.running.push_back(
                {.label = name(point) + (task.last.node.empty() ? "" : "  " + task.last.node),
                 .status = state.run->status,
                 .steps = state.planned.training.steps});
        }
    }
    now.note = cluster_.title() + ": " + std::to_string(tasks.size() - waiting) + " tasks work";
    if (waiting > 0)
        now.note += ", " + std::to_string(waiting) + " wait" + (reason.empty() ? "" : " (" + reason + ")");
    return now;
}

ClusterOutcome ClusterRunner::outcome() const { return {.study = outcome_, .jobs = tasks_->jobs()}; }

}  // namespace

Result<ClusterOutcome> run_study_on(const Cluster& cluster, const OpenedStudy& study,
                                    const ClusterRunOptions& options,
                                    const std::function<void(const StudyProgress&)>& progress,
                                    const std::function<void(const std::string&)>& message) {
    ClusterRunner runner(cluster, study, options, message);
    if (Result<void> planned = runner.plan(); !planned) return fail(std::move(planned.error()));
    while (!options.submit_only && runner.work()) {
        progress(runner.progress());
        std::this_thread::sleep_for(look_every);
    }
    progress(runner.progress());
    return runner.outcome();
}

}  // namespace braid::cli
