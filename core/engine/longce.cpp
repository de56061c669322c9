#include "core/engine/longce.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <vector>

#include "core/engine/model.h"

namespace braid {

at::Tensor longce_weights(Model& model, const at::Tensor& tokens_BT, const at::Tensor& targets_BT,
                          const LongceRule& rule, const at::Tensor& starts_BT) {
    const std::int64_t tokens = tokens_BT.size(1);
    const std::int64_t advance = std::max<std::int64_t>(1, rule.window / 2);
    const at::Tensor whole_BT = model.evaluate(tokens_BT, targets_BT, starts_BT).loss_BT;
    at::Tensor gain_BT = at::zeros_like(whole_BT);

    std::vector<std::int64_t> starts;
    for (std::int64_t start = advance; start + rule.window <= tokens; start += advance)
        starts.push_back(start);
    if (starts.empty() || starts.back() + rule.window < tokens) starts.push_back(tokens - rule.window);
    // All windows of all sequences at once, window by window.
    std::vector<at::Tensor> window_tokens, window_targets, window_starts;
    for (const std::int64_t start : starts) {
        window_tokens.push_back(tokens_BT.narrow(1, start, rule.window));
        window_targets.push_back(targets_BT.narrow(1, start, rule.window));
        if (starts_BT.defined())
            window_starts.push_back(starts_BT.narrow(1, start, rule.window).sub(start).clamp_min(0));
    }
    const at::Tensor short_loss = model
                                      .evaluate(at::cat(window_tokens), at::cat(window_targets),
                                                starts_BT.defined() ? at::cat(window_starts) : at::Tensor())
                                      .loss_BT;

    std::int64_t scored = rule.window;  // positions before it keep weight 1
    const std::int64_t batch = tokens_BT.size(0);
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::int64_t end = starts[i] + rule.window;
        const std::int64_t count = end - scored;
        if (count <= 0) continue;
        const at::Tensor in_window = short_loss.narrow(0, static_cast<std::int64_t>(i) * batch, batch)
                                         .narrow(1, rule.window - count, count);
        gain_BT.narrow(1, scored, count).copy_(at::sub(in_window, whole_BT.narrow(1, scored, count)));
        scored = end;
    }
    return gain_BT.exp_().clamp_max_(rule.cap);
}

}  // namespace braid
