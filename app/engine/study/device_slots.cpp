#include "app/engine/study/device_slots.h"

#include <algorithm>
#include <thread>

#include "core/engine/device.h"
#include "core/mixers/builtin.h"
#include "core/spec/study_cost.h"

namespace braid::cli {
namespace {

constexpr std::int64_t most_jobs_on_a_gpu = 4;

}  // namespace

DeviceSlots DeviceSlots::choose(const std::string& device, std::int64_t jobs,
                                std::span<const PlannedPoint> runs, std::int64_t cores) {
    DeviceSlots slots;
    if (cores <= 0)
        cores = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::thread::hardware_concurrency()));
    if (device != "cuda" && (device != "auto" || !has_nvidia_driver())) {
        const auto wanted = static_cast<std::int64_t>(std::max<std::size_t>(1, runs.size()));
        if (jobs <= 0) jobs = std::min(cores, wanted);
        slots.jobs_ = static_cast<std::size_t>(jobs);
        slots.threads_ = std::max<std::int64_t>(1, cores / jobs);
        return slots;
    }
    slots.gpus_ = visible_gpus();
    if (slots.gpus_.empty()) slots.gpus_.push_back({});  // the engine says what is missing
    // Runs that take several GPUs each share the machine among themselves, one after the other.
    const bool spread =
        std::any_of(runs.begin(), runs.end(), [](const PlannedPoint& run) { return run.training.gpus > 1; });
    if (spread) {
        slots.gpus_.resize(1);
        jobs = 1;
    }
    if (jobs <= 0) {
        std::int64_t largest = 1;
        for (const PlannedPoint& run : runs)
            largest =
                std::max(largest, training_memory_bytes(run.architecture, run.training, builtin_mixers()));
        jobs = most_jobs_on_a_gpu;
        for (const Gpu& gpu : slots.gpus_)
            jobs = std::min(jobs, gpu.free_bytes ? *gpu.free_bytes / (largest + largest / 5) : 1);
    }
    slots.jobs_ = static_cast<std::size_t>(std::max<std::int64_t>(1, jobs));
    return slots;
}

std::optional<std::size_t> DeviceSlots::free_gpu(const Busy& busy) const {
    std::optional<std::size_t> best;
    std::size_t fewest = jobs_;
    for (std::size_t g = 0; g < gpus_.size(); ++g)
        if (const std::size_t now = busy(g); now < fewest) {
            fewest = now;
            best = g;
        }
    return best;
}

bool DeviceSlots::has_room(const Busy& busy) const {
    return gpus_.empty() ? busy(std::nullopt) < jobs_ : free_gpu(busy).has_value();
}

std::map<std::string, std::string> DeviceSlots::environment(std::optional<std::size_t> gpu) const {
    if (!gpu || gpus_.size() < 2) return {};
    return {{"CUDA_VISIBLE_DEVICES", gpus_[*gpu].id}};
}

}  // namespace braid::cli
