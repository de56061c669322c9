// What the window knows about one run at one moment: its plan, its record as last read, and curves ready to
// draw. Made on the reader thread, immutable, passed by shared_ptr.
#pragma once

#include <QMetaType>
#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/analysis/curve.h"
#include "core/analysis/eta.h"
#include "core/record/run_plan.h"
#include "core/record/run_reader.h"
#include "widgets/common/run_scores.h"

namespace braid::ui {

enum class XAxis { step, tokens, flops, time };  // FLOPs of training; seconds of training

QString runStateText(RunState state);  // "queued", "running", "paused", "done", "failed", "stopped", "lost"

struct RunMeasurements;  // run_measurements.h

struct RunView {
    RunId id;
    QString name;          // "edge-24 S1"; the id where the plan has none
    int paletteIndex = 0;  // stored with the project: colour and dash, the same in every panel
    RunFolder folder;
    std::shared_ptr<const RunPlan> plan;  // never changes; null when plan.json cannot be read
    std::shared_ptr<const RunSnapshot>
        record;                        // never null; series and events only where a view wants curves
    QString problem;                   // why it failed, is lost, or cannot be read; with what to do
    double trainingFlopsPerToken = 0;  // FLOPs axis = tokens x this
    std::optional<Eta> eta;            // of a running one
    RunScoresPointer scores;           // of its checkpoints; null: none
    std::shared_ptr<const RunMeasurements> measurements;  // of its checkpoints; null: none

    // Of every metric on the axes that a view asked for with ProjectSession::wantCurves().
    std::map<std::pair<XAxis, std::string>, CurvePtr> curves;

    RunState state() const { return record->status.state; }
    std::int64_t step() const { return record->status.step.value; }
    std::int64_t steps() const { return plan ? total_steps(*plan) : 0; }
    double progress() const { return steps() > 0 ? double(step()) / double(steps()) : 0; }
    double tokensPerStep() const { return plan ? double(plan->training.tokens_per_step()) : 0; }
    double tokens() const { return tokensAt(step()); }
    double tokensAt(std::int64_t step) const {
        return plan ? double(tokens_after(plan->training, plan->phases, Step(step)).value) : 0;
    }
    QString study() const { return plan ? QString::fromStdString(plan->study.str()) : QString(); }
    bool active() const { return state() == RunState::running || state() == RunState::paused; }
    bool resumable() const {
        return state() == RunState::lost || state() == RunState::failed || state() == RunState::cancelled;
    }
    // Last value of a metric: "loss", "lr", "grad_norm", "tokens_per_s", "time_s", "recall/far", ...; of a
    // score ("score/niah/niah-average") that of the last checkpoint scored.
    std::optional<double> latest(const std::string& metric) const;
    // How many places each accuracy is the mean over, where the engine has recorded it.
    std::map<std::string, std::int64_t> queries() const;
    // Null: not asked for, or no such metric.
    CurvePtr curve(const std::string& metric, XAxis axis = XAxis::step) const;
    // Value of a step on an axis.
    double onAxis(std::int64_t step, XAxis axis) const;
};

// What an axis in FLOPs multiplies tokens by; 0 for an architecture that is not valid.
double training_flops_per_token(const RunPlan& plan);

using RunPointer = std::shared_ptr<const RunView>;

}  // namespace braid::ui

Q_DECLARE_METATYPE(braid::ui::RunPointer)
