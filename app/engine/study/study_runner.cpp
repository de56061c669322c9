#include "app/engine/study/study_runner.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <filesystem>
#include <limits>
#include <map>
#include <thread>

#include "app/engine/cli/output.h"
#include "app/engine/study/device_slots.h"
#include "app/engine/study/evaluations.h"
#include "app/engine/study/study_tasks.h"
#include "core/launch/launcher.h"
#include "core/mixers/builtin.h"
#include "core/record/inbox.h"
#include "core/record/run_lock.h"
#include "core/record/run_reader.h"
#include "core/spec/study_cost.h"

namespace braid::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto look_every = 200ms;
constexpr auto speed_window = 30s;
constexpr int most_deaths = 2;

bool works(RunState state) { return state == RunState::running || state == RunState::paused; }

// One engine at work: ours, or somebody's that we wait for.
struct Working {
    std::size_t point;
    RunFolder folder;
    std::optional<std::size_t> gpu;
    std::optional<EngineProcess> process;
    RunReader reader;
    bool told_to_stop = false;
};

// A score of a finished run at work.
struct Asking {
    std::size_t point;
    std::string evaluation;
    std::optional<std::size_t> gpu;
    EngineProcess process;
};

bool contains(const std::vector<std::string>& texts, const std::string& text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

class Runner {
public:
    Runner(const OpenedStudy& study, const StudyRunOptions& options,
           const std::function<void(const std::string&)>& message)
        : study_(study), options_(options), state_(state_of(study)), message_(message) {}

    Result<void> plan();
    bool work();  // false: nothing is left to do
    StudyProgress progress();
    StudyOutcome outcome() const { return outcome_; }

private:
    PointState& point_of(const Working& working) { return state_.points[working.point]; }
    std::string name(std::size_t point) const { return name_of(state_.points[point].planned.point); }
    bool stopping() const { return options_.stop && options_.stop(); }
    std::optional<std::size_t> next_point();                 // taken out of those that wait
    std::size_t busy(std::optional<std::size_t> gpu) const;  // engines on that GPU, or on the CPU
    std::optional<std::size_t> free_gpu() const {
        return slots_.free_gpu([this](std::optional<std::size_t> gpu) { return busy(gpu); });
    }
    bool has_room() const {
        return slots_.has_room([this](std::optional<std::size_t> gpu) { return busy(gpu); });
    }
    void plan_evaluations(std::size_t point);
    void ask_next();
    void end_answers();
    void start(std::size_t point);
    Result<RunFolder> folder_of(std::size_t point);
    RunStatus seen(const RunFolder& folder, RunStatus status) const;
    Result<void> check_room(const PointState& point) const;
    void end(const Working& working);
    void stop_all();
    std::int64_t steps_done() const;
    double seconds_left(std::int64_t done);

    const OpenedStudy& study_;
    const StudyRunOptions& options_;
    StudyState state_;
    const std::function<void(const std::string&)>& message_;
    std::deque<std::size_t> waiting_;  // points, in order
    std::vector<Working> working_;
    std::deque<std::pair<std::size_t, std::string>> questions_;  // evaluations of finished points
    std::vector<Asking> asking_;
    std::vector<int> deaths_;  // of the engines of each point, without a word
    DeviceSlots slots_;
    std::string device_;
    std::int64_t steps_total_ = 0;
    std::deque<std::pair<Clock::time_point, std::int64_t>> recent_;  // steps done, a look apart
    StudyOutcome outcome_;
};

Result<void> Runner::plan() {
    deaths_.assign(state_.points.size(), 0);
    std::deque<std::size_t> later;
    for (std::size_t i = 0; i < state_.points.size(); ++i) {
        PointState& point = state_.points[i];
        const StudyFields fields = fields_of(study_.spec, point.planned.point);
        if (!options_.only.empty() && !holds_any(options_.only, fields)) continue;
        if (!options_.points.empty() && !contains(options_.points, point.planned.point.key)) continue;
        if (point.run) point.run->status = seen(point.run->folder, std::move(point.run->status));
        const RunState now = point.state();
        ++outcome_.points;
        steps_total_ += point.planned.training.steps;
        if (now == RunState::finished) {
            ++outcome_.finished;
            plan_evaluations(i);
        } else if (point.run && works(now)) {
            working_.push_back({.point = i,
                                .folder = point.run->folder,
                                .gpu = std::nullopt,
                                .process = std::nullopt,
                                .reader = RunReader(point.run->folder, {.series = false, .events = false})});
            message_(name(i) + " is being trained already (run " + point.run->id.str() + ")");
            if (now == RunState::paused)
                if (const auto posted = post_command(point.run->folder, "resume"); !posted)
                    return fail(posted.error());
        } else {
            (holds_any(options_.first, fields) ? waiting_ : later).push_back(i);
        }
    }
    waiting_.insert(waiting_.end(), later.begin(), later.end());
    device_ = options_.device.empty() ? study_.spec.training.device : options_.device;
    std::vector<PlannedPoint> runs;
    for (const std::size_t point : waiting_) runs.push_back(state_.points[point].planned);
    slots_ = DeviceSlots::choose(device_, options_.jobs, runs, options_.cores);
    return {};
}

std::size_t Runner::busy(std::optional<std::size_t> gpu) const {
    const auto count = [&](const auto& list) {
        return std::count_if(list.begin(), list.end(), [&](const auto& each) { return each.gpu == gpu; });
    };
    return static_cast<std::size_t>(count(working_) + count(asking_));
}

void Runner::plan_evaluations(std::size_t point) {
    for (std::string& evaluation : unanswered(state_.points[point].run->folder, study_.spec.evaluations))
        questions_.emplace_back(point, std::move(evaluation));
}

void Runner::ask_next() {
    const auto [point, evaluation] = questions_.front();
    questions_.pop_front();
    const RunFolder& folder = state_.points[point].run->folder;
    std::vector<std::string> words = {"eval"};
    for (std::string& word : words_of(evaluation)) words.push_back(std::move(word));
    words.insert(words.end(), {folder.path(), "--project", study_.project.folder(), "--quiet"});
    if (!options_.device.empty()) words.insert(words.end(), {"--device", options_.device});
    const std::optional<std::size_t> gpu = free_gpu();
    Result<EngineProcess> process = EngineProcess::start({.arguments = std::move(words),
                                                          .log_file = folder.path() + "/evaluations.log",
                                                          .environment = slots_.environment(gpu)});
    if (process)
        asking_.push_back({point, evaluation, gpu, std::move(*process)});
    else
        outcome_.failures.push_back(name(point) + ", eval " + evaluation + ": " + describe(process.error()));
}

void Runner::end_answers() {
    std::vector<Asking> still;
    for (Asking& asking : asking_) {
        const std::optional<int> code = asking.process.poll();
        if (!code) {
            still.push_back(std::move(asking));
        } else if (*code == 0) {
            const Result<void> marked =
                mark_answered(state_.points[asking.point].run->folder, asking.evaluation);
            if (!marked) message_(describe(marked.error()));
        } else if (!stopping()) {
            outcome_.failures.push_back(name(asking.point) + ", eval " + asking.evaluation + ": " +
                                        asking.process.last_words());
            message_(outcome_.failures.back());
        }
    }
    asking_ = std::move(still);
}

std::optional<std::size_t> Runner::next_point() {
    if (!has_room()) return std::nullopt;
    const auto may_come = [&](std::size_t point) {
        return std::find(waiting_.begin(), waiting_.end(), point) != waiting_.end() ||
               std::any_of(working_.begin(), working_.end(),
                           [&](const Working& each) { return each.point == point; });
    };
    for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
        const std::size_t point = *at;
        if (state_.points[point].state() == RunState::planned &&
            waits_for_trunk(study_.spec, state_, point, may_come))
            continue;
        waiting_.erase(at);
        return point;
    }
    return std::nullopt;
}

Result<void> Runner::check_room(const PointState& point) const {
    std::error_code ignored;
    const auto space = std::filesystem::space(study_.project.folder(), ignored);
    // One is written beside the newest before the oldest goes.
    const std::int64_t needed = 2 * checkpoint_bytes(point.planned.architecture, builtin_mixers());
    if (ignored || static_cast<std::int64_t>(space.available) > needed) return {};
    return fail(ErrorKind::no_space,
                "its checkpoints need " + bytes_text(needed) + ", and " +
                    bytes_text(static_cast<std::int64_t>(space.available)) + " are free",
                study_.project.folder(), "Make room and run the study again");
}

RunStatus Runner::seen(const RunFolder& folder, RunStatus status) const {
    if (options_.take_over && works(status.state) && status.process_elsewhere && RunLock::is_free(folder)) {
        status.state = RunState::lost;
        status.message = "its machine (" + status.process.host + ") is gone";
    }
    return status;
}

Result<RunFolder> Runner::folder_of(std::size_t point) {
    PointState& state = state_.points[point];
    if (state.run && state.state() != RunState::planned) return state.run->folder;
    const auto here = [&](RunPlan& plan) {
        plan.training.device = device_;
        plan.training.threads = slots_.threads();
        plan.branch_from = trunk_for(study_.spec, state_, point);
    };
    if (state.run) return change_planned_run(state.run->folder, here);
    RunPlan plan = run_plan_of(study_.spec, state.planned);
    here(plan);
    Result<RunFolder> made = study_.project.add_run(std::move(plan));
    if (made) state.run = RunEntry{.id = RunId(made->name()), .folder = *made};
    return made;
}

void Runner::start(std::size_t point) {
    const Result<void> room = check_room(state_.points[point]);
    const Result<RunFolder> folder = room ? folder_of(point) : fail(room.error());
    if (!folder) {
        outcome_.failures.push_back(name(point) + ": " + describe(folder.error()));
        return;
    }
    const std::optional<std::size_t> gpu = free_gpu();
    Result<EngineProcess> process = start_run(*folder, slots_.environment(gpu), options_.take_over);
    if (!process && process.error().kind != ErrorKind::busy) {
        outcome_.failures.push_back(name(point) + ": " + describe(process.error()));
        return;
    }
    Working working{.point = point,
                    .folder = *folder,
                    .gpu = gpu,
                    .process = std::nullopt,
                    .reader = RunReader(*folder, {.series = false, .events = false})};
    if (process) working.process = std::move(*process);
    working_.push_back(std::move(working));
}

void Runner::end(const Working& working) {
    PointState& point = point_of(working);
    const Result<RunStatus> status = read_run_status(working.folder);
    point.run->status = status ? seen(working.folder, *status) : RunStatus{};
    const std::string title = name(working.point);
    const RunState now = point.state();
    if (now == RunState::finished) {
        ++outcome_.finished;
        message_(title + " is done");
        plan_evaluations(working.point);
    } else if (now == RunState::cancelled) {
        ++outcome_.stopped;
        if (!working.told_to_stop) message_(title + " was stopped by somebody; it is left alone");
    } else if (now == RunState::lost && !stopping() && deaths_[working.point] < most_deaths) {
        ++deaths_[working.point];
        message_(title + " (run " + working.folder.name() +
                 "): its engine died; it goes on from its last checkpoint");
        waiting_.push_front(working.point);
    } else {
        std::string why = status ? status->message : describe(status.error());
        if (why.empty()) why = log_tail(working.folder, 600);
        outcome_.failures.push_back(title + " (run " + working.folder.name() + "): " + why);
        message_(outcome_.failures.back());
    }
}

void Runner::stop_all() {
    outcome_.interrupted = true;
    outcome_.stopped += waiting_.size();
    waiting_.clear();
    questions_.clear();
    for (const Asking& asking : asking_) signal_process(asking.process.identity(), SIGTERM);
    for (Working& working : working_) {
        if (working.told_to_stop) continue;
        working.told_to_stop = true;
        if (const auto posted = post_command(working.folder, "stop"); !posted)
            message_(describe(posted.error()));
    }
}

bool Runner::work() {
    if (stopping()) stop_all();
    std::vector<Working> all = std::move(working_);
    working_.clear();
    std::vector<Working> ended;
    for (Working& working : all) {
        RunStatus status = working.reader.poll()->status;
        if (!working.process) status = seen(working.folder, std::move(status));
        const bool is_over = working.process ? working.process->poll().has_value() : !works(status.state);
        point_of(working).run->status = status;
        (is_over ? ended : working_).push_back(std::move(working));
    }
    for (const Working& working : ended) end(working);
    end_answers();
    // Scores first: they are short, and what is finished should be complete.
    while (!stopping() && !questions_.empty() && has_room()) ask_next();
    while (!stopping()) {
        const std::optional<std::size_t> next = next_point();
        if (!next) break;
        start(*next);
    }
    return !working_.empty() || !waiting_.empty() || !asking_.empty() || !questions_.empty();
}

std::int64_t Runner::steps_done() const {
    std::int64_t steps = 0;
    for (const PointState& point : state_.points)
        if (point.run) steps += std::min(point.run->status.step.value, point.planned.training.steps);
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
    StudyProgress now{.finished = outcome_.finished, .points = outcome_.points, .stopping = stopping()};
    const std::int64_t done = steps_done();
    if (steps_total_ > 0) now.fraction = static_cast<double>(done) / static_cast<double>(steps_total_);
    now.seconds_left = seconds_left(done);
    for (const Working& working : working_)
        now.running.push_back({.label = name(working.point),
                               .status = point_of(working).run->status,
                               .steps = point_of(working).planned.training.steps});
    return now;
}

}  // namespace

Result<StudyOutcome> run_study(const OpenedStudy& study, const StudyRunOptions& options,
                               const std::function<void(const StudyProgress&)>& progress,
                               const std::function<void(const std::string&)>& message) {
    Runner runner(study, options, message);
    if (Result<void> planned = runner.plan(); !planned) return fail(std::move(planned.error()));
    while (runner.work()) {
        progress(runner.progress());
        std::this_thread::sleep_for(look_every);
    }
    progress(runner.progress());
    return runner.outcome();
}

}  // namespace braid::cli
