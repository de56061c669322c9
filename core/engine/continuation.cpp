#include "core/engine/continuation.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/engine/guard.h"
#include "core/engine/inference.h"

namespace braid {
namespace {

// [1, T]; only read, and copied where the device is another.
template <class Number>
at::Tensor row(std::span<const Number> tokens, at::ScalarType type) {
    return at::from_blob(const_cast<Number*>(tokens.data()), {1, std::int64_t(tokens.size())}, type);
}

at::Tensor on_host(const at::Tensor& logits) { return logits.to(at::kCPU, at::kFloat).contiguous(); }

std::span<const float> numbers_of(const at::Tensor& host) {
    return {host.const_data_ptr<float>(), std::size_t(host.numel())};
}

std::int32_t draw(std::span<const float> logits, double temperature, Random& random) {
    const auto top = std::max_element(logits.begin(), logits.end());
    if (temperature == 0) return std::int32_t(top - logits.begin());
    double sum = 0;
    for (const float logit : logits) sum += std::exp((double(logit) - double(*top)) / temperature);
    double left = random.uniform(0, 1) * sum;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        left -= std::exp((double(logits[i]) - double(*top)) / temperature);
        if (left < 0) return std::int32_t(i);
    }
    return std::int32_t(top - logits.begin());  // rounding used up the last share
}

}  // namespace

Result<void> text_logits(Model& model, std::span<const std::int64_t> tokens,
                         const std::function<Result<void>(std::int64_t, std::span<const float>)>& receive) {
    return guarded("logits", [&]() -> Result<void> {
        Generator generator(model);
        InferenceState state = generator.start(1, std::int64_t(tokens.size()));
        Result<void> taken;
        generator.prefill(state, row(tokens, at::kLong),
                          [&](std::int64_t first, const at::Tensor& logits_BtV) {
                              const at::Tensor host = on_host(logits_BtV);
                              taken = receive(first, numbers_of(host));
                              return taken.has_value();
                          });
        return taken;
    });
}

Result<ContinuationEnd> continue_text(Model& model, std::span<const std::int32_t> prompt,
                                      const Continuation& rule,
                                      const std::function<bool(std::int32_t)>& receive) {
    return guarded("generate", [&]() -> Result<ContinuationEnd> {
        Generator generator(model);
        InferenceState state = generator.start(1, std::int64_t(prompt.size()) + rule.tokens);
        Random random(rule.seed, "generate");
        at::Tensor logits = on_host(generator.prefill(state, row(prompt, at::kInt)));
        for (std::int64_t i = 0; i < rule.tokens; ++i) {
            const std::span<const float> numbers = numbers_of(logits);
            if (!std::all_of(numbers.begin(), numbers.end(), [](float x) { return std::isfinite(x); }))
                return fail(ErrorKind::internal, "the model's logits are not finite numbers");
            const std::int32_t token = draw(numbers, rule.temperature, random);
            if (std::find(rule.ends.begin(), rule.ends.end(), token) != rule.ends.end())
                return ContinuationEnd::end_token;
            if (!receive(token)) return ContinuationEnd::stopped;
            if (i + 1 < rule.tokens)
                logits = on_host(generator.step(state, at::full({1}, std::int64_t(token), at::kLong)));
        }
        return ContinuationEnd::tokens;
    });
}

}  // namespace braid
