// A library that is opened only where a run needs it: libbraid_cuda.so, libbraid_mpi.so.
#pragma once

#include <string>

#include "core/base/error.h"

namespace braid {

struct PluginName {
    const char* file;      // "libbraid_cuda.so"
    const char* variable;  // of the environment; names another file: "BRAID_CUDA_PLUGIN"
    const char* title;     // "CUDA plugin"
    const char* version;   // exported; const char* (): must answer plugin_version
    const char* hint;      // where there is none
};

class PluginFile {
public:
    // Looks at `variable`, beside the program, and in ../lib and ../lib/braid from there. Errors:
    // unavailable (not found, does not load, of another build). Never closed again.
    static Result<PluginFile> open(const PluginName& name);

    // Null where the library has no such function.
    template <class Function>
    Function function(const char* name) const {
        return reinterpret_cast<Function>(symbol(name));
    }

private:
    void* symbol(const char* name) const;
    void* library_ = nullptr;
};

}  // namespace braid
