// What the window knows about one run at one moment. Made on the reader thread, immutable, passed by
// shared_ptr.
#pragma once

#include <QDateTime>
#include <QMetaType>
#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/spec/architecture.h"
#include "core/spec/training.h"
#include "widgets/common/curve.h"

namespace braid::ui {

enum class RunState { planned, running, paused, finished, failed, cancelled, lost };
QString runStateText(RunState state);  // "queued", "running", "paused", "done", "failed", "stopped", "lost"

struct RunEvent {
    QDateTime time;
    QString kind;  // "info", "checkpoint", "evaluation", "warning", "error", "command"
    QString text;
    std::int64_t step = -1;  // -1: none
};

struct RunSnapshot {
    RunId id;
    QString name;  // "edge-24 S1"; the id where it has none
    QString folder;
    QString study;         // name of the study, or empty
    int paletteIndex = 0;  // stored with the project: colour and dash in every panel
    RunState state = RunState::planned;
    QString problem;  // why it failed, in words; with hint

    // The plan, unchanged through the life of a run. Null when plan.json cannot be read.
    std::shared_ptr<const ArchitectureSpec> architecture;
    std::shared_ptr<const TrainingSpec> training;
    std::shared_ptr<const DataSpec> data;
    double trainingFlopsPerToken = 0;  // for the FLOPs axis: FLOPs = tokens x this

    std::int64_t step = 0, steps = 0;
    double tokens = 0;
    std::optional<double> loss, tokensPerSecond;
    double trainingSeconds = 0;                         // of the work itself, without pauses
    std::optional<double> etaSeconds, etaRangeSeconds;  // 01:12 +- 8 s
    QString device;                                     // "cpu", "cuda:0"
    QDateTime created, started, changed;
    std::int64_t lastCheckpointStep = -1;
    QDateTime lastCheckpointTime;
    std::vector<std::int64_t> restartSteps;  // where attempts 2, 3, ... began

    // Latest value of every metric, always; whole curves only of runs that a view asked for with
    // ProjectSession::wantCurves(). Names: "loss", "lr", "grad_norm", "tokens_per_s", "recall/far", ...
    std::map<std::string, double> latest;
    std::map<std::string, Curve> curves;
    bool hasCurves = false;
    std::shared_ptr<const std::vector<RunEvent>> events;  // newest last; null without curves

    double progress() const { return steps > 0 ? double(step) / double(steps) : 0; }
    double tokensPerStep() const { return training ? double(training->tokens_per_step()) : 0; }
    bool active() const { return state == RunState::running || state == RunState::paused; }
    bool resumable() const {
        return state == RunState::lost || state == RunState::failed || state == RunState::cancelled;
    }
    const Curve* curve(const std::string& metric) const {
        const auto found = curves.find(metric);
        return found == curves.end() ? nullptr : &found->second;
    }
};

using RunPointer = std::shared_ptr<const RunSnapshot>;

}  // namespace braid::ui

Q_DECLARE_METATYPE(braid::ui::RunPointer)
