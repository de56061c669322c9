// What a workspace may ask of runs. The main program implements it with core/launch; tests implement it with
// a recorder. Calls return at once; what comes of them is reported by the implementation (toast, status bar)
// and seen in the runs themselves.
#pragma once

#include <QMetaType>
#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>

#include "core/base/error.h"
#include "core/spec/architecture.h"
#include "core/spec/phases.h"
#include "core/spec/training.h"

namespace braid::ui {

struct TrainingPlan {
    QString name;  // shown; may be empty
    ArchitectureSpec architecture;
    TrainingSpec training;
    DataSpec data;
    std::vector<TrainingPhase> phases = {};  // after the one that `training` describes
    QString from;   // checkpoint whose weights it starts from: "RUN", "RUN@STEP"; empty: fresh
    QString study;  // empty: none
};

// `braid-engine eval KIND RUN@STEP OPTIONS`, or measure in place of eval.
struct ScoreRequest {
    RunId run = {};
    std::int64_t step = 0;     // of a checkpoint of the run
    QString kind = {};         // "niah"
    QStringList options = {};  // the words behind the checkpoint
    enum class Verb { eval, measure } verb = Verb::eval;
    bool isMeasurement() const { return verb == Verb::measure; }
};

// A score that is being computed, or waits for it.
struct ScoreJob {
    enum class State { waiting, running, done, failed, cancelled };
    int id = 0;
    ScoreRequest request = {};
    State state = State::waiting;
    double fraction = -1;  // 0 to 1; negative: not known yet
    QString text = {};     // how far it is, or why it failed
    bool active() const { return state == State::waiting || state == State::running; }
};

class RunCommands : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    virtual void startTraining(const TrainingPlan& plan) = 0;
    virtual void startStudy(const QString& name) = 0;  // starts or continues: finished runs are kept
    // The points that a rule means ("scale=S1, budget=100") before the others.
    virtual void startStudyAt(const QString& name, const QString& firstRule) = 0;
    virtual void stopStudy(const QString& name) = 0;
    virtual bool isStudyRunning(const QString& name) const = 0;
    virtual void pause(const RunId& run) = 0;
    virtual void resume(const RunId& run) = 0;  // of a paused run
    virtual void checkpoint(const RunId& run) = 0;
    virtual void stop(const RunId& run) = 0;
    // Lost, failed or stopped: a new attempt from its last checkpoint. Planned: starts it.
    virtual void resumeLost(const RunId& run) = 0;
    // Reason why nothing can be started now ("braid-engine not found ..."); empty: all is well.
    virtual QString unavailableReason() const = 0;
    // braid-engine line that does the same as startTraining() or startStudy().
    virtual QString commandFor(const TrainingPlan& plan) const = 0;
    virtual QString commandForStudy(const QString& name) const = 0;
    // Computes a score or a measurement in the background, one after the other; the session shows it when it
    // is written. Answers by scoreJobChanged().
    virtual void startScore(const ScoreRequest& request) = 0;
    virtual void cancelScore(int job) = 0;
    virtual QString commandForScore(const ScoreRequest& request) const = 0;

Q_SIGNALS:
    void started(const braid::RunId& run);
    void studyStateChanged(const QString& name);
    void scoreJobChanged(const braid::ui::ScoreJob& job);
    // Any request that could not be done; the shell shows it.
    void failed(const braid::Error& error);
    // Short good news: "Stop acknowledged after 84 ms".
    void done(const QString& message);
};

}  // namespace braid::ui

Q_DECLARE_METATYPE(braid::ui::ScoreJob)
