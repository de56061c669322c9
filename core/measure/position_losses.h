// Losses of one or two models on the same sequences: the mean, and the mean by position in the context.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/data/batch.h"

namespace braid {

// A mean over targets, whose standard error is that over sequences: the targets of one sequence are not
// independent, the sequences are taken to be.
struct MeanLoss {
    double mean = 0;            // nats; NaN without targets
    double standard_error = 0;  // NaN with fewer than two sequences
    std::int64_t targets = 0;
    std::int64_t sequences = 0;  // with a target
};

// loss_BT as text_losses() gives it. Positions [begin, end) of each sequence; end -1: to its end.
MeanLoss mean_loss(const Batch& batch, std::span<const float> loss_BT, std::int64_t begin = 0,
                   std::int64_t end = -1);

// Ends of `count` ranges of positions that cover [0, context), each of at least one position; with
// `logarithmic` each about as many times longer than the one before as any other. Fewer where there are fewer
// positions.
std::vector<std::int64_t> position_buckets(std::int64_t context, std::int64_t count, bool logarithmic);

struct PositionLoss {
    std::int64_t begin = 0;  // positions [begin, end)
    std::int64_t end = 0;
    MeanLoss loss = {};
    std::optional<MeanLoss> difference = {};  // from the other model, paired over sequences
};
// `other`: losses of another model on the same batch; empty: none.
std::vector<PositionLoss> position_losses(const Batch& batch, std::span<const float> loss_BT,
                                          std::span<const float> other, std::span<const std::int64_t> ends);

// a - b, element by element.
std::vector<float> loss_difference(std::span<const float> a, std::span<const float> b);

}  // namespace braid
