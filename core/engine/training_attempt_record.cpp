// What an attempt writes down: events, the row of each step, where it stands.
#include <cmath>

#include "core/base/count.h"
#include "core/engine/ops.h"
#include "core/engine/training_attempt.h"
#include "core/record/metric_name.h"

namespace braid {
namespace {

constexpr int max_bad_steps = 3;

}  // namespace

void TrainingAttempt::note(LogLevel level, const std::string& kind, const std::string& text,
                           std::optional<Step> of) {
    if (control_)
        writer_.event(of.value_or(trainer_->step()), level, kind, text);
    else
        early_notes_.push_back({.level = level, .kind = kind, .text = text});
    if (options_.message) options_.message(text);
}

void TrainingAttempt::note_phase() {
    const ResolvedPhase& phase = trainer_->phase();
    std::string text = "phase " + std::to_string(trainer_->phase_index() + 1);
    if (!phase.name.empty()) text.append(" (").append(phase.name).append(")");
    text.append(" began after ").append(step_text(phase.first));
    note(LogLevel::info, "phase", text, recorded_);
}

// Once an attempt; the kernels again where a phase or an evaluation brings calls of another kind.
void TrainingAttempt::note_kernels() {
    if (const std::string& way = trainer_->step_way(); way != noted_way_) {
        noted_way_ = way;
        writer_.event(recorded_, LogLevel::info, "step", way);
    }
    note_memory();
    const std::vector<KernelUse>& used = ops_->kernels_used();
    if (used.size() == noted_kernels_) return;
    noted_kernels_ = used.size();
    std::string text;
    Json details = Json::array();
    for (const KernelUse& use : used) {
        text.append(text.empty() ? "" : "; ").append(use.operation).append(" by ").append(use.kernel);
        text.append(" (").append(use.call).append(")");
        details.push_back({{"operation", use.operation}, {"call", use.call}, {"kernel", use.kernel}});
    }
    writer_.event(recorded_, LogLevel::info, "kernels", text, {{"kernels", details}});
}

void TrainingAttempt::note_memory() {
    const ActivationPlan* const plan = trainer_->activation_plan();
    if (plan == nullptr || plan->text() == noted_memory_) return;
    noted_memory_ = plan->text();
    const std::int64_t limit = activation_memory_bytes(trainer_->phase().training);
    const bool too_much = limit > 0 && plan->bytes > limit;
    writer_.event(recorded_, too_much ? LogLevel::warning : LogLevel::info, "memory",
                  "activations: " + noted_memory_ +
                      (too_much ? "; activation_memory is " + bytes_text(limit) +
                                      ", less than a micro-batch can do with: take more micro_batches"
                                : ""));
}

void TrainingAttempt::settle() {
    if (const std::optional<StepResult> step = trainer_->settle()) record_step(*step);
}

void TrainingAttempt::record_step(const StepResult& step) {
    const ResolvedPhase& phase = trainer_->phase();
    clock_.end_step(phase.training.tokens_per_step());
    if (trainer_->in_flight() || advancing_) clock_.begin_step();  // the next one is at work
    loss_ = step.loss;
    recorded_ = step.step;
    if (phase.first.value > 0 && step.step.value == phase.first.value + 1) note_phase();
    std::vector<MetricValue> values = {{.metric = "loss", .value = step.loss},
                                       {.metric = "lr", .value = step.learning_rate},
                                       {.metric = "grad_norm", .value = step.grad_norm},
                                       {.metric = "tokens", .value = static_cast<double>(step.tokens.value)},
                                       {.metric = "tokens_per_s", .value = clock_.step_tokens_per_s()},
                                       {.metric = "time_s", .value = clock_.seconds()}};
    if (head_metrics_.empty())
        for (const Model::HeadPlace& place : trainer_->model().query_heads())
            head_metrics_.push_back(head_norm_metric(place.layer, place.head));
    for (std::size_t i = 0; i < step.head_norms.size(); ++i)
        values.push_back({.metric = head_metrics_[i], .value = step.head_norms[i]});
    writer_.append(step.step, values);
    note_kernels();
    if (step.applied) {
        bad_steps_ = 0;
        return;
    }
    ++bad_steps_;
    note(LogLevel::warning, "warning/non_finite_loss",
         step_text(step.step) + " was left out: " +
             (std::isfinite(step.loss) ? "its gradient is" : "its loss is") + " not finite",
         step.step);
}

Result<void> TrainingAttempt::still_finite() const {
    if (bad_steps_ < max_bad_steps) return {};
    return fail(ErrorKind::internal,
                "the loss or its gradient was not finite in " + std::to_string(max_bad_steps) +
                    " steps in a row, up to " + step_text(recorded_) + "; " + last_good(),
                {}, "Try a lower learning rate, a longer warm-up or gradient clipping");
}

void TrainingAttempt::report(RunState state) {
    if (!options_.progress) return;
    options_.progress({.state = state,
                       .step = recorded_,
                       .steps = trainer_->steps(),
                       .loss = loss_,
                       .tokens_per_s = clock_.recent_tokens_per_s(),
                       .seconds_left = clock_.seconds_left(trainer_->steps().value - recorded_.value),
                       .evaluation = evaluation_,
                       .device = ops_->name()});
}

TrainingOutcome TrainingAttempt::outcome(RunState state) const {
    return {.state = state,
            .step = trainer_->step(),
            .tokens = TokenCount(trainer_->tokens().value),
            .loss = loss_,
            .tokens_per_s = clock_.attempt_tokens_per_s(),
            .seconds = clock_.seconds(),
            .evaluation = evaluation_};
}

}  // namespace braid
