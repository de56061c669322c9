// The lightweight classifiers that the paper compares with logistic regression (D.2, Table 9), by OpenCV's
// machine learning module.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

// Rows [n, width], row-major, with labels from 0; each class of `classes` at least once.
struct LabelledRows {
    std::span<const float> rows;
    std::int64_t width = 0;
    std::int64_t classes = 0;
    std::span<const std::int64_t> labels;
};

struct OtherClassifier {
    std::string_view id;     // "forest"
    std::string_view title;  // "Random forest"
    // Learns from `training` and labels the rows of `test` ([m, width]). The same seed gives the same answer.
    // May throw what OpenCV throws.
    std::vector<std::int64_t> (*classify)(const LabelledRows& training, std::span<const float> test,
                                          std::uint64_t seed);
};

// In the order of Table 9; a new one is a line in classifiers.cpp.
std::span<const OtherClassifier> other_classifiers();

}  // namespace braid
