// The entry of libbraid_cuda.so.
#include <ATen/cuda/CUDAContext.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <cublas_v2.h>

#include "core/engine/cuda/check.h"
#include "core/engine/cuda/cuda_ops.h"
#include "core/engine/cuda_plugin.h"

namespace braid {
namespace {

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

class Plugin final : public CudaPlugin {
public:
    Result<std::vector<CudaDevice>> devices() override {
        int count = 0;
        if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess)
            return fail(ErrorKind::unavailable, std::string("CUDA does not start: ") + cudaGetErrorString(status), {},
                        "Check the driver with nvidia-smi");
        std::vector<CudaDevice> devices;
        for (int i = 0; i < count; ++i) {
            cudaDeviceProp properties{};
            if (const cudaError_t status = cudaGetDeviceProperties(&properties, i); status != cudaSuccess)
                return fail(ErrorKind::unavailable, cudaGetErrorString(status), "device " + std::to_string(i));
            CudaDevice device{.name = properties.name,
                              .capability_major = properties.major,
                              .capability_minor = properties.minor,
                              .total_bytes = static_cast<std::int64_t>(properties.totalGlobalMem)};
            std::size_t free_bytes = 0;
            std::size_t total_bytes = 0;
            if (cudaSetDevice(i) == cudaSuccess && cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess)
                device.free_bytes = static_cast<std::int64_t>(free_bytes);
            devices.push_back(std::move(device));
        }
        if (count > 0) cudaSetDevice(0);
        return devices;
    }

    Result<std::shared_ptr<Ops>> make_ops(int device) override {
        Result<std::vector<CudaDevice>> all = devices();
        if (!all) return fail(std::move(all.error()));
        if (device < 0 || device >= static_cast<int>(all->size()))
            return fail(ErrorKind::unavailable,
                        "there is no CUDA device " + std::to_string(device) + "; found " + std::to_string(all->size()));
        const CudaDevice& chosen = (*all)[static_cast<std::size_t>(device)];
        if (chosen.capability_major < 8)
            return fail(ErrorKind::unavailable,
                        chosen.name + " has compute capability " + std::to_string(chosen.capability_major) + "." +
                            std::to_string(chosen.capability_minor) + "; 8.0 or newer is needed",
                        {}, "Train on the CPU with --device cpu");
        if (const cudaError_t status = cudaSetDevice(device); status != cudaSuccess)
            return fail(ErrorKind::unavailable, cudaGetErrorString(status), chosen.name);
        try {
            return make_cuda_ops(device);
        } catch (const std::exception& error) {
            return fail(ErrorKind::unavailable, error.what(), chosen.name);
        }
    }

    void synchronise() override { cuda::check(cudaDeviceSynchronize(), "synchronise"); }

    std::int64_t take_peak_bytes() override {
        int device = 0;
        cuda::check(cudaGetDevice(&device), "device");
        const auto index = static_cast<c10::DeviceIndex>(device);
        auto* allocator = c10::cuda::CUDACachingAllocator::get();
        const std::int64_t peak = allocator->getDeviceStats(index).reserved_bytes[0].peak;
        allocator->resetPeakStats(index);
        return peak;
    }

    std::string versions() override {
        int driver = 0;
        cudaDriverGetVersion(&driver);
        const long cudnn = at::detail::getCUDAHooks().versionCuDNN();  // 91900
        return "CUDA " + version_text(CUDART_VERSION) + ", cuDNN " + std::to_string(cudnn / 10000) + "." +
               std::to_string(cudnn / 100 % 100) + ", driver " + version_text(driver);
    }
};

}  // namespace
}  // namespace braid

extern "C" __attribute__((visibility("default"))) braid::CudaPlugin* braid_cuda_plugin(int version) {
    static braid::Plugin plugin;
    return version == braid::cuda_plugin_version ? &plugin : nullptr;
}
