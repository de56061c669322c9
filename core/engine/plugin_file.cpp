#include "core/engine/plugin_file.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/engine/device.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> places_of(const PluginName& name) {
    if (const char* given = std::getenv(name.variable)) return {given};
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    return {(program / name.file).string(), (program.parent_path() / "lib" / name.file).string(),
            (program.parent_path() / "lib" / "braid" / name.file).string()};
}

}  // namespace

Result<PluginFile> PluginFile::open(const PluginName& name) {
    const std::string title = name.title;
    std::string file;
    std::string looked;
    for (const std::string& place : places_of(name)) {
        looked.append(looked.empty() ? "" : ", ").append(place);
        if (fs::exists(place)) {
            file = place;
            break;
        }
    }
    if (file.empty())
        return fail(ErrorKind::unavailable, "no " + title + " (looked for " + looked + ")", {}, name.hint);
    PluginFile opened;
    // Never closed: LibTorch's CUDA half does not unload.
    opened.library_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (opened.library_ == nullptr) {
        const char* why = ::dlerror();
        return fail(ErrorKind::unavailable, "the " + title + " cannot be loaded: " + (why ? why : "?"), file,
                    name.hint);
    }
    const auto version = opened.function<const char* (*)()>(name.version);
    if (version == nullptr) return fail(ErrorKind::unavailable, "is no " + title + " of Braid", file);
    if (std::string(version()) != plugin_version)
        return fail(ErrorKind::unavailable,
                    "the " + title + " is of another build: " + version() + " instead of " + plugin_version,
                    file, "Build engine and plugin from the same tree");
    return opened;
}

void* PluginFile::symbol(const char* name) const { return ::dlsym(library_, name); }

}  // namespace braid
