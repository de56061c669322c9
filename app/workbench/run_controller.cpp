#include "app/workbench/run_controller.h"

#include <QDateTime>
#include <QMetaObject>
#include <QSettings>

#include "app/workbench/command_text.h"
#include "app/workbench/launch_worker.h"
#include "core/launch/launcher.h"
#include "widgets/common/run_list_model.h"

namespace braid::ui {

RunController::RunController(ProjectSession& session, QObject* parent)
    : RunCommands(parent), session_(session), worker_(new LaunchWorker) {
    if (const Result<std::string> engine = find_engine(); !engine) {
        unavailable_ = QString::fromStdString(describe(engine.error()));
    }
    worker_->moveToThread(&thread_);
    connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    connect(worker_, &LaunchWorker::failed, this, &RunCommands::failed);
    connect(worker_, &LaunchWorker::runMade, this, [this](const RunId& id) {
        session_.refresh();
        Q_EMIT started(id);
    });
    connect(worker_, &LaunchWorker::posted, this, [this](const QString& kind, const std::string& id) {
        const auto waiting = unanswered_.find("new " + kind.toStdString());
        if (waiting == unanswered_.end()) return;
        unanswered_[id] = waiting->second;
        unanswered_.erase(waiting);
    });
    connect(worker_, &LaunchWorker::stopEngine, this, [this](const RunFolder& folder) {
        stoppers_.start([this, folder] {
            const Result<void> stopped = stop_run(folder);
            if (stopped) return;
            QMetaObject::invokeMethod(this, [this, error = stopped.error()] { Q_EMIT failed(error); });
        });
    });
    connect(worker_, &LaunchWorker::studyRunning, this, [this](const QString& name, bool running) {
        if (running) {
            runningStudies_.insert(name);
        } else {
            runningStudies_.erase(name);
        }
        session_.refresh();
        Q_EMIT studyStateChanged(name);
    });
    connect(worker_, &LaunchWorker::scoreJobChanged, this, [this](const ScoreJob& job) {
        if (job.state == ScoreJob::State::done) session_.refresh();
        Q_EMIT scoreJobChanged(job);
    });
    connect(&session_, &ProjectSession::opened, this, &RunController::opened);
    connect(&session_, &ProjectSession::runChanged, this, &RunController::watchAnswers);
    thread_.setObjectName(QStringLiteral("launcher"));
    thread_.start();
}

RunController::~RunController() {
    thread_.quit();
    thread_.wait();
    stoppers_.waitForDone();
}

void RunController::opened() {
    runningStudies_.clear();
    unanswered_.clear();
    QMetaObject::invokeMethod(worker_, [w = worker_, folder = session_.folder()] { w->setProject(folder); });
}

void RunController::setJobs(int jobs) {
    QMetaObject::invokeMethod(worker_, [w = worker_, jobs] { w->setJobs(jobs); });
}

void RunController::startTraining(const TrainingPlan& plan) {
    RunPlan run{.id = {},
                .name = plan.name.toStdString(),
                .architecture = plan.architecture,
                .training = plan.training,
                .data = plan.data,
                .phases = plan.phases,
                .created = {},
                .study = StudyId(plan.study.toStdString()),
                .point = {},
                .command = commandFor(plan).toStdString()};
    QMetaObject::invokeMethod(
        worker_, [w = worker_, run = std::move(run), from = plan.from] { w->startRun(run, from); });
}

void RunController::startStudy(const QString& name) { startStudyAt(name, {}); }

void RunController::startStudyAt(const QString& name, const QString& firstRule) {
    QMetaObject::invokeMethod(worker_, [w = worker_, name, firstRule] { w->startStudy(name, firstRule); });
}

void RunController::stopStudy(const QString& name) {
    QMetaObject::invokeMethod(worker_, [w = worker_, name] { w->stopStudy(name); });
    // Runs of a runner that we do not know (started elsewhere) are asked one by one.
    if (runningStudies_.contains(name)) return;
    for (const RunPointer& run : session_.runsOfStudy(name)) {
        if (run->active()) stop(run->id);
    }
}

bool RunController::isStudyRunning(const QString& name) const {
    if (runningStudies_.contains(name)) return true;
    const StudyEntry* study = session_.study(name);
    return study && study->active > 0;
}

void RunController::post(const RunId& id, const std::string& kind, const QString& said) {
    const RunPointer run = session_.run(id);
    if (!run) return;
    unanswered_["new " + kind] = said.arg(run->name);
    QMetaObject::invokeMethod(worker_, [w = worker_, folder = run->folder, kind] { w->post(folder, kind); });
}

void RunController::pause(const RunId& run) { post(run, "pause", tr("%1: pause")); }
void RunController::resume(const RunId& run) { post(run, "resume", tr("%1: resume")); }
void RunController::checkpoint(const RunId& run) { post(run, "checkpoint", tr("%1: checkpoint")); }

void RunController::stop(const RunId& id) {
    const RunPointer run = session_.run(id);
    if (!run) return;
    QMetaObject::invokeMethod(worker_, [w = worker_, folder = run->folder] { w->stopRun(folder); });
}

void RunController::resumeLost(const RunId& id) {
    const RunPointer run = session_.run(id);
    if (!run) return;
    QMetaObject::invokeMethod(worker_, [w = worker_, folder = run->folder] { w->resumeRun(folder); });
}

// An engine acknowledges a command in run.db; how long that took is worth a word.
void RunController::watchAnswers(const RunPointer& run) {
    if (unanswered_.empty()) return;
    for (const CommandRecord& command : run->record->commands) {
        const auto found = unanswered_.find(command.id);
        if (found == unanswered_.end() || command.acknowledged.empty()) continue;
        const auto received =
            QDateTime::fromString(QString::fromStdString(command.received), Qt::ISODateWithMs);
        const auto answered =
            QDateTime::fromString(QString::fromStdString(command.acknowledged), Qt::ISODateWithMs);
        const qint64 took = std::max<qint64>(0, received.msecsTo(answered));
        const QString answer = QString::fromStdString(command.answer);
        Q_EMIT done(answer.isEmpty() ? tr("%1 acknowledged after %2 ms").arg(found->second).arg(took)
                                     : tr("%1: %2").arg(found->second, answer));
        unanswered_.erase(found);
    }
}

void RunController::startScore(const ScoreRequest& request) {
    const RunPointer run = session_.run(request.run);
    if (!run) return;
    ScoreJob job{.id = ++lastScore_, .request = request};
    QMetaObject::invokeMethod(worker_,
                              [w = worker_, job, folder = run->folder] { w->startScore(job, folder); });
}

void RunController::cancelScore(int job) {
    QMetaObject::invokeMethod(worker_, [w = worker_, job] { w->cancelScore(job); });
}

QString RunController::commandForScore(const ScoreRequest& request) const {
    QStringList words{QStringLiteral("braid-engine")};
    for (const QString& word : scoreWords(request, session_.folder())) words << shellQuoted(word);
    return words.join(QLatin1Char(' '));
}

QString RunController::unavailableReason() const { return unavailable_; }

QString RunController::commandFor(const TrainingPlan& plan) const {
    return trainCommand(plan, session_.folder(),
                        session_.architecture(QString::fromStdString(plan.architecture.name)));
}

QString RunController::commandForStudy(const QString& name) const {
    return QStringLiteral("braid-engine study run %1 --project %2")
        .arg(shellQuoted(name), shellQuoted(session_.folder()));
}

}  // namespace braid::ui
