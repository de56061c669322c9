// Starts, pauses and stops runs for the window. Everything that touches disk or processes happens in a thread
// of its own; engines are sessions of their own and outlive the window.
#pragma once

#include <QElapsedTimer>
#include <QThread>
#include <QThreadPool>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"

namespace braid::ui {

class LaunchWorker;

class RunController : public RunCommands {
    Q_OBJECT

public:
    explicit RunController(ProjectSession& session, QObject* parent = nullptr);
    ~RunController() override;

    // Runs that train at the same time on this machine; the rest waits in order.
    void setJobs(int jobs);

    void startTraining(const TrainingPlan& plan) override;
    void startStudy(const QString& name) override;
    void startStudyAt(const QString& name, const QString& firstRule) override;
    void stopStudy(const QString& name) override;
    bool isStudyRunning(const QString& name) const override;
    void pause(const RunId& run) override;
    void resume(const RunId& run) override;
    void checkpoint(const RunId& run) override;
    void stop(const RunId& run) override;
    void resumeLost(const RunId& run) override;
    QString unavailableReason() const override;
    QString commandFor(const TrainingPlan& plan) const override;
    QString commandForStudy(const QString& name) const override;
    void startScore(const ScoreRequest& request) override;
    void cancelScore(int job) override;
    QString commandForScore(const ScoreRequest& request) const override;

private:
    void post(const RunId& run, const std::string& kind, const QString& said);
    void watchAnswers(const RunPointer& run);
    void opened();

    ProjectSession& session_;
    QThread thread_;
    LaunchWorker* worker_;
    QThreadPool stoppers_;  // waiting for an engine to end takes a while
    QString unavailable_;
    int lastScore_ = 0;
    std::set<QString> runningStudies_;
    // Commands that no engine has answered yet: what to say when it has.
    std::map<std::string, QString> unanswered_;
};

}  // namespace braid::ui
