// An architecture's cost as JSON: of `arch show --json` and of serve's arch.cost.
#pragma once

#include "core/base/json.h"
#include "core/spec/architecture.h"
#include "core/spec/diff.h"

namespace braid::cli {

// layers, params {paper, total, non_embedding}, per_layer[{mixer, params {paper, total}, kv_bytes_per_token,
// kv_bytes, state_bytes, flops_per_token}], kv_bytes, state_bytes, flops_per_token (training) and
// forward_flops_per_token; and what they belong to: pattern, context, vocab, hash, spec.
Json cost_json(const ArchitectureSpec& spec, std::int64_t context);

Json diff_json(const ArchitectureDiff& diff);

// "swa", or "full+swa" for a head-wise layer.
std::string mixer_text(const LayerSpec& layer);

}  // namespace braid::cli
