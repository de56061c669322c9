// Places where engines of a study may work at one time: on each GPU so many, or on the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/launch/gpu_list.h"
#include "core/record/study_state.h"

namespace braid::cli {

class DeviceSlots {
public:
    // `device`: auto, cpu or cuda; `jobs` at a time, 0: one a core on the CPU (no more than there are runs),
    // on each GPU as many of the largest of `runs` as its free memory holds, four at most. `cores` 0: all.
    static DeviceSlots choose(const std::string& device, std::int64_t jobs,
                              std::span<const PlannedPoint> runs, std::int64_t cores = 0);

    using Busy = std::function<std::size_t(std::optional<std::size_t> gpu)>;  // engines there now
    // The GPU with the fewest engines that has room; nothing on the CPU, or where none has.
    std::optional<std::size_t> free_gpu(const Busy& busy) const;
    bool has_room(const Busy& busy) const;
    // What an engine there is started with.
    std::map<std::string, std::string> environment(std::optional<std::size_t> gpu) const;
    std::int64_t threads() const { return threads_; }  // of each run; 0: as many as it likes

private:
    std::size_t jobs_ = 1;
    std::vector<Gpu> gpus_;  // empty: on the CPU
    std::int64_t threads_ = 0;
};

}  // namespace braid::cli
