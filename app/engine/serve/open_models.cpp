#include "app/engine/serve/open_models.h"

#include <cstdio>

#include "core/engine/device.h"
#include "core/engine/open_model.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

// Bytes that can be had without swapping; no limit where the system does not say.
std::int64_t available_memory() {
    std::FILE* file = std::fopen("/proc/meminfo", "re");
    if (file == nullptr) return INT64_MAX;
    char line[128];
    long long kib = -1;
    while (kib < 0 && std::fgets(line, sizeof line, file) != nullptr)
        std::sscanf(line, "MemAvailable: %lld kB", &kib);
    std::fclose(file);
    return kib < 0 ? INT64_MAX : std::int64_t(kib) * 1024;
}

}  // namespace

Result<std::shared_ptr<Ops>> OpenModels::device(const EvalTarget& target) {
    const bool cpu = target.device == "cpu" || (target.device == "auto" && !has_nvidia_driver());
    std::shared_ptr<Ops>& known = cpu ? cpu_ : cuda_;
    if (known) return known;
    if (!cpu && cpu_)
        return fail(ErrorKind::unavailable, "this server has begun to compute on the CPU", "device",
                    "Start another one for the GPU");
    Result<std::shared_ptr<Ops>> opened = open_device(target.device, target.threads);
    if (!opened) return opened;
    // "auto" may have come down to the CPU.
    return ((*opened)->device().is_cpu() ? cpu_ : cuda_) = std::move(*opened);
}

void OpenModels::drop_all() {
    last_pass_.forget();
    models_.clear();
}

RememberedPass& OpenModels::last_pass() {
    last_pass_.limit(last_pass_.bytes() + available_memory() / 4);
    return last_pass_;
}

void OpenModels::make_room(std::int64_t bytes) {
    if (available_memory() < bytes) last_pass_.forget();
    while (models_.size() >= most) models_.pop_back();
    while (!models_.empty() && available_memory() < bytes) models_.pop_back();
}

Result<std::shared_ptr<Model>> OpenModels::open(const EvalTarget& target, const std::string& folder) {
    const Result<std::shared_ptr<Ops>> ops = device(target);
    if (!ops) return fail(ops.error());
    std::error_code ignored;
    const fs::path weights = fs::path(folder) / "model.safetensors";
    const auto written = fs::last_write_time(weights, ignored);
    const std::string name = (*ops)->name();
    for (auto at = models_.begin(); at != models_.end(); ++at) {
        if (at->folder != folder || at->device != name) continue;
        if (at->written != written) {
            models_.erase(at);
            break;
        }
        models_.splice(models_.begin(), models_, at);
        return models_.front().model;
    }
    const auto size = fs::file_size(weights, ignored);
    make_room(ignored ? 0 : 3 * std::int64_t(size));  // the weights, their file, and what a pass needs
    Result<std::unique_ptr<Model>> model = open_model(folder, *ops);
    if (!model && model.error().kind == ErrorKind::out_of_memory && !models_.empty()) {
        drop_all();
        model = open_model(folder, *ops);
    }
    if (!model) return fail(std::move(model.error()));
    models_.push_front({.folder = folder, .device = name, .written = written, .model = std::move(*model)});
    return models_.front().model;
}

}  // namespace braid::cli
