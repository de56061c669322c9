#include "core/measure/mechanism/classifiers.h"

#include <opencv2/core.hpp>
#include <opencv2/ml.hpp>

#include <algorithm>
#include <array>

namespace braid {
namespace {

// What the paper leaves open, chosen to be usual: recorded in the settings by the id alone.
constexpr int hidden_units = 64, mlp_passes = 200;
constexpr int trees = 200, deepest = 20;
constexpr int neighbours = 15;
constexpr double kept_variance = 0.95;
constexpr int most_components = 64;

// A view; OpenCV takes no const data.
cv::Mat matrix(std::span<const float> rows, std::int64_t width) {
    return {int(std::int64_t(rows.size()) / width), int(width), CV_32F, const_cast<float*>(rows.data())};
}

cv::Mat labels_of(const LabelledRows& training) {
    cv::Mat labels(int(training.labels.size()), 1, CV_32S);
    std::transform(training.labels.begin(), training.labels.end(), labels.ptr<int>(),
                   [](std::int64_t label) { return int(label); });
    return labels;
}

cv::Ptr<cv::ml::TrainData> data_of(const LabelledRows& training) {
    return cv::ml::TrainData::create(matrix(training.rows, training.width), cv::ml::ROW_SAMPLE,
                                     labels_of(training));
}

std::vector<std::int64_t> whole(const cv::Mat& predicted) {
    cv::Mat numbers;
    predicted.convertTo(numbers, CV_32S);
    return {numbers.begin<int>(), numbers.end<int>()};
}

// OpenCV draws from one generator for each thread.
void set_seed(std::uint64_t seed) { cv::setRNGSeed(int(seed & 0x7fffffffU)); }

std::vector<std::int64_t> mlp(const LabelledRows& training, std::span<const float> test, std::uint64_t seed) {
    set_seed(seed);
    const auto net = cv::ml::ANN_MLP::create();
    net->setLayerSizes(cv::Mat(std::vector<int>{int(training.width), hidden_units, int(training.classes)}));
    net->setActivationFunction(cv::ml::ANN_MLP::SIGMOID_SYM, 1, 1);
    net->setTrainMethod(cv::ml::ANN_MLP::RPROP, 0.01, 1e-6);
    net->setTermCriteria({cv::TermCriteria::MAX_ITER | cv::TermCriteria::EPS, mlp_passes, 1e-5});
    cv::Mat wanted(int(training.labels.size()), int(training.classes), CV_32F, cv::Scalar(-1));
    for (std::size_t i = 0; i < training.labels.size(); ++i)
        wanted.at<float>(int(i), int(training.labels[i])) = 1;
    net->train(cv::ml::TrainData::create(matrix(training.rows, training.width), cv::ml::ROW_SAMPLE, wanted));
    cv::Mat outputs;
    net->predict(matrix(test, training.width), outputs);
    std::vector<std::int64_t> labels;
    for (int row = 0; row < outputs.rows; ++row) {
        const float* from = outputs.ptr<float>(row);
        labels.push_back(std::max_element(from, from + outputs.cols) - from);
    }
    return labels;
}

std::vector<std::int64_t> forest(const LabelledRows& training, std::span<const float> test,
                                 std::uint64_t seed) {
    set_seed(seed);
    const auto model = cv::ml::RTrees::create();
    model->setMaxDepth(deepest);
    model->setMinSampleCount(2);
    model->setTermCriteria({cv::TermCriteria::MAX_ITER, trees, 0});
    model->train(data_of(training));
    cv::Mat predicted;
    model->predict(matrix(test, training.width), predicted);
    return whole(predicted);
}

std::vector<std::int64_t> nearest(const LabelledRows& training, std::span<const float> test, std::uint64_t) {
    const auto model = cv::ml::KNearest::create();
    model->setIsClassifier(true);
    model->train(data_of(training));
    cv::Mat predicted;
    model->findNearest(matrix(test, training.width), std::min(neighbours, int(training.labels.size())),
                       predicted);
    return whole(predicted);
}

// Normal densities of the components of each class, with their covariances: naive where PCA has taken those.
std::vector<std::int64_t> bayes(const LabelledRows& training, std::span<const float> test, std::uint64_t) {
    const cv::Mat rows = matrix(training.rows, training.width);
    cv::PCA pca(rows, cv::noArray(), cv::PCA::DATA_AS_ROW);
    // OpenCV's own limit of the variance keeps one component fewer than reach it.
    const double total = cv::sum(pca.eigenvalues)[0];
    int components = 0;
    for (double kept = 0; components < std::min(most_components, pca.eigenvalues.rows);)
        if ((kept += double(pca.eigenvalues.at<float>(components++))) >= kept_variance * total) break;
    pca.eigenvectors = pca.eigenvectors.rowRange(0, components);
    pca.eigenvalues = pca.eigenvalues.rowRange(0, components);
    const auto model = cv::ml::NormalBayesClassifier::create();
    model->train(cv::ml::TrainData::create(pca.project(rows), cv::ml::ROW_SAMPLE, labels_of(training)));
    cv::Mat predicted;
    model->predict(pca.project(matrix(test, training.width)), predicted);
    return whole(predicted);
}

constexpr std::array classifiers = {
    OtherClassifier{"mlp", "MLP", mlp},
    OtherClassifier{"forest", "Random forest", forest},
    OtherClassifier{"knn", "kNN", nearest},
    OtherClassifier{"bayes", "PCA + Bayes", bayes},
};

}  // namespace

std::span<const OtherClassifier> other_classifiers() { return classifiers; }

}  // namespace braid
