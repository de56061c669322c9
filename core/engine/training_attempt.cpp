#include "core/engine/training_attempt.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "core/engine/branch.h"
#include "core/engine/device.h"

namespace braid {
Result<void> TrainingAttempt::build() {
    Result<std::unique_ptr<Trainer>> made = Trainer::create({.architecture = plan_.architecture,
                                                             .training = plan_.training,
                                                             .data = plan_.data,
                                                             .phases = plan_.phases,
                                                             .project_folder = options_.project_folder},
                                                            ops_, ranks_ ? &ranks_->sums() : nullptr);
    if (!made) return fail(std::move(made.error()));
    trainer_ = std::move(*made);
    return {};
}

Result<void> TrainingAttempt::open_device() {
    if (!ranks_) {
        Result<std::shared_ptr<Ops>> ops = braid::open_device(plan_.training.device, plan_.training.threads);
        if (!ops) return fail(std::move(ops.error()));
        ops_ = std::move(*ops);
        note(LogLevel::info, "device", "trains on " + ops_->name());
        return {};
    }
    ranks_->say_plan(plan_, options_.project_folder);
    Result<std::shared_ptr<Ops>> ops = ranks_->open_device(plan_.training);
    if (!ops) return fail(std::move(ops.error()));
    ops_ = std::move(*ops);
    note(LogLevel::info, "device",
         "trains on " + std::to_string(ranks_->place().size) + " ranks, " + ops_->name() + " each, sums by " +
             ranks_->sums().name());
    return {};
}

Result<Step> TrainingAttempt::prepare() {
    if (Result<void> opened = open_device(); !opened) return fail(std::move(opened.error()));
    if (Result<void> built = build(); !built) return fail(std::move(built.error()));
    Result<Step> from = find_start();
    if (from)
        if (Result<void> shared = share_start(trainer_->step()); !shared)
            return fail(std::move(shared.error()));
    return from;
}

Result<void> TrainingAttempt::share_start(Step from) {
    if (!ranks_) return {};
    ranks_->say_start({.step = from, .optimizer_steps = trainer_->optimizer().steps_done()});
    trainer_->share_state();
    return ranks_->compare(trainer_->weights_checksum());
}

void TrainingAttempt::order(std::string_view command) {
    if (ranks_) ranks_->say(command);
}

Result<void> TrainingAttempt::compare_ranks() {
    if (!ranks_) return {};
    order(rank_command::compare);
    Result<void> same = ranks_->compare(trainer_->weights_checksum());
    if (!same) same.error().message += "; " + last_good();
    return same;
}

Result<Step> TrainingAttempt::find_start() {
    remove_unfinished_checkpoints(writer_.folder().checkpoints_folder());
    bool half_loaded = false;
    for (const Step step : list_checkpoints(writer_.folder().checkpoints_folder())) {
        if (!can_resume_from(writer_.folder().checkpoint_folder(step))) continue;  // weights for tracing
        const Result<CheckpointState> state =
            load_checkpoint(writer_.folder().checkpoint_folder(step), *trainer_);
        if (state) {
            clock_.continue_from(state->training_seconds);
            saved_ = state->step;
            note(LogLevel::info, "resume", "goes on from the checkpoint at " + step_text(state->step));
            return state->step;
        }
        if (state.error().kind == ErrorKind::invalid_input) return fail(state.error());
        half_loaded = true;
        note(LogLevel::warning, "checkpoint/unusable",
             "the checkpoint at " + step_text(step) + " is passed over: " + describe(state.error()));
    }
    if (half_loaded) {
        if (Result<void> built = build(); !built) return fail(std::move(built.error()));
        note(LogLevel::warning, "resume", "no checkpoint can be used: the run begins anew");
    }
    if (plan_.branch_from) {
        const Result<CheckpointState> state = load_branch(writer_.folder(), plan_, *trainer_);
        if (!state) return fail(state.error());
        clock_.continue_from(state->training_seconds);
        branches_ = true;
        note(LogLevel::info, "branch",
             "branches from run " + plan_.branch_from->run.str() + " at " + step_text(state->step));
        return Step(0);
    }
    if (plan_.weights_from) {
        if (Result<void> loaded = load_weights(plan_.weights_from->folder, trainer_->model().parameters());
            !loaded)
            return fail(std::move(loaded.error()));
        note(LogLevel::info, "weights", "starts from the weights in " + plan_.weights_from->folder);
    }
    return Step(0);
}

Result<TrainingOutcome> TrainingAttempt::train() {
    control_ = std::make_unique<RunControl>(writer_, options_.stop_requested);
    for (const Note& early : early_notes_)
        writer_.event(trainer_->step(), early.level, early.kind, early.text);
    if (branches_) {
        const Result<std::int64_t> bytes = adopt_trunk(plan_, writer_);
        if (!bytes) return fail(bytes.error());
        if (Result<void> recorded = record_checkpoint(trainer_->step(), *bytes); !recorded)
            return fail(recorded.error());
    }
    if (Result<void> done = train_to_the_end(); !done) return fail(std::move(done.error()));

    if (Result<void> same = compare_ranks(); !same) return fail(std::move(same.error()));
    if (ranks_) ranks_->say_end();
    const Result<void> saved = save();
    if (!saved)
        return fail({.kind = saved.error().kind,
                     .message = "the last checkpoint could not be written; " + last_good(),
                     .path = writer_.folder().path(),
                     .hint = "Make room and resume the run",
                     .cause = std::make_shared<const Error>(
                         Error{.kind = saved.error().kind, .message = saved.error().message})});
    for (const std::string& id : stop_commands_)
        writer_.command_done(id, "stopped at " + step_text(trainer_->step()) + ", saved");
    const RunState state = at_the_end() ? RunState::finished : RunState::cancelled;
    report(state);
    return outcome(state);
}

Result<void> TrainingAttempt::train_to_the_end() {
    recorded_ = trainer_->step();
    report(RunState::running);
    trace_steps_ = trace_steps(plan_.training.trace_checkpoints, trainer_->steps().value);
    remove_later_traces();
    if (trainer_->step().value == 0) try_to_trace();
    while (!at_the_end() && go_on()) {
        if (Result<void> done = advance(); !done) return after_what_is_done(std::move(done));
        if (stopping_) break;
        // What looks at the weights of this step finds its row recorded.
        if (evaluation_is_due() || saves_at(trainer_->step()) || is_traced(trainer_->step()) || at_the_end())
            settle();
        if (Result<void> good = still_finite(); !good) return after_what_is_done(std::move(good));
        // Never given up half-way: a checkpoint of this step must find its evaluation recorded.
        if (evaluation_is_due())
            if (Result<void> done = evaluate(); !done) return done;
        if (saves_at(trainer_->step()) && !at_the_end()) {
            if (Result<void> same = compare_ranks(); !same) return same;
            try_to_save();
        } else
            try_to_trace();
        report(RunState::running);
    }
    settle();
    return still_finite();
}

Result<void> TrainingAttempt::after_what_is_done(Result<void> failure) {
    try {
        settle();
    } catch (const std::exception&) {  // the device is lost: its last numbers with it
    }
    return failure;
}

bool TrainingAttempt::saves_at(Step step) const {
    const ResolvedPhase& phase = trainer_->phase();
    const std::int64_t every = phase.training.checkpoint_every;
    return step == phase.end() || (every > 0 && step.value % every == 0) || is_kept(step);
}

bool TrainingAttempt::evaluation_is_due() const {
    const Step step = trainer_->step();
    const ResolvedPhase& phase = trainer_->phase();
    const std::int64_t every = phase.training.evaluate_every;
    return step.value > 0 && (step >= phase.end() || (every > 0 && step.value % every == 0));
}

Result<void> TrainingAttempt::advance() {
    if (!trainer_->in_flight()) clock_.begin_step();
    order(rank_command::advance);
    advancing_ = true;
    const Result<std::optional<StepResult>> result = trainer_->advance([this] {
        const bool goes_on = go_on();
        order(goes_on ? rank_command::go : rank_command::give_up);
        return goes_on;
    });
    advancing_ = false;
    if (!result) return fail(result.error());
    if (*result) record_step(**result);
    return {};
}

Result<void> TrainingAttempt::evaluate() {
    order(rank_command::evaluate);
    Result<std::map<std::string, double>> answer = trainer_->evaluate();
    if (!answer) return fail(std::move(answer.error()));
    // Once an attempt: what the standard error of an accuracy follows from.
    if (evaluation_.empty())
        if (const auto queries = trainer_->evaluation_queries(); !queries.empty())
            writer_.event(trainer_->step(), LogLevel::info, "evaluation",
                          "evaluates on a fixed set of queries", {{"queries", queries}});
    evaluation_ = std::move(*answer);
    std::vector<MetricValue> values;
    for (const auto& [metric, value] : evaluation_) values.push_back({.metric = metric, .value = value});
    writer_.append(trainer_->step(), values);
    return {};
}

Result<void> TrainingAttempt::save(CheckpointParts parts) {
    const Step step = trainer_->step();
    if (saved_ == step) return {};
    // A run goes on from any checkpoint it finds, so the rows up to it must outlive a kill -9 that comes
    // next.
    if (parts == CheckpointParts::all)
        if (Result<void> committed = writer_.flush(); !committed) return committed;
    const std::string folder = writer_.folder().checkpoint_folder(step);
    const Result<std::int64_t> bytes = save_checkpoint(folder, *trainer_, clock_.seconds(), parts);
    if (!bytes) return fail(bytes.error());
    if (parts == CheckpointParts::weights) return {};
    if (Result<void> recorded = record_checkpoint(step, *bytes); !recorded) return recorded;
    remove_old_checkpoints();
    return {};
}

Result<void> TrainingAttempt::record_checkpoint(Step step, std::int64_t bytes) {
    const std::string in_run = std::filesystem::path(writer_.folder().checkpoint_folder(step))
                                   .lexically_relative(writer_.folder().path())
                                   .string();
    if (Result<void> recorded = writer_.checkpoint(step, in_run, bytes); !recorded) return recorded;
    saved_ = step;
    return {};
}

void TrainingAttempt::try_to_save() {
    if (const Result<void> saved = save(); !saved)
        note(LogLevel::warning, "checkpoint/failed",
             "no checkpoint at " + step_text(trainer_->step()) + " (" + saved.error().message +
                 "). The run goes on; " + last_good());
}

bool TrainingAttempt::is_kept(Step step) const {
    return std::find(plan_.kept_steps.begin(), plan_.kept_steps.end(), step.value) != plan_.kept_steps.end();
}

bool TrainingAttempt::is_traced(Step step) const {
    return std::binary_search(trace_steps_.begin(), trace_steps_.end(), step.value);
}

void TrainingAttempt::try_to_trace() {
    const Step step = trainer_->step();
    if (!is_traced(step) || saved_ == step || at_the_end()) return;
    const Result<void> saved = save(CheckpointParts::weights);
    if (!saved)
        note(LogLevel::warning, "checkpoint/failed",
             "no weights for tracing at " + step_text(step) + " (" + saved.error().message +
                 "). The run goes on");
}

void TrainingAttempt::remove_later_traces() {
    for (const Step step : list_checkpoints(writer_.folder().checkpoints_folder())) {
        const std::string folder = writer_.folder().checkpoint_folder(step);
        std::error_code ignored;
        if (step > trainer_->step() && !can_resume_from(folder)) std::filesystem::remove_all(folder, ignored);
    }
}

void TrainingAttempt::remove_old_checkpoints() {
    const std::int64_t keep = plan_.training.keep_checkpoints;
    if (keep == 0) return;
    std::int64_t seen = 0;
    for (const Step step : list_checkpoints(writer_.folder().checkpoints_folder())) {
        if (!can_resume_from(writer_.folder().checkpoint_folder(step))) continue;
        // A later step is of an earlier attempt and could not be read, or it would have been gone on from.
        if (step > trainer_->step() || is_kept(step) || ++seen <= keep) continue;
        if (!writer_.forget_checkpoint(step)) return;
        if (is_traced(step)) {
            drop_optimizer(writer_.folder().checkpoint_folder(step));
            continue;
        }
        std::error_code ignored;
        std::filesystem::remove_all(writer_.folder().checkpoint_folder(step), ignored);
    }
}

std::string TrainingAttempt::last_good() const {
    if (!saved_) return "there is no checkpoint yet";
    return "the last good checkpoint is " + step_text(*saved_);
}

bool TrainingAttempt::go_on() {
    if (!control_->pending() && !control_->stop_by_signal()) return !stopping_;
    for (const InboxCommand& command : control_->take()) obey(command);
    stopping_ = stopping_ || control_->stop_by_signal();
    if (paused_ && !stopping_) wait_while_paused();
    return !stopping_;
}

void TrainingAttempt::wait_while_paused() {
    clock_.hold();
    report(RunState::paused);
    while (paused_ && !stopping_) {
        control_->wait();
        for (const InboxCommand& command : control_->take()) obey(command);
        stopping_ = stopping_ || control_->stop_by_signal();
    }
    clock_.release();
    report(RunState::running);
}

void TrainingAttempt::obey(const InboxCommand& command) {
    if (command.kind == "pause") {
        settle();
        paused_ = true;
        writer_.set_state(RunState::paused);
        writer_.command_done(command.id, "paused after " + step_text(trainer_->step()));
    } else if (command.kind == "resume") {
        paused_ = false;
        writer_.set_state(RunState::running);
        writer_.command_done(command.id);
    } else if (command.kind == "checkpoint") {
        // Between two micro-batches the weights are those of the last whole step.
        settle();
        const Result<void> saved = save();
        writer_.command_done(command.id,
                             saved ? "saved " + step_text(trainer_->step()) : describe(saved.error()));
        if (!saved) note(LogLevel::warning, "checkpoint/failed", describe(saved.error()));
    } else if (command.kind == "stop") {
        stopping_ = true;
        stop_commands_.push_back(command.id);
    }
}

}  // namespace braid
