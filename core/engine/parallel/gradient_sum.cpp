#include "core/engine/parallel/gradient_sum.h"

#include <cstdlib>
#include <limits>

namespace braid {
namespace {

// 32 MiB of float32: large enough for the full speed of a link, small enough to begin early.
constexpr std::int64_t bucket_elements = std::int64_t{8} << 20;

}  // namespace

GradientSum::GradientSum(Collective& collective, const Model& model)
    : collective_(collective),
      model_(model),
      overlap_(std::getenv("BRAID_NO_OVERLAP") == nullptr),
      buckets_(gradient_buckets(model.parameters().layout(), bucket_elements)) {}

Model::StageDone GradientSum::during_backward() {
    next_ = 0;
    if (!overlap_) return {};
    return [this](std::int64_t stage) { begin_until(stage); };
}

void GradientSum::finish() {
    begin_until(std::numeric_limits<std::int64_t>::max());
    collective_.begin_sum(model_.loss_sum());
    collective_.finish();
}

void GradientSum::begin_until(std::int64_t stage) {
    const at::Tensor& gradients = model_.parameters().gradients();
    for (; next_ < buckets_.size() && buckets_[next_].stage <= stage; ++next_)
        collective_.begin_sum(
            gradients.narrow(0, buckets_[next_].begin, buckets_[next_].end - buckets_[next_].begin));
}

}  // namespace braid
