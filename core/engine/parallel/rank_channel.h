// What the ranks of a run say to each other beside the sums of their gradients: who is there, what rank 0 has
// decided, and why the run ends. One TCP connection from each rank to rank 0, watched by a thread on each
// side: a process that ends in any way is noticed at once, a machine that falls silent within
// RankLimits::silence, whatever the training thread is doing.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/engine/parallel/rank_place.h"

namespace braid {

struct RankLimits {
    std::chrono::milliseconds join{120'000};     // until all ranks are there
    std::chrono::milliseconds heartbeat{1'000};  // every rank says so often that it lives
    std::chrono::milliseconds silence{15'000};   // a rank that said nothing for so long is lost
    std::chrono::milliseconds grace{8'000};  // after a loss, for the training thread to end the run itself
};

// Thrown in the training thread where the group has ended; core/engine/guard.h makes the Error of it again.
class RanksEnded : public std::exception {
public:
    explicit RanksEnded(Error error) : error_(std::move(error)) {}
    const char* what() const noexcept override { return error_.message.c_str(); }
    const Error& error() const { return error_; }

private:
    Error error_;
};

class RankChannel {
public:
    // Rank 0 listens, any other rank joins in the background. `build` must be equal in all of them. Errors
    // of rank 0: busy or unavailable (it cannot listen at its port).
    static Result<std::unique_ptr<RankChannel>> open(const RankPlace& place, const std::string& build,
                                                     RankLimits limits = {});
    ~RankChannel();  // leaves as leave("") where nothing was said yet
    RankChannel(const RankChannel&) = delete;
    RankChannel& operator=(const RankChannel&) = delete;

    const RankPlace& place() const { return place_; }

    // Waits until all ranks are there; asks `failed` (may be empty) now and then whether that is in vain.
    // Errors: unavailable (who did not come, or that rank 0 was not found at its place), invalid_input
    // (ranks of different builds, two that claim one rank).
    Result<void> wait_for_all(const std::function<std::optional<Error>()>& failed = {});

    // Everything below is for the training thread, after wait_for_all(), and throws RanksEnded.

    void tell(const std::string& text);                        // rank 0, to all others
    std::string hear();                                        // any other rank: what rank 0 told, in order
    std::vector<std::string> gather(const std::string& text);  // what each rank gives; empty but on rank 0
    std::int64_t sum(std::int64_t number);                     // over all ranks, for each of them
    void check() const;                                        // that the group has not ended

    // Why the group has ended, where a rank was lost or has failed; ourselves included.
    std::optional<Error> ended() const;
    // Whether rank 0 knows the reason too, and so tells it to the user.
    bool rank_0_knows() const;
    // Rank 0: the run is done; that the others end from now on is no loss.
    void dismiss();
    // Ends our part. A reason says to all others that the run has failed.
    void leave(const std::string& reason);

    // Called by the watching thread where leave() was not called within limits.grace after a loss: the
    // training thread hangs in a device or a library. The process ends behind it.
    void on_hang(std::function<void(const Error&)> last_act);

private:
    struct Impl;
    explicit RankChannel(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
    RankPlace place_;
};

}  // namespace braid
