// bench step --contexts .. --scales ..: one table of how training speed changes with both.
#pragma once

#include "app/engine/verbs/bench_options.h"
#include "core/base/error.h"

namespace braid::cli {

inline bool is_sweep(const BenchOptions& options) {
    return !options.contexts.empty() || !options.scales.empty() || !options.out.empty();
}

// The contexts at --scale, and the scales at --context; the batch is as large as --batch x --context tokens
// allow. Writes --out after each row, so that an interruption keeps what was measured. What does not fit into
// memory is a row that says so.
Result<void> bench_growth(const BenchOptions& options);

}  // namespace braid::cli
