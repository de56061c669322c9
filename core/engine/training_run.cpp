#include "core/engine/training_run.h"

#include "core/engine/guard.h"
#include "core/engine/training_attempt.h"
#include "core/record/run_status.h"

namespace braid {
namespace {

std::optional<Step> resumed_from(Step step) { return step.value > 0 ? std::optional(step) : std::nullopt; }

// A failure before there was anything to train: recorded as an attempt that takes no row away.
Error recorded(RunWriter& writer, Step last, Error error) {
    if (writer.begin_attempt(resumed_from(last))) (void)writer.close(RunState::failed, describe(error));
    return error;
}

std::string with_advice(const Error& error) {
    std::string text = describe(error);
    if (error.kind == ErrorKind::out_of_memory)
        text += " Use a smaller batch, more micro_batches or a shorter context.";
    return text;
}

}  // namespace

Result<TrainingOutcome> train_run(const RunFolder& folder, const TrainingOptions& options) {
    const Result<RunPlan> plan = folder.plan();
    if (!plan) return fail(plan.error());
    const Result<RunStatus> before = read_run_status(folder);
    if (!before) return fail(before.error());
    Result<std::unique_ptr<RunWriter>> opened = RunWriter::open(folder);
    if (!opened) return fail(std::move(opened.error()));
    RunWriter& writer = **opened;

    std::optional<TrainingAttempt> attempt(std::in_place, writer, *plan, options);
    const Result<Step> from = guarded("starting the run", [&] { return attempt->prepare(); });
    if (!from) return fail(recorded(writer, before->step, from.error()));
    if (const auto begun = writer.begin_attempt(resumed_from(*from)); !begun) return fail(begun.error());

    const Result<TrainingOutcome> outcome = guarded("training", [&] { return attempt->train(); });
    const Result<void> closed =
        outcome ? writer.close(outcome->state) : writer.close(RunState::failed, with_advice(outcome.error()));
    if (outcome && !closed) return fail(closed.error());
    return outcome;
}

}  // namespace braid
