#include "core/measure/mechanism/logistic.h"

#include <linear.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "core/base/random.h"

namespace braid {
namespace {

constexpr double tolerance = 1e-4;  // of the gradient's length, against that at 0

// Its printing is one pointer for all threads.
void silence_liblinear() {
    static const bool once = [] {
        set_print_string_function([](const char*) {});
        return true;
    }();
    static_cast<void>(once);
}

}  // namespace

std::int64_t LinearClassifier::predict(std::span<const double> row) const {
    std::int64_t best = 0;
    double most = 0;
    for (std::int64_t c = 0; c < classes; ++c) {
        const double* w = weights.data() + c * (width + 1);
        double value = w[width];
        for (std::int64_t i = 0; i < width; ++i) value += w[i] * row[std::size_t(i)];
        if (c == 0 || value > most) best = c, most = value;
    }
    return best;
}

LinearClassifier fit_logistic(std::span<const double> rows, std::int64_t width,
                              std::span<const std::int64_t> labels, double cost,
                              const std::function<bool()>& go_on) {
    const std::size_t count = labels.size(), stride = std::size_t(width) + 2;  // bias and end
    std::vector<feature_node> nodes(count * stride);
    std::vector<feature_node*> starts(count);
    for (std::size_t i = 0; i < count; ++i) {
        feature_node* node = starts[i] = nodes.data() + i * stride;
        for (std::int64_t j = 0; j < width; ++j)
            node[j] = {.index = int(j) + 1, .value = rows[i * std::size_t(width) + std::size_t(j)]};
        node[width] = {.index = int(width) + 1, .value = 1};
        node[width + 1] = {.index = -1, .value = 0};
    }
    LinearClassifier classifier{.classes = 1 + *std::max_element(labels.begin(), labels.end()),
                                .width = width};
    silence_liblinear();
    std::vector<double> y(count);
    // One class at a time: liblinear orders classes by their first row, and takes two of them as one problem.
    for (std::int64_t c = 0; c < classifier.classes; ++c) {
        if (go_on && !go_on()) return {.width = width};
        for (std::size_t i = 0; i < count; ++i) y[i] = labels[i] == c ? 1 : -1;
        const problem task{
            .l = int(count), .n = int(width) + 1, .y = y.data(), .x = starts.data(), .bias = 1};
        parameter how{};
        how.solver_type = L2R_LR;
        how.eps = tolerance;
        how.C = cost;
        const auto drop = [](model* trained) { free_and_destroy_model(&trained); };
        const std::unique_ptr<model, decltype(drop)> trained(train(&task, &how), drop);
        // The weights are those of the class of the first row.
        const double sign = trained->label[0] == 1 ? 1 : -1;
        for (std::int64_t j = 0; j <= width; ++j) classifier.weights.push_back(sign * trained->w[j]);
    }
    return classifier;
}

std::vector<double> standardised(std::span<const float> rows, std::int64_t width,
                                 std::span<const std::size_t> training) {
    const auto columns = std::size_t(width);
    std::vector<double> mean(columns, 0), deviation(columns, 0), result(rows.begin(), rows.end());
    for (const std::size_t i : training)
        for (std::size_t j = 0; j < columns; ++j) mean[j] += rows[i * columns + j] / double(training.size());
    for (const std::size_t i : training)
        for (std::size_t j = 0; j < columns; ++j) {
            const double away = rows[i * columns + j] - mean[j];
            deviation[j] += away * away / double(training.size());
        }
    for (double& each : deviation) each = each > 0 ? std::sqrt(each) : 1;
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = (result[i] - mean[i % columns]) / deviation[i % columns];
    return result;
}

SampleSplit stratified_split(std::span<const std::int64_t> labels, double test_share, std::uint64_t seed) {
    std::map<std::int64_t, std::vector<std::size_t>> by_class;
    for (std::size_t i = 0; i < labels.size(); ++i) by_class[labels[i]].push_back(i);
    SampleSplit split;
    Random random(seed, "probe/split");
    for (auto& [label, rows] : by_class) {
        for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
        const auto wanted = std::size_t(std::llround(test_share * double(rows.size())));
        const std::size_t test = rows.size() < 2 ? 0 : std::clamp<std::size_t>(wanted, 1, rows.size() - 1);
        split.test.insert(split.test.end(), rows.begin(), rows.begin() + std::ptrdiff_t(test));
        split.training.insert(split.training.end(), rows.begin() + std::ptrdiff_t(test), rows.end());
    }
    std::sort(split.test.begin(), split.test.end());
    std::sort(split.training.begin(), split.training.end());
    return split;
}

}  // namespace braid
