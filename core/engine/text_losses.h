// Losses of a fixed set of texts, a few sequences at a time.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/data/batch.h"

namespace braid {

class Model;

// [B, T] row-major: loss of each target in nats, 0 where there is none. `go_on`, asked before every few
// sequences, ends it early with an empty result. starts_BT, where given, keeps documents apart (core/data/
// batch.h, document_starts()). May throw what ATen throws.
std::vector<float> text_losses(Model& model, const Batch& batch, const std::function<bool()>& go_on = {},
                               std::span<const std::int32_t> starts_BT = {});

}  // namespace braid
