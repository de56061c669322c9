#include "core/engine/cuda_plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace braid {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> plugin_places() {
    std::vector<fs::path> places;
    if (const char* given = std::getenv("BRAID_CUDA_PLUGIN")) places.emplace_back(given);
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        places.push_back(program.parent_path() / cuda_plugin_file);
        places.push_back(program.parent_path().parent_path() / "lib" / cuda_plugin_file);
    }
    return places;
}

bool driver_is_present() {
    std::error_code error;
    return fs::exists("/dev/nvidiactl", error) || fs::exists("/proc/driver/nvidia", error) ||
           fs::exists("/dev/dxg", error);
}

Result<CudaPlugin*> load() {
    for (const fs::path& place : plugin_places()) {
        std::error_code error;
        if (!fs::exists(place, error)) continue;
        if (!driver_is_present())
            return fail(ErrorKind::unavailable, "no NVIDIA driver is loaded on this machine", place.string(),
                        "Train on the CPU (--device cpu), or install the driver (570 or newer)");
        void* library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            const char* why = ::dlerror();
            return fail(ErrorKind::unavailable,
                        std::string("the CUDA plugin cannot be loaded: ") + (why != nullptr ? why : "unknown"),
                        place.string(), "The message names the library that is missing; ./braid installs them "
                                        "on a machine with an NVIDIA driver");
        }
        const auto entry = reinterpret_cast<CudaPluginEntry>(::dlsym(library, cuda_plugin_symbol));
        CudaPlugin* plugin = entry != nullptr ? entry(cuda_plugin_version) : nullptr;
        if (plugin == nullptr)
            return fail(ErrorKind::unavailable, "the CUDA plugin belongs to another version of the engine",
                        place.string(), "Build both together with ./braid build");
        return plugin;
    }
    return fail(ErrorKind::unavailable, "the CUDA plugin was not built", cuda_plugin_file,
                "It is built where nvcc of the CUDA toolkit 13.0 is found; train on the CPU with --device cpu");
}

}  // namespace

Result<CudaPlugin*> load_cuda_plugin() {
    static const Result<CudaPlugin*> answer = load();
    return answer;
}

}  // namespace braid
