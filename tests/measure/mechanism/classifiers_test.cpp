// The classifiers beside logistic regression: on data whose answer is known, and in a record of probing.
#include "core/measure/mechanism/classifiers.h"

#include <algorithm>
#include <map>

#include "core/base/random.h"
#include "core/measure/mechanism/needle_samples.h"
#include "tests/measure/mechanism/measure_fixture.h"

namespace braid::test {
namespace {

struct Data {
    std::vector<float> rows = {};
    std::vector<std::int64_t> labels = {};
};

// `count` points of each class around its center, [classes][width].
Data blobs(const std::vector<std::vector<double>>& centers, std::int64_t count, double spread,
           std::uint64_t seed) {
    Random random(seed, "test/blobs");
    Data data;
    for (std::int64_t i = 0; i < count; ++i)
        for (std::size_t c = 0; c < centers.size(); ++c) {
            for (const double x : centers[c]) data.rows.push_back(float(x + spread * random.normal()));
            data.labels.push_back(std::int64_t(c));
        }
    return data;
}

double share_right(const OtherClassifier& classifier, const Data& training, const Data& test,
                   std::int64_t width, std::int64_t classes) {
    const LabelledRows rows{
        .rows = training.rows, .width = width, .classes = classes, .labels = training.labels};
    const std::vector<std::int64_t> got = classifier.classify(rows, test.rows, 7);
    EXPECT_EQ(got, classifier.classify(rows, test.rows, 7)) << classifier.id << ": the same seed";
    EXPECT_EQ(got.size(), test.labels.size());
    double right = 0;
    for (std::size_t i = 0; i < got.size(); ++i) right += got[i] == test.labels[i] ? 1 : 0;
    return right / double(got.size());
}

TEST(Classifiers, BlobsApartAreToldApart) {
    std::vector<std::vector<double>> centers;
    for (int c = 0; c < 8; ++c)
        centers.push_back({c & 1 ? 3.0 : -3.0, c & 2 ? 3.0 : -3.0, c & 4 ? 3.0 : -3.0, 0});
    const Data training = blobs(centers, 40, 0.5, 1), test = blobs(centers, 20, 0.5, 2);
    for (const OtherClassifier& classifier : other_classifiers()) {
        const double share = share_right(classifier, training, test, 4, 8);
        std::printf("    %-20s %.3f of eight blobs\n", std::string(classifier.title).c_str(), share);
        EXPECT_GE(share, 0.97) << classifier.id;
    }
}

TEST(Classifiers, AnExclusiveOrIsNoWorkForAStraightLine) {
    const std::vector<std::vector<double>> corners = {{2, 2}, {2, -2}, {-2, -2}, {-2, 2}};
    Data training = blobs(corners, 60, 0.4, 1), test = blobs(corners, 30, 0.4, 2);
    for (Data* data : {&training, &test})
        for (std::int64_t& label : data->labels) label %= 2;
    for (const OtherClassifier& classifier : other_classifiers())
        EXPECT_GE(share_right(classifier, training, test, 2, 2), 0.95) << classifier.id;
}

TEST(Classifiers, NearestNeighboursAreThoseOfALoop) {
    const Data training = blobs({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 60, 0.8, 3);
    const Data test = blobs({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 20, 0.8, 4);
    const auto& knn = other_classifiers()[2];
    ASSERT_EQ(knn.id, "knn");
    const auto got = knn.classify(
        {.rows = training.rows, .width = 3, .classes = 3, .labels = training.labels}, test.rows, 0);
    std::size_t compared = 0;
    for (std::size_t i = 0; i < test.labels.size(); ++i) {
        std::vector<std::pair<double, std::int64_t>> near;
        for (std::size_t j = 0; j < training.labels.size(); ++j) {
            double distance = 0;
            for (std::size_t k = 0; k < 3; ++k)
                distance += std::pow(double(test.rows[3 * i + k]) - training.rows[3 * j + k], 2);
            near.emplace_back(distance, training.labels[j]);
        }
        std::sort(near.begin(), near.end());
        std::map<std::int64_t, int> votes;
        for (int n = 0; n < 15; ++n) ++votes[near[std::size_t(n)].second];
        std::vector<std::pair<int, std::int64_t>> order;
        for (const auto& [label, count] : votes) order.emplace_back(count, label);
        std::sort(order.rbegin(), order.rend());
        if (order.size() > 1 && order[0].first == order[1].first) continue;  // a tie may go either way
        ++compared;
        EXPECT_EQ(got[i], order[0].second) << i;
    }
    EXPECT_GT(compared, 40U);
}

TEST(Classifiers, AProbeComparesThem) {
    const TinyTask task = tiny_niah();
    const auto model = lively_model("F S[w=6] x1", task);
    const auto probe = [&](const char* classifier) {
        return must(
            tiny_input("probe", *model, task,
                       values({{"samples", std::int64_t{96}}, {"classifier", std::string(classifier)}})));
    };
    const MeasuredRecord all = probe("all");
    const MeasuredArray& comparison = array_of(all, "comparison");
    ASSERT_EQ(comparison.axes[0].ticks.size(), 1 + other_classifiers().size());
    EXPECT_EQ(std::get<std::string>(comparison.axes[0].ticks[4]), "PCA + Bayes");
    for (const double value : comparison.values) {
        EXPECT_GE(value, 0);
        EXPECT_LE(value, 100);
    }
    const MeasuredArray& accuracy = array_of(all, "accuracy");
    EXPECT_EQ(array_of(probe("logistic"), "accuracy").values, accuracy.values);
    EXPECT_EQ(probe("logistic").record.find("comparison"), nullptr);
    for (std::size_t l = 0; l < 2; ++l) EXPECT_EQ(comparison.values[comparison.at(0, l)], accuracy.values[l]);
    const MeasuredRecord forest = probe("forest");
    for (std::size_t l = 0; l < 2; ++l)
        EXPECT_EQ(array_of(forest, "accuracy").values[l], comparison.values[comparison.at(2, l)]);
}

}  // namespace
}  // namespace braid::test
