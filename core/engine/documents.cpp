#include "core/engine/documents.h"

#include <ATen/ops/tensor.h>

#include <vector>

namespace braid {

Documents documents_of(const at::Tensor& starts_BT, at::Device device) {
    if (!starts_BT.defined()) return {};
    const at::Tensor starts = starts_BT.contiguous();
    const std::int64_t tokens = starts.size(1), rows = starts.numel();
    std::vector<std::int32_t> bounds;
    for (std::int64_t row = 0; row < rows; ++row)
        if (starts.const_data_ptr<std::int32_t>()[row] == std::int32_t(row % tokens))
            bounds.push_back(std::int32_t(row));
    bounds.push_back(std::int32_t(rows));
    return {.starts_BT = starts.to(device), .bounds = at::tensor(bounds, at::kInt).to(device)};
}

}  // namespace braid
