#include "core/engine/training_run.h"

#include "core/engine/guard.h"
#include "core/engine/parallel/rank_channel.h"
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

// A device that hangs behind a rank that was lost cannot be waited for: the run is recorded as failed from
// the thread that watches the ranks, and the process ends behind that.
void fail_where_ranks_hang(RankChannel* ranks, const TrainingOptions& options,
                           const std::function<void(const Error&)>& record) {
    if (ranks == nullptr) return;
    ranks->on_hang([record, message = options.message](const Error& error) {
        record(error);
        if (message) message(describe(error));
    });
}

std::string with_advice(const Error& error) {
    std::string text = describe(error);
    if (error.kind == ErrorKind::out_of_memory)
        text += " Use more micro_batches, a smaller batch or activation_memory, or a shorter context.";
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

    RankChannel* ranks = nullptr;
    if (options.join_ranks) {
        const Result<RankChannel*> joined = options.join_ranks(*plan);
        if (!joined) return fail(recorded(writer, before->step, joined.error()));
        ranks = *joined;
    }
    TrainingAttempt attempt(writer, *plan, options, ranks);
    // While the sums of the attempt are open: after a failure they must not wait for the others.
    const auto tell_ranks = [&](const Error& error) {
        if (ranks != nullptr) ranks->leave(describe(error));
    };
    fail_where_ranks_hang(ranks, options,
                          [&](const Error& error) { (void)recorded(writer, before->step, error); });
    const Result<Step> from = guarded("starting the run", [&] { return attempt.prepare(); });
    if (!from) {
        tell_ranks(from.error());
        return fail(recorded(writer, before->step, from.error()));
    }
    if (const auto begun = writer.begin_attempt(resumed_from(*from)); !begun) {
        tell_ranks(begun.error());
        return fail(begun.error());
    }
    fail_where_ranks_hang(ranks, options,
                          [&](const Error& error) { (void)writer.close(RunState::failed, describe(error)); });
    Result<TrainingOutcome> outcome = guarded("training", [&] { return attempt.train(); });
    if (!outcome) {
        if (ranks != nullptr && ranks->ended()) outcome.error().message += "; " + attempt.last_good();
        tell_ranks(outcome.error());
    }
    const Result<void> closed =
        outcome ? writer.close(outcome->state) : writer.close(RunState::failed, with_advice(outcome.error()));
    if (outcome && !closed) return fail(closed.error());
    return outcome;
}

}  // namespace braid
