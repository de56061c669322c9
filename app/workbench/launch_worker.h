// The thread behind RunController: makes run folders, starts engines, keeps the queue.
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/workbench/score_queue.h"
#include "core/launch/launcher.h"
#include "core/launch/local_queue.h"
#include "core/record/project.h"

class QTimer;

namespace braid::ui {

class LaunchWorker : public QObject {
    Q_OBJECT

public:
    LaunchWorker();
    ~LaunchWorker() override;

    // Also picks up studies that an earlier window started and that still work.
    void setProject(const QString& folder);
    void setJobs(int jobs);
    // `from`: "RUN" or "RUN@STEP", whose weights it starts with; empty: fresh weights.
    void startRun(RunPlan plan, const QString& from);
    void resumeRun(const RunFolder& folder);  // queued like a new one
    // `firstRule`: points that are trained before the others; empty: in the study's order.
    void startStudy(const QString& name, const QString& firstRule = {});
    void stopStudy(const QString& name);
    void post(const RunFolder& folder, const std::string& kind);
    // Stops a run that waits here; otherwise asks the caller to stop the engine.
    void stopRun(const RunFolder& folder);
    void startScore(const ScoreJob& job, const RunFolder& folder);
    void cancelScore(int job);

Q_SIGNALS:
    void runMade(const braid::RunId& id);
    void posted(const QString& kind, const std::string& commandId);
    void stopEngine(const braid::RunFolder& folder);
    void studyRunning(const QString& name, bool running);
    void scoreJobChanged(const braid::ui::ScoreJob& job);
    void failed(const braid::Error& error);

private:
    void poll();
    std::string studyFile(const std::string& name) const;

    std::optional<Project> project_;
    std::unique_ptr<LocalQueue> queue_ = std::make_unique<LocalQueue>(1);
    std::map<std::string, ProcessIdentity> studies_;  // those that work
    std::map<std::string, EngineProcess> ours_;       // started by this window: reaped here
    ScoreQueue* scores_;
    QTimer* timer_ = nullptr;
};

}  // namespace braid::ui
