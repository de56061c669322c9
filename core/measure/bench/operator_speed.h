// How quick the operations are that a model is made of, each alone, at the dimensions of a scale: what
// kernels of other software can be held against.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/measure/bench/stopwatch.h"
#include "core/mixers/torch/ops.h"
#include "core/spec/scale.h"

namespace braid {

struct OperatorShape {
    std::int64_t batch = 0;
    std::int64_t context = 0;
    std::int64_t rounds = 0;
};

struct OperatorSpeed {
    std::string name;         // "attention, window 512, sink"
    std::string detail;       // "12/2 heads of 64"
    std::string kernel = {};  // where there is a choice: "hopper"
    double forward_ms = 0;
    double forward_backward_ms = 0;
    double flops = 0;  // of forward and backward, those of products; 0: not what bounds it
};

// Softmax attention with a sink over all keys and over windows; the recurrences of the registered mixers at
// the heads that they have at this scale; head and loss. Random inputs of unit variance, in the compute type.
// A time is that of a few calls in a row, by their number. Errors: out_of_memory, interrupted.
Result<std::vector<OperatorSpeed>> time_operators(const Scale& scale, const std::shared_ptr<Ops>& ops,
                                                  const OperatorShape& shape, const BenchGoOn& go_on);

}  // namespace braid
