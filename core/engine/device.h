// Where a model runs, and the plugin behind "cuda".
//
// libbraid_cuda.so is looked for in $BRAID_CUDA_PLUGIN, beside the program, and in ../lib from there. It is
// opened only when a run asks for CUDA, before the first ATen call: LibTorch wants its CUDA half loaded
// before anything asks for CUDA hooks, and a start on the CPU stays quick without it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace braid {

class Collective;
class Ops;
class RankChannel;

// One that can be asked for by name.
struct KernelInfo {
    std::string name = {};  // "cudnn"
    std::string use = {};   // when it is taken, unless another is asked for
};

struct DeviceInfo {
    std::string name = {};     // "cpu", "cuda:0"
    std::string title = {};    // "NVIDIA H200", "AMD EPYC ..., 16 cores"
    std::int64_t memory = 0;   // bytes
    std::string details = {};  // "sm_90, driver 13.0"
    std::string id = {};       // of a GPU: differs from that of any other GPU, of any machine
    // The first that can is taken: kernels.attention, kernels.recurrence.
    std::vector<KernelInfo> attention_kernels = {}, recurrence_kernels = {};
};

// Where the driver of an NVIDIA GPU is loaded; cheap, no library is opened.
bool has_nvidia_driver();

// The ops of "cpu", "cuda" or "auto" (CUDA where there is a driver, the plugin and a device, else the CPU);
// `threads` 0: all cores; `index`: which of several GPUs. Errors: unavailable, with what is missing and what
// to do.
Result<std::shared_ptr<Ops>> open_device(const std::string& device, std::int64_t threads,
                                         std::int64_t index = 0);

// Kernels asked for by name: kernels.attention, kernels.recurrence. Error: invalid_input that names each of
// which the device has no such kernel; `path` is what they are members of ("training", or nothing).
struct KernelNames {
    std::string attention = "auto", recurrence = "auto";
};
Result<void> use_kernels(Ops& ops, const KernelNames& names, const std::string& path);

// Sums over ranks through the CUDA plugin: core/engine/parallel/collective.h.
Result<std::unique_ptr<Collective>> open_nccl(RankChannel& channel, std::int64_t index);

// The CPU and, with `cuda`, what the plugin sees. `problem` says why there is no CUDA (may be null).
std::vector<DeviceInfo> list_devices(bool cuda, Error* problem);

// What the plugin exports, under these names with C linkage. It is built from the same tree; the version
// (core/engine/device.cpp: plugin_version()) is compared before anything else is called.
namespace plugin {
// const char* braid_plugin_version();
using Version = const char* (*)();
// void braid_plugin_devices(std::vector<DeviceInfo>* devices, Error* error);   error.message empty: all well
using Devices = void (*)(std::vector<DeviceInfo>*, Error*);
// void braid_plugin_make_ops(std::int64_t index, std::shared_ptr<Ops>* ops, Error* error);   never throws
using MakeOps = void (*)(std::int64_t, std::shared_ptr<Ops>*, Error*);
}  // namespace plugin

// Changes with every change of Ops or of the functions above.
inline constexpr const char* plugin_version = "braid-ops-7";

}  // namespace braid
