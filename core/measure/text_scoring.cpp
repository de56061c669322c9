#include "core/measure/text_scoring.h"

#include <algorithm>

#include "core/engine/guard.h"
#include "core/engine/text_losses.h"

namespace braid {
namespace {

constexpr std::int64_t tokens_between_looks = 16'384;

}  // namespace

Result<std::vector<float>> batch_losses(Model& model, const Batch& batch,
                                        const std::function<bool(double fraction)>& go_on,
                                        std::span<const std::int32_t> starts_BT) {
    return guarded("scoring", [&]() -> Result<std::vector<float>> {
        std::vector<float> losses;
        losses.reserve(batch.tokens_BT.size());
        const std::int64_t block = std::max<std::int64_t>(1, tokens_between_looks / batch.context);
        bool stopped = false;
        for (std::int64_t first = 0; first < batch.sequences && !stopped; first += block) {
            const std::int64_t count = std::min(block, batch.sequences - first);
            const auto begin = first * batch.context, end = (first + count) * batch.context;
            const Batch part{
                .sequences = count,
                .context = batch.context,
                .tokens_BT = {batch.tokens_BT.begin() + begin, batch.tokens_BT.begin() + end},
                .targets_BT = {batch.targets_BT.begin() + begin, batch.targets_BT.begin() + end}};
            const auto ask = [&] {
                stopped = stopped || (go_on && !go_on(double(first) / double(batch.sequences)));
                return !stopped;
            };
            const std::vector<float> more = text_losses(
                model, part, ask,
                starts_BT.empty() ? starts_BT
                                  : starts_BT.subspan(std::size_t(begin), std::size_t(end - begin)));
            losses.insert(losses.end(), more.begin(), more.end());
        }
        if (stopped) return fail(ErrorKind::interrupted, "stopped before all texts were scored");
        return losses;
    });
}

}  // namespace braid
