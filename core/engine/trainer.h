// A model in training, without a run folder: one optimizer step after the other, evaluation, and its complete
// state. core/engine/training_run.h records it.
//
// Functions may throw what ATen throws (out of memory); the public entry is guarded (core/engine/guard.h).
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/data/batch.h"
#include "core/engine/model.h"
#include "core/engine/optimizer.h"
#include "core/engine/step_numbers.h"
#include "core/engine/step_runner.h"
#include "core/spec/architecture.h"
#include "core/spec/phases.h"
#include "core/spec/training.h"

namespace braid {

class Collective;
class GradientSum;

struct TrainerSetup {
    ArchitectureSpec architecture;
    TrainingSpec training;
    DataSpec data;
    std::vector<TrainingPhase> phases = {};  // after the one of `training`
    std::string project_folder = {};         // where a relative corpus path starts
};

// Everything wrong with a setup that can be known without Torch and without opening a corpus.
Diagnostics validate(const TrainerSetup& setup);

struct StepResult {
    Step step = {};          // optimizer steps done, this one included
    TokenCount tokens = {};  // trained on, this step included
    double loss = 0;         // mean over the targets of the batch, nats, before the update
    double grad_norm = 0;    // before clipping
    double learning_rate = 0;
    bool applied = true;  // false: loss or gradient was not finite, the weights were left alone
    std::vector<double> head_norms = {};  // of Model::query_heads(), at steps where they are asked for
};

class Trainer {
public:
    // Fresh weights. With `ranks`, which outlives the trainer, this is one of several: each computes its part
    // of every micro-batch, and what follows is the same in all of them. Errors: invalid_input (all
    // problems), unavailable, corrupt corpus, out_of_memory.
    static Result<std::unique_ptr<Trainer>> create(TrainerSetup setup, std::shared_ptr<Ops> ops,
                                                   Collective* ranks = nullptr);
    ~Trainer();

    const TrainerSetup& setup() const { return setup_; }
    Model& model() { return *model_; }
    const Model& model() const { return *model_; }
    const Optimizer& optimizer() const { return *optimizer_; }
    Optimizer& optimizer() { return *optimizer_; }
    const DataSource& data() const { return *data_; }

    Step step() const { return step_; }
    Step steps() const { return total_steps(phases_); }                 // of the whole run
    TokenCount tokens() const { return tokens_after(phases_, step_); }  // trained on so far

    // The phase of the step that was done last (before the first step: the first); inside advance() that of
    // the step which is being done.
    const ResolvedPhase& phase() const { return phases_[phase_]; }
    std::size_t phase_index() const { return phase_; }
    // What a checkpoint of step() belongs to, also while the first step of the next phase is being done.
    const ResolvedPhase& done_phase() const { return phases_[index_of(step_)]; }
    const std::string& done_fingerprint() const { return done_fingerprint_; }
    // Makes it the phase in which step `done` was done; a checkpoint of that step can then be loaded.
    Result<void> enter_phase_of(Step done);

    // After weights and optimizer state were written from a checkpoint.
    void continue_from(Step step, std::int64_t optimizer_steps);

    // All ranks get weights and optimizer state of rank 0, which continues from where it is. Every rank calls
    // it at the same point, as it does advance() and evaluate().
    void share_state();
    // Of the bits of the weights: equal in all ranks. The host waits for the device.
    std::int64_t weights_checksum() const;

    // Asked before every micro-batch; false gives the step up, with the weights as they were before it.
    using GoOn = std::function<bool()>;

    // Gives the device the next optimizer step. Alone on a GPU it does not wait for it: the result is that of
    // the step before, so that the device always has work, and nothing at the first; it is still in_flight().
    // Elsewhere the result is that of this step. Nothing also where the step was given up.
    Result<std::optional<StepResult>> advance(const GoOn& go_on);
    // Steps whose result is not known yet.
    bool in_flight() const { return earlier_ || !in_flight_.empty(); }
    // Waits for the step in flight: its result, or nothing where there is none.
    std::optional<StepResult> settle();

    // How the device is given its steps: StepRunner::way().
    const std::string& step_way() const { return runner_->way(); }
    // Null before the first step of a phase.
    const ActivationPlan* activation_plan() const { return model_->activation_plan(); }

    // Metrics of the fixed evaluation set: "recall/near", .., "eval/loss". Ranks share the work; what only
    // rank 0 scores (long texts) only rank 0 returns.
    Result<std::map<std::string, double>> evaluate();
    // How many queries each accuracy of the last evaluation is the mean over; empty before the first.
    std::map<std::string, std::int64_t> evaluation_queries() const;

private:
    Trainer();
    Result<void> check_ranks() const;
    // Sequences of each micro-batch that this rank computes.
    struct Share {
        std::int64_t first = 0, count = 0;
    };
    Share micro_share(const TrainingSpec& training) const;
    void sum_over_ranks(std::span<double> numbers, std::span<std::int64_t> whole_numbers) const;
    std::size_t index_of(Step done) const;
    Result<void> enter_phase(std::size_t index);
    Result<void> open_phase();  // data and buffers of phase()
    void begin_phase();         // of runner and model
    // The next step's batch in a slot of buffers; 1 / (its targets, over all ranks).
    Result<double> fill(std::size_t slot);
    StepResult receive();                                   // of the step that is longest in flight
    at::Tensor host_numbers(std::int64_t sequences) const;  // int32 [sequences, T]
    // Where the document of each token begins, int32 [sequences, T]; undefined where documents may see each
    // other.
    at::Tensor starts_of(std::span<const std::int32_t> tokens_BT, std::int64_t sequences) const;

    TrainerSetup setup_;
    std::shared_ptr<Ops> ops_;
    Collective* ranks_ = nullptr;  // null: alone
    std::unique_ptr<DataSource> data_;
    std::unique_ptr<Model> model_;
    std::unique_ptr<GradientSum> gradient_sum_;
    std::unique_ptr<Optimizer> optimizer_;
    std::optional<EvaluationSet> evaluation_;
    std::vector<ResolvedPhase> phases_;
    std::size_t phase_ = 0;
    std::string done_fingerprint_;  // of the data of the step that was done last
    // Our part of a step's batch, micro-batch by micro-batch: int32, on the host (pinned for a GPU). Two, in
    // turn: one may still be read by a step in flight.
    struct HostBatch {
        at::Tensor tokens_BT, targets_BT;
    };
    std::array<HostBatch, 2> batches_;
    struct InFlight {
        StepResult known;
        double scale = 1;  // of the sum of the losses
    };
    std::deque<InFlight> in_flight_;
    std::optional<StepResult> earlier_;  // received, not yet handed out
    std::optional<StepNumbers> numbers_;
    std::unique_ptr<StepRunner> runner_;
    Step step_;  // given to the device
};

}  // namespace braid
