// One-vs-rest logistic regression on standardised features (paper D.2), by liblinear.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace braid {

struct LinearClassifier {
    std::int64_t classes = 0, width = 0;
    std::vector<double> weights = {};  // [classes, width + 1]; the last of a row is its bias
    std::int64_t predict(std::span<const double> row) const;  // the class with the largest w.x + b
};

// Minimises |w|^2 / 2 + cost sum log(1 + exp(-y (w.x + b))) for each class against the rest (y = +-1), the
// bias as a weight among the others. rows: [n, width] row-major; labels from 0, each class at least once.
// go_on is asked before each class; false gives up, without classes. May run on several threads at once.
LinearClassifier fit_logistic(std::span<const double> rows, std::int64_t width,
                              std::span<const std::int64_t> labels, double cost,
                              const std::function<bool()>& go_on = {});

// Every column less its mean over `training` rows, divided by its standard deviation there (1 where that is
// 0).
std::vector<double> standardised(std::span<const float> rows, std::int64_t width,
                                 std::span<const std::size_t> training);

// Numbers of rows for training and test: of each class the nearest whole number to `test_share`, at least one
// and not all, drawn with the seed. Both ascending.
struct SampleSplit {
    std::vector<std::size_t> training = {}, test = {};
};
SampleSplit stratified_split(std::span<const std::int64_t> labels, double test_share, std::uint64_t seed);

}  // namespace braid
