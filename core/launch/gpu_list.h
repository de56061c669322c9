// The NVIDIA GPUs that engines may be started on, seen without loading CUDA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace braid {

struct Gpu {
    std::string id;                               // what CUDA_VISIBLE_DEVICES takes
    std::optional<std::int64_t> free_bytes = {};  // unknown where nvidia-smi is not there
    bool operator==(const Gpu&) const = default;
};

// Those of CUDA_VISIBLE_DEVICES where it is set, else all that the driver has; free memory from nvidia-smi.
std::vector<Gpu> visible_gpus();

// The lines of `nvidia-smi --query-gpu=index,uuid,memory.free --format=csv,noheader,nounits` (MiB); `visible`
// is the value of CUDA_VISIBLE_DEVICES, nothing where it is not set. Lines that are none are passed over.
std::vector<Gpu> parse_gpus(std::string_view text, const std::optional<std::string>& visible);

}  // namespace braid
