#include "app/workbench/launch_worker.h"

#include <QTimer>
#include <csignal>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/mixers/builtin.h"
#include "core/record/checkpoint_list.h"
#include "core/record/inbox.h"
#include "core/record/run_status.h"
#include "core/spec/data_kinds.h"
#include "core/spec/validate.h"
#include "widgets/common/process_json.h"

namespace braid::ui {

namespace fs = std::filesystem;

namespace {

constexpr int poll_ms = 250;

// 130: interrupted, with its work saved.
bool isFailure(int code) { return code != 0 && code != 130; }

// A process that ended before it could record why, in its own words: no LibTorch, say.
Error endedBadly(const std::string& what, int code, std::string words, const std::string& log) {
    while (words.ends_with('\n')) words.pop_back();
    // The engine ends with its error, after whatever else it had to tell.
    constexpr std::string_view sign = "braid-engine: ";
    if (const std::size_t at = words.rfind(sign); at != std::string::npos) words.erase(0, at + sign.size());
    return {.kind = ErrorKind::internal,
            .message = what + (words.empty() ? " ended with code " + std::to_string(code) : ": " + words),
            .path = {},
            .hint = "All of it: " + log};
}

// "RUN" or "RUN@STEP" as the checkpoint it names.
Result<WeightsOrigin> originOf(const Project& project, const QString& text) {
    const QString id = text.section(QLatin1Char('@'), 0, 0);
    std::optional<Step> step;
    if (text.contains(QLatin1Char('@'))) {
        bool good = false;
        const qint64 number = text.section(QLatin1Char('@'), 1).toLongLong(&good);
        if (!good)
            return fail(ErrorKind::invalid_input, "must be RUN or RUN@STEP, got " + text.toStdString());
        step = Step(number);
    }
    const Result<RunFolder> run = project.find_run(id.toStdString());
    if (!run) return fail(run.error());
    Result<WeightsOrigin> origin = find_run_checkpoint(*run, step);
    if (!origin) return origin;
    const std::string file = origin->folder + "/architecture.json";
    const Result<Json> json = read_json(file);
    if (!json) return fail(json.error());
    const Checked<ArchitectureSpec> architecture = architecture_from_json(*json);
    if (!architecture) return fail(to_error(architecture.error(), file));
    origin->architecture_hash = content_hash(*architecture, builtin_mixers());
    return origin;
}

// The window shows by itself what the run store says about an engine.
bool isRecorded(const ProcessIdentity& engine, const RunFolder& run) {
    const Result<RunStatus> status = read_run_status(run);
    return status && status->process == engine;
}

}  // namespace

LaunchWorker::LaunchWorker() : scores_(new ScoreQueue(this)) {
    connect(scores_, &ScoreQueue::changed, this, &LaunchWorker::scoreJobChanged);
    connect(scores_, &ScoreQueue::failed, this, &LaunchWorker::failed);
}

LaunchWorker::~LaunchWorker() = default;

std::string LaunchWorker::studyFile(const std::string& name) const {
    return project_->folder() + "/studies/." + name + ".process.json";
}

void LaunchWorker::setProject(const QString& folder) {
    project_.reset();
    studies_.clear();
    if (!timer_) {
        timer_ = new QTimer(this);
        connect(timer_, &QTimer::timeout, this, &LaunchWorker::poll);
        timer_->start(poll_ms);
    }
    Result<Project> project = Project::open(folder.toStdString());
    if (!project) return;  // the session says so
    project_ = std::move(*project);
    for (const ProjectDocument& study : project_->documents(DocumentKind::study)) {
        const Result<Json> json = read_json(studyFile(study.name));
        if (!json) continue;
        const auto process = processFromJson(*json);
        if (!process || look_up(*process) != ProcessState::alive) continue;
        studies_[study.name] = *process;
        Q_EMIT studyRunning(QString::fromStdString(study.name), true);
    }
}

void LaunchWorker::setJobs(int jobs) { queue_->set_at_once(jobs); }

void LaunchWorker::startScore(const ScoreJob& job, const RunFolder& folder) {
    if (project_) scores_->add(job, folder, QString::fromStdString(project_->folder()));
}

void LaunchWorker::cancelScore(int job) { scores_->cancel(job); }

void LaunchWorker::startRun(RunPlan plan, const QString& from) {
    if (!project_) return;
    if (!from.isEmpty()) {
        Result<WeightsOrigin> origin = originOf(*project_, from);
        if (!origin) {
            Q_EMIT failed(origin.error());
            return;
        }
        plan.weights_from = std::move(*origin);
    }
    Diagnostics problems = validate(plan.architecture, builtin_mixers());
    for (Diagnostic& problem : validate(plan.training)) problems.push_back(std::move(problem));
    for (Diagnostic& problem : validate(plan.data, plan.training)) problems.push_back(std::move(problem));
    if (problems.empty())
        if (const auto phases =
                resolve_phases(plan.architecture, plan.training, plan.data, plan.phases, builtin_mixers());
            !phases)
            problems = phases.error();
    if (!problems.empty()) {
        Q_EMIT failed(to_error(problems));
        return;
    }
    const Result<RunFolder> folder = project_->add_run(plan);
    if (!folder) {
        Q_EMIT failed(folder.error());
        return;
    }
    Q_EMIT runMade(RunId(folder->name()));
    queue_->add(*folder);
    poll();
}

void LaunchWorker::resumeRun(const RunFolder& folder) {
    queue_->add(folder);
    poll();
}

void LaunchWorker::startStudy(const QString& name, const QString& firstRule) {
    if (!project_ || studies_.contains(name.toStdString())) return;
    std::vector<std::string> options;
    if (!firstRule.isEmpty()) options = {"--first", firstRule.toStdString()};
    Result<EngineProcess> process = start_study(project_->folder(), name.toStdString(), options);
    if (!process) {
        Q_EMIT failed(process.error());
        return;
    }
    const std::string key = name.toStdString();
    studies_[key] = process->identity();
    // So that a window opened later knows it, too.
    if (Result<void> written = write_json_atomically(studyFile(key), processToJson(process->identity()));
        !written) {
        log_warning(describe(written.error()));
    }
    ours_.insert_or_assign(key, std::move(*process));
    Q_EMIT studyRunning(name, true);
}

void LaunchWorker::stopStudy(const QString& name) {
    const auto found = studies_.find(name.toStdString());
    // The runner stops its runs, which write their checkpoints, and ends.
    if (found != studies_.end()) signal_process(found->second, SIGTERM);
}

void LaunchWorker::post(const RunFolder& folder, const std::string& kind) {
    const Result<std::string> id = post_command(folder, kind);
    if (id) {
        Q_EMIT posted(QString::fromStdString(kind), *id);
    } else {
        Q_EMIT failed(id.error());
    }
}

void LaunchWorker::stopRun(const RunFolder& folder) {
    if (!queue_->remove(folder)) Q_EMIT stopEngine(folder);
}

void LaunchWorker::poll() {
    scores_->poll();
    for (const QueueItem& item : queue_->poll()) {
        if (item.error) Q_EMIT failed(*item.error);
        if (item.state == QueueItem::State::ended && isFailure(item.exit_code) &&
            !isRecorded(item.process, item.folder))
            Q_EMIT failed(endedBadly("run " + item.folder.name(), item.exit_code, item.last_words,
                                     item.folder.log_file()));
    }
    for (auto it = studies_.begin(); it != studies_.end();) {
        const auto ours = ours_.find(it->first);
        const std::optional<int> ended =
            ours != ours_.end()
                ? ours->second.poll()
                : (look_up(it->second) == ProcessState::alive ? std::nullopt : std::optional(0));
        if (!ended) {
            ++it;
            continue;
        }
        const std::string name = it->first;
        const std::string words = ours != ours_.end() ? ours->second.last_words() : std::string();
        it = studies_.erase(it);
        ours_.erase(name);
        if (project_) {
            std::error_code ignored;
            fs::remove(studyFile(name), ignored);
        }
        if (project_ && isFailure(*ended))
            Q_EMIT failed(
                endedBadly("study " + name, *ended, words, project_->folder() + "/studies/" + name + ".log"));
        Q_EMIT studyRunning(QString::fromStdString(name), false);
    }
}

}  // namespace braid::ui
