#include "core/engine/documents.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <vector>

namespace braid {

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
    return {.starts_BT = starts.to(device),
            .bounds = at::tensor(bounds, at::kInt).to(device),
            .longest = longest};
}

}  // namespace braid
