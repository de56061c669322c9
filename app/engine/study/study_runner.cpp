#include "app/engine/study/study_runner.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>
#include <thread>

#include "core/engine/device.h"
#include "core/launch/launcher.h"
#include "core/record/inbox.h"
#include "core/record/run_reader.h"

namespace braid::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto look_every = 200ms;
constexpr auto speed_window = 30s;

bool works(RunState state) { return state == RunState::running || state == RunState::paused; }

// One engine at work: ours, or somebody's that we wait for.
struct Working {
    PointState* point;
    RunFolder folder;
    std::optional<EngineProcess> process;
    RunReader reader;
    bool told_to_stop = false;
};

class Runner {
public:
    Runner(const OpenedStudy& study, const StudyRunOptions& options, StudyState state,
           const std::function<void(const std::string&)>& message)
        : study_(study), options_(options), state_(std::move(state)), message_(message) {}

    Result<void> plan();
    bool work();  // false: nothing is left to do
    StudyProgress progress();
    StudyOutcome outcome() const { return outcome_; }

private:
    bool stopping() const { return options_.stop_requested != nullptr && options_.stop_requested->load(); }
    void start(PointState& point);
    void end(const Working& working);
    void stop_all();
    std::int64_t steps_done() const;
    double seconds_left(std::int64_t done);

    const OpenedStudy& study_;
    const StudyRunOptions& options_;
    StudyState state_;
    const std::function<void(const std::string&)>& message_;
    std::deque<PointState*> waiting_;
    std::vector<Working> working_;
    std::size_t jobs_ = 1;
    std::int64_t threads_ = 1;
    std::string device_;
    std::int64_t steps_total_ = 0;
    std::deque<std::pair<Clock::time_point, std::int64_t>> recent_;  // steps done, a look apart
    StudyOutcome outcome_;
};

Result<void> Runner::plan() {
    device_ = options_.device.empty() ? study_.spec.training.device : options_.device;
    const bool cuda = device_ == "cuda" || (device_ == "auto" && has_nvidia_driver());
    for (PointState& point : state_.points) {
        steps_total_ += point.plan.training.steps;
        const RunState now = point.state();
        if (now == RunState::finished) {
            ++outcome_.finished;
        } else if (point.run && works(now)) {
            working_.push_back({.point = &point,
                                .folder = point.run->folder,
                                .process = std::nullopt,
                                .reader = RunReader(point.run->folder, {.series = false, .events = false})});
            message_(point.plan.name + " is being trained already (run " + point.run->id.str() + ")");
            if (now == RunState::paused)
                if (const auto posted = post_command(point.run->folder, "resume"); !posted)
                    return fail(posted.error());
        } else {
            waiting_.push_back(&point);
        }
    }
    const auto cores =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(std::thread::hardware_concurrency()));
    const auto wanted = static_cast<std::int64_t>(std::max<std::size_t>(1, waiting_.size()));
    const std::int64_t jobs = options_.jobs > 0 ? options_.jobs : cuda ? 1 : std::min(cores, wanted);
    jobs_ = static_cast<std::size_t>(jobs);
    threads_ = cuda ? 0 : std::max<std::int64_t>(1, cores / jobs);
    return {};
}

void Runner::start(PointState& point) {
    if (!point.run) {
        RunPlan plan = point.plan;
        plan.training.device = device_;
        plan.training.threads = threads_;
        const Result<RunFolder> made = study_.project.add_run(std::move(plan));
        if (!made) {
            outcome_.failures.push_back(point.plan.name + ": " + describe(made.error()));
            return;
        }
        point.run = RunEntry{.id = RunId(made->name()), .folder = *made};
    }
    const RunFolder folder = point.run->folder;
    Result<EngineProcess> process = start_run(folder);
    if (!process && process.error().kind != ErrorKind::busy) {
        outcome_.failures.push_back(point.plan.name + ": " + describe(process.error()));
        return;
    }
    Working working{.point = &point,
                    .folder = folder,
                    .process = std::nullopt,
                    .reader = RunReader(folder, {.series = false, .events = false})};
    if (process) working.process = std::move(*process);
    working_.push_back(std::move(working));
}

void Runner::end(const Working& working) {
    const Result<RunStatus> status = read_run_status(working.folder);
    working.point->run->status = status ? *status : RunStatus{};
    const std::string name = working.point->plan.name;
    const RunState now = working.point->state();
    if (now == RunState::finished) {
        ++outcome_.finished;
        message_(name + " is done");
    } else if (now == RunState::cancelled) {
        ++outcome_.stopped;
        if (!working.told_to_stop) message_(name + " was stopped by somebody; it is left alone");
    } else {
        std::string why = status ? status->message : describe(status.error());
        if (why.empty()) why = log_tail(working.folder, 600);
        outcome_.failures.push_back(name + " (run " + working.folder.name() + "): " + why);
        message_(outcome_.failures.back());
    }
}

void Runner::stop_all() {
    outcome_.interrupted = true;
    outcome_.stopped += waiting_.size();
    waiting_.clear();
    for (Working& working : working_) {
        if (working.told_to_stop) continue;
        working.told_to_stop = true;
        if (const auto posted = post_command(working.folder, "stop"); !posted)
            message_(describe(posted.error()));
    }
}

bool Runner::work() {
    if (stopping()) stop_all();
    std::vector<Working> still;
    for (Working& working : working_) {
        const RunStatus status = working.reader.poll()->status;
        const bool ended = working.process ? working.process->poll().has_value() : !works(status.state);
        working.point->run->status = status;
        if (ended)
            end(working);
        else
            still.push_back(std::move(working));
    }
    working_ = std::move(still);
    while (!stopping() && working_.size() < jobs_ && !waiting_.empty()) {
        PointState* next = waiting_.front();
        waiting_.pop_front();
        start(*next);
    }
    return !working_.empty() || !waiting_.empty();
}

std::int64_t Runner::steps_done() const {
    std::int64_t steps = 0;
    for (const PointState& point : state_.points)
        if (point.run) steps += std::min(point.run->status.step.value, point.plan.training.steps);
    return steps;
}

// From the speed of the last half minute: a machine that gets busy shows at once.
double Runner::seconds_left(std::int64_t done) {
    const Clock::time_point now = Clock::now();
    recent_.emplace_back(now, done);
    while (recent_.size() > 2 && now - recent_[1].first > speed_window) recent_.pop_front();
    const double spent = std::chrono::duration<double>(now - recent_.front().first).count();
    const std::int64_t steps = done - recent_.front().second;
    if (steps < 10 || spent < 1) return std::numeric_limits<double>::quiet_NaN();
    return spent / static_cast<double>(steps) * static_cast<double>(steps_total_ - done);
}

StudyProgress Runner::progress() {
    StudyProgress now{.finished = outcome_.finished, .points = state_.points.size(), .stopping = stopping()};
    const std::int64_t done = steps_done();
    if (steps_total_ > 0) now.fraction = static_cast<double>(done) / static_cast<double>(steps_total_);
    now.seconds_left = seconds_left(done);
    for (const Working& working : working_)
        now.running.push_back({.label = working.point->plan.name,
                               .status = working.point->run->status,
                               .steps = working.point->plan.training.steps});
    return now;
}

}  // namespace

Result<StudyOutcome> run_study(const OpenedStudy& study, const StudyRunOptions& options,
                               const std::function<void(const StudyProgress&)>& progress,
                               const std::function<void(const std::string&)>& message) {
    Result<StudyState> state = read_study_state(study.project, study.spec);
    if (!state) return fail(std::move(state.error()));
    Runner runner(study, options, std::move(*state), message);
    if (Result<void> planned = runner.plan(); !planned) return fail(std::move(planned.error()));
    while (runner.work()) {
        progress(runner.progress());
        std::this_thread::sleep_for(look_every);
    }
    progress(runner.progress());
    return runner.outcome();
}

}  // namespace braid::cli
