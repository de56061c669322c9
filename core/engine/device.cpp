#include "core/engine/device.h"

#include <ATen/Parallel.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/engine/ops.h"
#include "core/engine/parallel/collective.h"
#include "core/engine/plugin_file.h"
#include "kernels/cpu/cpu.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr PluginName cuda_plugin{
    .file = "libbraid_cuda.so",
    .variable = "BRAID_CUDA_PLUGIN",
    .title = "CUDA plugin",
    .version = "braid_plugin_version",
    .hint =
        "Build with the CUDA toolkit (preset cuda); braid-engine doctor lists what is missing; --device cpu "
        "works without it"};

struct Plugin {
    plugin::Devices devices = nullptr;
    plugin::MakeOps make_ops = nullptr;
    plugin::MakeNccl make_collective = nullptr;  // null: built without NCCL
};

Result<Plugin> open_plugin() {
    const Result<PluginFile> file = PluginFile::open(cuda_plugin);
    if (!file) return fail(file.error());
    const Plugin opened{.devices = file->function<plugin::Devices>("braid_plugin_devices"),
                        .make_ops = file->function<plugin::MakeOps>("braid_plugin_make_ops"),
                        .make_collective = file->function<plugin::MakeNccl>("braid_plugin_make_collective")};
    if (opened.devices == nullptr || opened.make_ops == nullptr)
        return fail(ErrorKind::unavailable, "the CUDA plugin lacks a function");
    return opened;
}

const Result<Plugin>& the_plugin() {
    static const Result<Plugin> opened = open_plugin();
    return opened;
}

Result<std::shared_ptr<Ops>> open_cuda(std::int64_t index) {
    if (!has_nvidia_driver())
        return fail(ErrorKind::unavailable, "no NVIDIA driver is loaded on this machine", {},
                    "Use --device cpu, or install the driver; nvidia-smi must list a GPU");
    const Result<Plugin>& plugin = the_plugin();
    if (!plugin) return fail(plugin.error());
    if (index > 0) {
        std::vector<DeviceInfo> devices;
        Error error;
        plugin->devices(&devices, &error);
        const auto count = static_cast<std::int64_t>(devices.size());
        if (count == 1) index = 0;  // the one that Slurm or somebody else has chosen for this rank
        if (index > 0 && index >= count)
            return fail(ErrorKind::unavailable,
                        "rank " + std::to_string(index) +
                            " of this machine finds no GPU of its own: there are " + std::to_string(count),
                        {}, "Start at most one rank a GPU");
    }
    std::shared_ptr<Ops> ops;
    Error error{.kind = ErrorKind::unavailable, .message = ""};
    plugin->make_ops(index, &ops, &error);
    if (!ops) {
        if (error.message.empty()) error.message = "the CUDA plugin gave no device";
        return fail(std::move(error));
    }
    return ops;
}

std::int64_t core_count() {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::thread::hardware_concurrency()));
}

std::string cpu_title() {
    std::ifstream info("/proc/cpuinfo");
    std::string line;
    std::string model = "CPU";
    while (std::getline(info, line))
        if (line.starts_with("model name")) {
            if (const auto colon = line.find(": "); colon != std::string::npos)
                model = line.substr(colon + 2);
            break;
        }
    return model + ", " + std::to_string(core_count()) + " cores";
}

std::vector<KernelInfo> cpu_attention_kernels() {
    std::vector<KernelInfo> kernels = {
        {.name = kernels::cpu::level().name, .use = "everything; cannot be asked for by name"}};
    for (const std::string& name : make_cpu_ops()->attention_kernels())
        kernels.push_back({.name = name, .use = "everything, one number after the other; slow"});
    return kernels;
}

}  // namespace

bool has_nvidia_driver() {
    std::error_code ignored;
    return fs::exists("/proc/driver/nvidia/version", ignored) || fs::exists("/dev/nvidiactl", ignored);
}

Result<std::shared_ptr<Ops>> open_device(const std::string& device, std::int64_t threads,
                                         std::int64_t index) {
    if (device == "cuda") return open_cuda(index);
    if (device == "auto" && has_nvidia_driver()) {
        Result<std::shared_ptr<Ops>> cuda = open_cuda(index);
        // One of several ranks must not go to the CPU while the others do not.
        if (cuda || index > 0) return cuda;
    } else if (device != "auto" && device != "cpu") {
        return fail(
            to_error({{.path = "training.device", .rule = "must be auto, cpu or cuda", .found = device}}));
    }
    at::set_num_threads(static_cast<int>(threads > 0 ? threads : core_count()));
    return make_cpu_ops();
}

Result<void> use_kernels(Ops& ops, const KernelNames& names, const std::string& path) {
    Diagnostics problems;
    const auto check = [&](const char* key, const std::vector<std::string>& kernels,
                           const std::string& name) {
        if (name == "auto" || std::find(kernels.begin(), kernels.end(), name) != kernels.end()) return;
        std::string known = "must be a kernel of " + ops.name() + ": auto";
        for (const std::string& each : kernels) known.append(", ").append(each);
        problems.push_back(
            {.path = path.empty() ? key : path + "." + key, .rule = std::move(known), .found = name});
    };
    check("kernels.attention", ops.attention_kernels(), names.attention);
    check("kernels.recurrence", ops.recurrence_kernels(), names.recurrence);
    if (!problems.empty()) return fail(to_error(problems));
    ops.set_attention_kernel(names.attention);
    ops.set_recurrence_kernel(names.recurrence);
    return {};
}

Result<std::unique_ptr<Collective>> open_nccl(RankChannel& channel, std::int64_t index) {
    const Result<Plugin>& plugin = the_plugin();
    if (!plugin) return fail(plugin.error());
    if (plugin->make_collective == nullptr)
        return fail(
            ErrorKind::unavailable, "the CUDA plugin was built without NCCL", {},
            "Build it where nccl.h is found (libnccl-dev, or the wheel nvidia-nccl-cu13), or train on "
            "one GPU");
    std::unique_ptr<Collective> collective;
    Error error{.kind = ErrorKind::unavailable, .message = ""};
    plugin->make_collective(&channel, index, &collective, &error);
    if (!collective) return fail(std::move(error));
    return collective;
}

std::vector<DeviceInfo> list_devices(bool cuda, Error* problem) {
    std::vector<DeviceInfo> devices{
        {.name = "cpu",
         .title = cpu_title(),
         .memory = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) *
                   static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE)),
         .attention_kernels = cpu_attention_kernels(),
         .recurrence_kernels = {{.name = "reference", .use = "everything, by matrix products"}}}};
    if (!cuda) return devices;
    Error error;
    if (!has_nvidia_driver()) {
        error = {.kind = ErrorKind::unavailable, .message = "no NVIDIA driver is loaded on this machine"};
    } else if (const Result<Plugin>& plugin = the_plugin(); !plugin) {
        error = plugin.error();
    } else {
        plugin->devices(&devices, &error);
    }
    if (problem != nullptr) *problem = error;
    return devices;
}

}  // namespace braid
