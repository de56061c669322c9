// The entries of libbraid_cuda.so; see core/engine/device.h.
#include <cuda_runtime.h>

#include "core/engine/cuda/attention_kernels.h"
#include "core/engine/cuda/check.h"
#include "core/engine/cuda/cuda_ops.h"
#include "core/engine/cuda/linear_kernels.h"
#include "core/engine/device.h"

namespace braid {
namespace {

std::string version_text(int version) {  // 13000 -> "13.0"
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string hex_text(const cudaUUID_t& id) {
    std::string text = "GPU-";
    for (const char byte : id.bytes)
        for (const int shift : {4, 0})
            text += "0123456789abcdef"[static_cast<unsigned char>(byte) >> shift & 15];
    return text;
}

DeviceInfo describe_device(int index, const cudaDeviceProp& properties) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    const auto existing = [&](const auto& all) {
        std::vector<KernelInfo> kernels;
        for (const auto& kernel : all)
            if (kernel.exists(10 * properties.major + properties.minor))
                kernels.push_back({.name = kernel.name, .use = kernel.use});
        return kernels;
    };
    return {.name = "cuda:" + std::to_string(index),
            .title = properties.name,
            .memory = static_cast<std::int64_t>(properties.totalGlobalMem),
            .details = "sm_" + std::to_string(properties.major) + std::to_string(properties.minor) +
                       ", driver " + version_text(driver),
            .id = hex_text(properties.uuid),
            .attention_kernels = existing(cuda::attention_kernels()),
            .recurrence_kernels = existing(cuda::linear_kernels())};
}

Error unavailable(std::string message, std::string hint) {
    return {.kind = ErrorKind::unavailable, .message = std::move(message), .hint = std::move(hint)};
}

}  // namespace
}  // namespace braid

extern "C" {

__attribute__((visibility("default"))) const char* braid_plugin_version() { return braid::plugin_version; }

__attribute__((visibility("default"))) void braid_plugin_devices(std::vector<braid::DeviceInfo>* devices,
                                                                 braid::Error* error) {
    int count = 0;
    if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
        *error = braid::unavailable(std::string("CUDA does not start: ") + cudaGetErrorString(status),
                                    "Check the driver with nvidia-smi");
        return;
    }
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp properties{};
        if (cudaGetDeviceProperties(&properties, i) == cudaSuccess)
            devices->push_back(braid::describe_device(i, properties));
    }
}

__attribute__((visibility("default"))) void braid_plugin_make_ops(std::int64_t index,
                                                                  std::shared_ptr<braid::Ops>* ops,
                                                                  braid::Error* error) {
    try {
        const int device = static_cast<int>(index);
        cudaDeviceProp properties{};
        braid::cuda::check(cudaGetDeviceProperties(&properties, device), "the CUDA device does not answer");
        if (properties.major < 8) {
            *error = braid::unavailable(std::string(properties.name) + " has compute capability " +
                                            std::to_string(properties.major) + "." +
                                            std::to_string(properties.minor) + "; 8.0 or newer is needed",
                                        "Train on the CPU with --device cpu");
            return;
        }
        braid::cuda::check(cudaSetDevice(device), "the CUDA device cannot be used");
        *ops = braid::make_cuda_ops(device, 10 * properties.major + properties.minor);
    } catch (const std::exception& caught) {
        *error = braid::unavailable(caught.what(), "nvidia-smi shows whether the device works");
    }
}

}  // extern "C"
