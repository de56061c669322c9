// The other ranks of a run that one machine trains on several GPUs: children of rank 0, which is this
// process.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/launch/launcher.h"

namespace braid {

class LocalRanks {
public:
    // Starts ranks 1 .. count-1 of `folder` as `braid-engine train <folder>` with the environment of
    // torchrun; their output is appended to <run>/engine.log. They are in sessions of their own: a signal
    // from the terminal reaches rank 0 alone, which tells them.
    static Result<LocalRanks> start(const RunFolder& folder, std::int64_t count);
    LocalRanks(LocalRanks&&) = default;
    LocalRanks& operator=(LocalRanks&&) = delete;
    // Waits a while for those that are still there, then ends them.
    ~LocalRanks();

    int port() const { return port_; }  // on which rank 0 is to listen, at 127.0.0.1
    // A rank that has ended although rank 0 still waits for it; with its last words.
    std::optional<Error> failed();
    // Does not wait for those that are still there.
    void end();

private:
    LocalRanks() = default;
    int port_ = 0;
    std::vector<EngineProcess> processes_;  // of rank i + 1
};

}  // namespace braid
