#include "core/engine/device.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/engine/ops.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr const char* plugin_name = "libbraid_cuda.so";

std::vector<std::string> plugin_places() {
    std::vector<std::string> places;
    if (const char* given = std::getenv("BRAID_CUDA_PLUGIN")) return {given};
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    places.push_back((program / plugin_name).string());
    places.push_back((program.parent_path() / "lib" / plugin_name).string());
    places.push_back((program.parent_path() / "lib" / "braid" / plugin_name).string());
    return places;
}

struct Plugin {
    plugin::Devices devices = nullptr;
    plugin::MakeOps make_ops = nullptr;
};

Result<Plugin> open_plugin() {
    std::string file;
    std::string looked;
    for (const std::string& place : plugin_places()) {
        looked += (looked.empty() ? "" : ", ") + place;
        if (fs::exists(place)) {
            file = place;
            break;
        }
    }
    if (file.empty())
        return fail(ErrorKind::unavailable, "no CUDA plugin (looked for " + looked + ")", {},
                    "Build with the CUDA toolkit (preset cuda), or use --device cpu");
    // Never closed: LibTorch's CUDA half does not unload.
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        const char* why = ::dlerror();
        return fail(ErrorKind::unavailable,
                    std::string("the CUDA plugin cannot be loaded: ") + (why ? why : "?"), file,
                    "braid-engine doctor lists what is missing; --device cpu works without it");
    }
    const auto version = reinterpret_cast<plugin::Version>(::dlsym(library, "braid_plugin_version"));
    Plugin opened{.devices = reinterpret_cast<plugin::Devices>(::dlsym(library, "braid_plugin_devices")),
                  .make_ops = reinterpret_cast<plugin::MakeOps>(::dlsym(library, "braid_plugin_make_ops"))};
    if (version == nullptr || opened.devices == nullptr || opened.make_ops == nullptr)
        return fail(ErrorKind::unavailable, "is no CUDA plugin of Braid", file);
    if (std::string(version()) != plugin_version)
        return fail(ErrorKind::unavailable,
                    std::string("the CUDA plugin is of another build: ") + version() + " instead of " +
                        plugin_version,
                    file, "Build engine and plugin from the same tree");
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

}  // namespace

bool has_nvidia_driver() {
    std::error_code ignored;
    return fs::exists("/proc/driver/nvidia/version", ignored) || fs::exists("/dev/nvidiactl", ignored);
}

Result<std::shared_ptr<Ops>> open_device(const std::string& device, std::int64_t threads) {
    if (device == "cuda") return open_cuda(0);
    if (device == "auto" && has_nvidia_driver()) {
        if (Result<std::shared_ptr<Ops>> cuda = open_cuda(0)) return cuda;
    } else if (device != "auto" && device != "cpu") {
        return fail(
            to_error({{.path = "training.device", .rule = "must be auto, cpu or cuda", .found = device}}));
    }
    at::set_num_threads(static_cast<int>(threads > 0 ? threads : core_count()));
    return make_cpu_ops();
}

std::vector<DeviceInfo> list_devices(bool cuda, Error* problem) {
    std::vector<DeviceInfo> devices{{.name = "cpu",
                                     .title = cpu_title(),
                                     .memory = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                               static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE))}};
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
