#include "core/engine/documents.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <vector>

namespace braid {
namespace {

// Behind what the device has to do already: the host does not wait for it.
at::Tensor sent(const at::Tensor& host, at::Device device) {
    return device.is_cpu() ? host : host.pin_memory().to(device, /*non_blocking=*/true);
}

}  // namespace

Documents documents_of(const at::Tensor& starts_BT, at::Device device) {
    if (!starts_BT.defined()) return {};
    const at::Tensor starts = starts_BT.contiguous();
    const std::int64_t tokens = starts.size(1), rows = starts.numel();
    std::vector<std::int32_t> bounds;
    std::int64_t longest = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t place = row % tokens, start = starts.const_data_ptr<std::int32_t>()[row];
        if (start == place) bounds.push_back(std::int32_t(row));
        longest = std::max(longest, place - start + 1);
    }
    bounds.push_back(std::int32_t(rows));
    return {.starts_BT = sent(starts, device),
            .bounds = sent(at::tensor(bounds, at::kInt), device),
            .longest = longest};
}

}  // namespace braid
