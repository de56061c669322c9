// One attempt at a run: from the checkpoint it goes on from to its end, a stop or a failure. The part of
// training_run.h that works on an open RunWriter.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/checkpoint.h"
#include "core/engine/parallel/rank_group.h"
#include "core/engine/run_control.h"
#include "core/engine/step_clock.h"
#include "core/engine/trainer.h"
#include "core/engine/training_run.h"
#include "core/record/run_plan.h"
#include "core/record/run_writer.h"

namespace braid {

class TrainingAttempt {
public:
    // All of them outlive the attempt; `ranks` may be null.
    TrainingAttempt(RunWriter& writer, const RunPlan& plan, const TrainingOptions& options,
                    RankChannel* ranks)
        : writer_(writer), plan_(plan), options_(options) {
        if (ranks != nullptr) ranks_.emplace(*ranks);
    }

    // Weights, data and the last good checkpoint; the step whose rows it goes on from (0 also for a branch
    // that begins). Nothing is recorded yet.
    Result<Step> prepare();
    // After RunWriter::begin_attempt().
    Result<TrainingOutcome> train();
    // "the last good checkpoint is step 40", for messages.
    std::string last_good() const;

private:
    struct Note {
        LogLevel level;
        std::string kind, text;
    };

    static std::string step_text(Step step) { return "step " + std::to_string(step.value); }
    Result<void> build();
    void note_phase();
    void note_kernels();
    void note_memory();
    Result<void> train_to_the_end();
    Result<void> advance();
    void record_step(const StepResult& step);
    void settle();  // records the step in flight
    // The failure, once the row of the step in flight is recorded.
    Result<void> after_what_is_done(Result<void> failure);
    // After a row of steps that are not finite.
    Result<void> still_finite() const;
    bool saves_at(Step step) const;
    Result<void> evaluate();
    Result<void> save(CheckpointParts parts = CheckpointParts::all);
    Result<void> record_checkpoint(Step step, std::int64_t bytes);  // a checkpoint to resume from
    void try_to_save();
    bool is_kept(Step step) const;
    bool is_traced(Step step) const;
    void try_to_trace();
    void remove_later_traces();  // of an earlier attempt
    void remove_old_checkpoints();
    bool go_on();
    void obey(const InboxCommand& command);
    void wait_while_paused();
    void report(RunState state);
    // Of the step that is given, else of the trainer's.
    void note(LogLevel level, const std::string& kind, const std::string& text,
              std::optional<Step> of = std::nullopt);
    TrainingOutcome outcome(RunState state) const;
    bool evaluation_is_due() const;
    Result<void> open_device();
    Result<Step> find_start();
    Result<void> share_start(Step from);
    // To the other ranks, where there are some.
    void order(std::string_view command);
    Result<void> compare_ranks();
    bool at_the_end() const { return trainer_->step() >= trainer_->steps(); }

    RunWriter& writer_;
    const RunPlan& plan_;
    const TrainingOptions& options_;
    std::vector<Note> early_notes_;  // of before the attempt was begun
    std::unique_ptr<RunControl> control_;
    std::shared_ptr<Ops> ops_;
    std::optional<RankGroup> ranks_;  // absent: we are alone
    std::unique_ptr<Trainer> trainer_;
    StepClock clock_;
    Step recorded_;                          // the last step with a row
    std::string noted_way_;                  // of Trainer::step_way()
    std::string noted_memory_;               // of Trainer::activation_plan()
    std::size_t noted_kernels_ = 0;          // of Ops::kernels_used()
    std::vector<std::string> head_metrics_;  // of Model::query_heads()
    bool branches_ = false;                  // from another run, in this attempt
    std::optional<Step> saved_;              // the last one that can be resumed from
    std::vector<std::int64_t> trace_steps_;  // ascending
    double loss_ = 0;
    std::map<std::string, double> evaluation_;
    int bad_steps_ = 0;
    bool advancing_ = false;  // inside Trainer::advance()
    bool paused_ = false;
    bool stopping_ = false;
    std::vector<std::string> stop_commands_;
};

}  // namespace braid
