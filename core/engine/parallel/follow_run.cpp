#include "core/engine/parallel/follow_run.h"

#include "core/engine/guard.h"
#include "core/engine/parallel/rank_group.h"
#include "core/engine/trainer.h"

namespace braid {
namespace {

class Follower {
public:
    explicit Follower(RankChannel& channel) : group_(channel) {}

    Result<void> prepare() {
        Result<RankPlan> heard = group_.hear_plan();
        if (!heard) return fail(std::move(heard.error()));
        RunPlan& plan = heard->plan;
        Result<std::shared_ptr<Ops>> ops = group_.open_device(plan.training);
        if (!ops) return fail(std::move(ops.error()));
        Result<std::unique_ptr<Trainer>> trainer =
            Trainer::create({.architecture = std::move(plan.architecture),
                             .training = plan.training,
                             .data = std::move(plan.data),
                             .phases = std::move(plan.phases),
                             .project_folder = heard->project_folder},
                            std::move(*ops), &group_.sums());
        if (!trainer) return fail(std::move(trainer.error()));
        trainer_ = std::move(*trainer);
        const Result<RankStart> start = group_.hear_start();
        if (!start) return fail(start.error());
        if (start->step.value > 0) {
            if (Result<void> entered = trainer_->enter_phase_of(start->step); !entered) return entered;
            trainer_->continue_from(start->step, start->optimizer_steps);
        }
        trainer_->share_state();
        return group_.compare(trainer_->weights_checksum());
    }

    Result<void> obey() {
        while (true) {
            const std::string command = group_.hear();
            if (command == rank_command::end) return {};
            if (command == rank_command::advance) {
                const auto goes_on = [this] { return group_.hear() == rank_command::go; };
                if (const auto done = trainer_->advance(goes_on); !done) return fail(done.error());
            } else if (command == rank_command::evaluate) {
                if (const auto done = trainer_->evaluate(); !done) return fail(done.error());
            } else if (command == rank_command::compare) {
                (void)group_.compare(trainer_->weights_checksum());
            } else {
                return fail(ErrorKind::internal, "rank 0 ordered what is not known: " + command);
            }
        }
    }

private:
    RankGroup group_;
    std::unique_ptr<Trainer> trainer_;
};

}  // namespace

Result<void> follow_run(RankChannel& channel) {
    Follower follower(channel);
    Result<void> followed = guarded("rank " + std::to_string(channel.place().rank), [&] {
        return follower.prepare().and_then([&] { return follower.obey(); });
    });
    // Before the sums are closed: after a failure they must not wait for the others.
    if (!followed) channel.leave(describe(followed.error()));
    return followed;
}

}  // namespace braid
