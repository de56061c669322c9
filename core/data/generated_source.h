// What synthetic tasks share: sequences drawn one by one from counter-based random numbers, of which only
// some predictions count.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/data/batch.h"
#include "core/spec/parameter.h"

namespace braid {

// One prediction that is right or wrong.
struct DrawnAnswer {
    std::int32_t position = 0;  // 0 .. T - 1: where it is made
    std::int32_t answer = 0;    // the token to predict there
    std::int32_t distance = 0;  // tokens back to what the answer follows from
    std::int32_t group = 0;     // index into GeneratedTask::groups
};

struct DrawnSequence {
    std::vector<std::int32_t> tokens;  // T; set to 0 before a draw
    std::vector<DrawnAnswer> answers;  // the only predictions that count, in training and evaluation
};

struct GeneratedTask {
    std::string id;          // "mqar": the random streams' and metrics' first word
    ParameterValues values;  // with what the fingerprint is made
    std::int64_t vocab = 0;
    std::vector<std::string> groups;  // metrics: "mqar/near", ..
    std::int64_t evaluation_sequences = 0;
    // `number` is the sequence's place in the evaluation set, -1 in training.
    std::function<void(Random& random, std::int64_t number, DrawnSequence& sequence)> draw;
};

std::unique_ptr<DataSource> make_generated_source(GeneratedTask task, std::int64_t context,
                                                  std::uint64_t seed);

// "near": up to a quarter of the context, "mid": up to half, "far": more.
std::vector<std::string> distance_groups(const std::string& id);
std::int32_t distance_group(std::int64_t distance, std::int64_t context);

// `count` different numbers below n, in random order.
std::vector<std::int32_t> draw_distinct(Random& random, std::int64_t n, std::int64_t count);

}  // namespace braid
