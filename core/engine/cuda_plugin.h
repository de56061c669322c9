// Everything that needs CUDA lives in libbraid_cuda.so, loaded when a run asks for it: a start on the CPU stays
// quick and a machine without a driver runs everything else.
//
// Load it before the first ATen call of a process that will use CUDA: ATen asks for its CUDA hooks once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace braid {

class Ops;

struct CudaDevice {
    std::string name;  // "NVIDIA H200"
    int capability_major = 0;
    int capability_minor = 0;
    std::int64_t total_bytes = 0;
    std::int64_t free_bytes = 0;
};

// What the plugin offers. One object a process; never destroyed.
class CudaPlugin {
public:
    virtual ~CudaPlugin() = default;
    virtual Result<std::vector<CudaDevice>> devices() = 0;
    // float32 masters, gradients, residual stream and statistics; bfloat16 weights and activations.
    // Errors: unavailable (no such device, capability below 8.0), out_of_memory.
    virtual Result<std::shared_ptr<Ops>> make_ops(int device) = 0;
    virtual void synchronise() = 0;
    // Largest memory held since the last call, in bytes, by the caching allocator.
    virtual std::int64_t take_peak_bytes() = 0;
    virtual std::string versions() = 0;  // "CUDA 13.0, cuDNN 9.19.0, driver 13.0"
};

// Raised whenever CudaPlugin or Ops changes: engine and plugin of one build belong together.
inline constexpr int cuda_plugin_version = 1;
using CudaPluginEntry = CudaPlugin* (*)(int version);  // null for another version
inline constexpr const char* cuda_plugin_symbol = "braid_cuda_plugin";
inline constexpr const char* cuda_plugin_file = "libbraid_cuda.so";

// Looks beside the program, in ../lib and in BRAID_CUDA_PLUGIN. Errors: unavailable, with what is missing
// (plugin not built, no driver, a library) and how to get it. Loaded once; later calls give the same answer.
Result<CudaPlugin*> load_cuda_plugin();

}  // namespace braid
