// Names of metrics that are made, not written out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace braid {

inline constexpr std::string_view head_norm_prefix = "head_grad_norm/";

// |dL/dW_Q|_F of one query head: "head_grad_norm/L3.H5", both from 0.
inline std::string head_norm_metric(std::int64_t layer, std::int64_t head) {
    std::string name(head_norm_prefix);
    name.append("L").append(std::to_string(layer)).append(".H").append(std::to_string(head));
    return name;
}
// Headline numbers of scores over steps: "score/niah/niah-average" (core/record/score.h, score_metric()).
inline constexpr std::string_view score_prefix = "score/";
inline bool is_score(std::string_view metric) { return metric.starts_with(score_prefix); }

// Accuracies of a task's groups, from 0 to 1: "recall/far", "mqar/near", "niah/depth-0". Losses of the
// evaluation are "eval/...".
inline bool is_accuracy(std::string_view metric) {
    return metric.find('/') != std::string_view::npos && !metric.starts_with("eval/") &&
           !metric.starts_with(head_norm_prefix) && !is_score(metric);
}

inline bool is_head_norm(std::string_view metric) { return metric.starts_with(head_norm_prefix); }

}  // namespace braid
