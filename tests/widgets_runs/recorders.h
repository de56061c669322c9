// A shell and run commands that write down what they were asked for.
#pragma once

#include <QStringList>
#include <functional>
#include <vector>

#include "widgets/common/run_commands.h"
#include "widgets/common/workspace.h"

namespace braid::ui {

class RecordedCommands : public RunCommands {
public:
    void startTraining(const TrainingPlan& plan) override { plans.push_back(plan); }
    void startStudy(const QString& name) override { calls << QStringLiteral("start study ") + name; }
    void startStudyAt(const QString&, const QString&) override {}
    void stopStudy(const QString& name) override { calls << QStringLiteral("stop study ") + name; }
    bool isStudyRunning(const QString&) const override { return false; }
    void pause(const RunId& run) override { note("pause", run); }
    void resume(const RunId& run) override { note("resume", run); }
    void checkpoint(const RunId& run) override { note("checkpoint", run); }
    void stop(const RunId& run) override { note("stop", run); }
    void resumeLost(const RunId& run) override { note("resume lost", run); }
    QString unavailableReason() const override { return {}; }
    QString commandFor(const TrainingPlan&) const override { return {}; }
    QString commandForStudy(const QString&) const override { return {}; }
    void startScore(const ScoreRequest&) override {}
    void cancelScore(int) override {}
    QString commandForScore(const ScoreRequest&) const override { return {}; }

    QStringList calls;
    std::vector<TrainingPlan> plans;

private:
    void note(const char* what, const RunId& run) {
        calls << QLatin1String(what) + QLatin1Char(' ') + QString::fromStdString(run.str());
    }
};

class RecordedShell : public Shell {
public:
    void notify(const QString&, const QString& text, const QString&, std::function<void()> action) override {
        toasts << text;
        lastAction = std::move(action);
    }
    void showStatus(const QString& text) override { statuses << text; }
    void showWorkspace(const QString& id) override { shown << id; }
    bool hasWorkspace(const QString&) const override { return true; }
    void setProblems(const QString&, int count, std::function<void()>) override { problems = count; }

    QStringList toasts, statuses, shown;
    std::function<void()> lastAction;
    int problems = 0;
};

}  // namespace braid::ui
