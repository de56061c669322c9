// Stands in for the main program: what a workspace asks for is written down.
#pragma once

#include <QStringList>

#include "widgets/common/command_registry.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"
#include "widgets/common/workspace.h"

namespace braid::ui {

class RecordingCommands : public RunCommands {
public:
    void startTraining(const TrainingPlan& plan) override { asked << QStringLiteral("train ") + plan.name; }
    void startStudy(const QString& name) override { asked << QStringLiteral("study ") + name; }
    void startStudyAt(const QString& name, const QString& rule) override {
        asked << QStringLiteral("study ") + name + QStringLiteral(" first ") + rule;
    }
    void stopStudy(const QString& name) override { asked << QStringLiteral("stop-study ") + name; }
    bool isStudyRunning(const QString&) const override { return studyRunning; }
    void pause(const RunId& run) override { note("pause", run); }
    void resume(const RunId& run) override { note("resume", run); }
    void checkpoint(const RunId& run) override { note("checkpoint", run); }
    void stop(const RunId& run) override { note("stop", run); }
    void resumeLost(const RunId& run) override { note("resume-lost", run); }
    QString unavailableReason() const override { return unavailable; }
    QString commandFor(const TrainingPlan&) const override { return {}; }
    QString commandForStudy(const QString& name) const override {
        return QStringLiteral("braid-engine study run ") + name;
    }
    void startScore(const ScoreRequest& request) override {
        scores.push_back(request);
        note("score", request.run);
    }
    void cancelScore(int job) override { asked << QStringLiteral("cancel-score %1").arg(job); }
    QString commandForScore(const ScoreRequest& request) const override {
        return QStringLiteral("braid-engine eval %1 %2@%3 %4")
            .arg(request.kind, QString::fromStdString(request.run.str()))
            .arg(request.step)
            .arg(request.options.join(QLatin1Char(' ')));
    }

    QStringList asked;
    std::vector<ScoreRequest> scores;
    QString unavailable;
    bool studyRunning = false;

private:
    void note(const char* verb, const RunId& run) {
        asked << QLatin1String(verb) + QLatin1Char(' ') + QString::fromStdString(run.str());
    }
};

class RecordingShell : public Shell {
public:
    void notify(const QString&, const QString& text, const QString&, std::function<void()>) override {
        said << text;
    }
    void showStatus(const QString& text) override { said << text; }
    void showWorkspace(const QString& id) override { shown << id; }
    bool hasWorkspace(const QString&) const override { return true; }
    void setProblems(const QString&, int, std::function<void()>) override {}
    QStringList said, shown;
};

}  // namespace braid::ui
