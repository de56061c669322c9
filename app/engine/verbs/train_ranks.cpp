#include "app/engine/verbs/train_ranks.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "app/engine/cli/command_line.h"
#include "app/engine/cli/output.h"
#include "app/engine/cli/signals.h"
#include "app/engine/cli/version.h"
#include "core/engine/device.h"
#include "core/engine/parallel/follow_run.h"

namespace braid::cli {
namespace {

using Clock = std::chrono::steady_clock;

// A launcher starts all ranks at about the same time: one that is late is told of a failure, too.
constexpr std::chrono::seconds patience_after_failure{10};

std::string build_text() { return braid_version() + " (" + braid_commit() + ", " + plugin_version + ")"; }

std::optional<Error> stop_asked() {
    if (!stop_requested()) return std::nullopt;
    return Error{.kind = ErrorKind::interrupted, .message = "stopped before all ranks were there"};
}

[[noreturn]] void end_process(const Error& error) {
    std::fflush(nullptr);
    std::_Exit(exit_code(error));
}

Result<void> check_gpus(std::int64_t gpus) {
    Error problem;
    const auto found = static_cast<std::int64_t>(list_devices(true, &problem).size()) - 1;
    if (found >= gpus) return {};
    std::string message =
        "the run wants " + std::to_string(gpus) + " GPUs, there are " + std::to_string(found);
    if (!problem.message.empty()) message.append(" (").append(problem.message).append(")");
    return fail(ErrorKind::unavailable, std::move(message), "training.gpus",
                "Change it with: braid-engine run resume RUN --set gpus=N");
}

}  // namespace

Result<RunRanks> RunRanks::open(const RankPlace& place) {
    RunRanks ranks;
    if (place.alone()) return ranks;
    Result<std::unique_ptr<RankChannel>> channel = RankChannel::open(place, build_text());
    if (!channel) return fail(std::move(channel.error()));
    ranks.channel_ = std::move(*channel);
    return ranks;
}

Result<RankChannel*> RunRanks::join(const RunFolder& folder, std::int64_t gpus) {
    if (!channel_) {
        if (gpus <= 1) return nullptr;
        if (Result<void> enough = check_gpus(gpus); !enough) return fail(std::move(enough.error()));
        Result<LocalRanks> started = LocalRanks::start(folder, gpus);
        if (!started) return fail(std::move(started.error()));
        local_.emplace(std::move(*started));
        const int size = static_cast<int>(gpus);
        Result<std::unique_ptr<RankChannel>> channel = RankChannel::open(
            {.rank = 0, .size = size, .local_size = size, .master = "127.0.0.1", .port = local_->port()},
            build_text());
        if (!channel) return fail(std::move(channel.error()));
        channel_ = std::move(*channel);
    }
    const Result<void> all = channel_->wait_for_all([this] {
        std::optional<Error> error = stop_asked();
        return error || !local_ ? error : local_->failed();
    });
    if (!all) return fail(all.error());
    return channel_.get();
}

void RunRanks::end_failed(const Error& error) {
    if (!channel_) return;
    if (!channel_->ended()) {
        const Clock::time_point end = Clock::now() + patience_after_failure;
        (void)channel_->wait_for_all([&]() -> std::optional<Error> {
            if (Clock::now() < end && !stop_requested()) return std::nullopt;
            return error;
        });
        channel_->leave(describe(error));
    }
    print_error(error);
    if (local_) local_->end();
    channel_.reset();
    end_process(error);
}

Result<void> follow(const RankPlace& place) {
    Result<std::unique_ptr<RankChannel>> opened = RankChannel::open(place, build_text());
    if (!opened) return fail(std::move(opened.error()));
    RankChannel& channel = **opened;
    // What rank 0 knows it tells the user itself.
    const auto print = [&channel, rank = place.rank](Error error) {
        if (channel.rank_0_knows()) return;
        error.message.insert(0, "rank " + std::to_string(rank) + ": ");
        print_error(error);
    };
    channel.on_hang(print);
    Result<void> followed = channel.wait_for_all(stop_asked);
    if (followed) {
        // A launcher signals all of its processes; what then happens rank 0 decides.
        std::signal(SIGINT, SIG_IGN);
        std::signal(SIGTERM, SIG_IGN);
        followed = follow_run(channel);
    }
    if (followed) return {};
    print(followed.error());
    opened->reset();
    end_process(followed.error());
}

}  // namespace braid::cli
