#include "core/engine/text_losses.h"

#include <ATen/ops/from_blob.h>

#include <algorithm>

#include "core/engine/model.h"

namespace braid {
namespace {

constexpr std::int64_t tokens_at_a_time = 4'096;

at::Tensor rows_of(std::span<const std::int32_t> numbers_BT, std::int64_t first, std::int64_t count,
                   std::int64_t length) {
    // Only read, and copied where the device is another.
    return at::from_blob(const_cast<std::int32_t*>(numbers_BT.data()) + first * length, {count, length},
                         at::kInt);
}

}  // namespace

std::vector<float> text_losses(Model& model, const Batch& batch, const std::function<bool()>& go_on,
                               std::span<const std::int32_t> starts_BT) {
    std::vector<float> losses(batch.tokens_BT.size());
    const std::int64_t block = std::max<std::int64_t>(1, tokens_at_a_time / batch.context);
    for (std::int64_t first = 0; first < batch.sequences; first += block) {
        if (go_on && !go_on()) return {};
        const std::int64_t count = std::min(block, batch.sequences - first);
        const at::Tensor loss =
            model
                .evaluate(rows_of(batch.tokens_BT, first, count, batch.context),
                          rows_of(batch.targets_BT, first, count, batch.context),
                          starts_BT.empty() ? at::Tensor() : rows_of(starts_BT, first, count, batch.context))
                .loss_BT.to(at::kCPU, at::kFloat)
                .contiguous();
        std::copy_n(loss.const_data_ptr<float>(), loss.numel(), losses.begin() + first * batch.context);
    }
    return losses;
}

}  // namespace braid
