// Probing, gradient profiles, change of weights and recurrent internals against loops.
#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/engine/inference.h"
#include "core/measure/mechanism/logistic.h"
#include "core/measure/mechanism/needle_samples.h"
#include "core/measure/mechanism/sample_texts.h"
#include "tests/measure/mechanism/measure_fixture.h"
#include "tests/measure/mechanism/slow_model.h"

namespace braid::test {
namespace {

// Logistic regression by gradient descent with a step that cannot fail, for many steps.
Matrix slow_logistic(const std::vector<double>& rows, std::size_t width,
                     const std::vector<std::int64_t>& labels, std::int64_t classes, double cost) {
    Matrix all;
    double size = 1;  // bound of the second derivative
    for (std::size_t i = 0; i < labels.size(); ++i) {
        double square = 1;
        for (std::size_t j = 0; j < width; ++j) square += rows[i * width + j] * rows[i * width + j];
        size += cost * square / 4;
    }
    for (std::int64_t c = 0; c < classes; ++c) {
        Vector w(width + 1, 0), before = w;
        for (int step = 0; step < 3'000; ++step) {
            Vector at = w;  // Nesterov
            for (std::size_t j = 0; j <= width; ++j)
                at[j] += double(step) / double(step + 3) * (w[j] - before[j]);
            Vector gradient = at;
            for (std::size_t i = 0; i < labels.size(); ++i) {
                const double y = labels[i] == c ? 1 : -1;
                double value = at[width];
                for (std::size_t j = 0; j < width; ++j) value += at[j] * rows[i * width + j];
                const double pull = -cost * y / (1 + std::exp(y * value));
                for (std::size_t j = 0; j < width; ++j) gradient[j] += pull * rows[i * width + j];
                gradient[width] += pull;
            }
            before = w;
            for (std::size_t j = 0; j <= width; ++j) w[j] = at[j] - gradient[j] / size;
        }
        all.push_back(w);
    }
    return all;
}

TEST(Probe, TheClassifierIsThatOfGradientDescent) {
    Random random(3, "test/logistic");
    std::vector<double> rows;
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < 60; ++i) {
        labels.push_back(i % 3);
        for (std::int64_t j = 0; j < 4; ++j) rows.push_back(random.normal() + (j == i % 3 ? 1.5 : 0));
    }
    const LinearClassifier got = fit_logistic(rows, 4, labels, 0.5);
    const Matrix wanted = slow_logistic(rows, 4, labels, 3, 0.5);
    double error = 0, size = 0;
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t j = 0; j < 5; ++j) {
            error += std::pow(got.weights[c * 5 + j] - wanted[c][j], 2);
            size += wanted[c][j] * wanted[c][j];
        }
    expect_error("weights of liblinear", std::sqrt(error / size), 2e-3);
}

TEST(Probe, SplitsEveryClassAlike) {
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < 83; ++i) labels.push_back(i % 8);
    const SampleSplit split = stratified_split(labels, 0.2, 7);
    EXPECT_EQ(split.training.size() + split.test.size(), labels.size());
    std::vector<std::int64_t> of_class(8, 0);
    for (const std::size_t i : split.test) ++of_class[std::size_t(labels[i])];
    for (const std::int64_t each : of_class) EXPECT_EQ(each, 2);
    EXPECT_EQ(stratified_split(labels, 0.2, 7).test, split.test);
    EXPECT_NE(stratified_split(labels, 0.2, 8).test, split.test);
    const std::vector<float> rows = {1, 5, 3, 5, 100, 5};
    const std::vector<std::size_t> training = {0, 1};
    EXPECT_EQ(standardised(rows, 2, training), (std::vector<double>{-1, 0, 1, 0, 98, 0}));
}

TEST(Probe, AccuracyIsThatOfLoops) {
    const TinyTask task = tiny_niah();
    const auto model = lively_model("F S[w=6] x1", task);
    constexpr std::int64_t count = 96;
    const MeasureInput input =
        tiny_input("probe", *model, task, values({{"samples", count}, {"cost", 0.01}}));
    const MeasuredRecord measured = must(input);
    Measured ignored;
    const auto source = make_needle_source(input, task.context, true, ignored).value();
    std::vector<std::vector<float>> rows(2);
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < count; ++i) {
        labels.push_back(i % needle_classes);
        const NeedleSample sample = source->sample(i, (double(i) + 0.5) / count, labels.back()).value();
        const SlowPass pass = slow_pass(*model, sample.prompt);
        for (std::size_t l = 0; l < 2; ++l)
            for (const double each : pass.hidden[l].back()) rows[l].push_back(float(each));
    }
    const SampleSplit split = stratified_split(labels, 0.2, 42);
    const MeasuredArray &accuracy = array_of(measured, "accuracy"), &gain = array_of(measured, "gain");
    double before = 12.5;
    for (std::size_t l = 0; l < 2; ++l) {
        const std::vector<double> all = standardised(rows[l], 16, split.training);
        std::vector<double> training;
        std::vector<std::int64_t> wanted;
        for (const std::size_t i : split.training) {
            training.insert(training.end(), all.begin() + std::ptrdiff_t(i * 16),
                            all.begin() + std::ptrdiff_t(i * 16 + 16));
            wanted.push_back(labels[i]);
        }
        LinearClassifier slow{.classes = 8, .width = 16};
        for (const Vector& w : slow_logistic(training, 16, wanted, 8, 0.01))
            slow.weights.insert(slow.weights.end(), w.begin(), w.end());
        double right = 0;
        for (const std::size_t i : split.test)
            right += slow.predict(std::span(all).subspan(i * 16, 16)) == labels[i] ? 1 : 0;
        // One sample may lie on the border between two classes.
        expect_error("accuracy of a layer, %",
                     std::abs(accuracy.values[l] - 100 * right / double(split.test.size())),
                     100.0 / double(split.test.size()) + 1e-9);
        EXPECT_DOUBLE_EQ(gain.values[l], accuracy.values[l] - before);
        before = accuracy.values[l];
        EXPECT_EQ(measured.answer["layers"][l]["n"], split.test.size());
        const MeasuredArray& classes = array_of(measured, "class_accuracy");
        double weighted = 0;
        for (std::size_t c = 0; c < 8; ++c)
            weighted += classes.values[classes.at(l, c)] * double(classes.samples[classes.at(l, c)]);
        EXPECT_NEAR(weighted / double(split.test.size()), accuracy.values[l], 1e-9);
    }
}

TEST(Gradient, ProfileIsThatOfFiniteDifferences) {
    TinyTask task = tiny_niah();
    task.context = 24;
    const auto model = lively_model("F S[w=5] x1", task);
    const std::int64_t last = 3;
    const MeasureInput input = tiny_input("gradient", *model, task,
                                          values({{"samples", std::int64_t{1}},
                                                  {"positions", last},
                                                  {"points", std::int64_t{1'000}},
                                                  {"baseline", std::int64_t{15}}}));
    const MeasuredRecord measured = must(input);
    const MeasuredArray& g = array_of(measured, "g");
    ASSERT_EQ(g.values.size(), 24U) << "a range of its own for each distance";
    Measured ignored;
    const auto text = sample_texts(input, task.context, 1, ignored).value()[0];
    const auto s = [&](const std::function<void(std::size_t, Vector&)>& shift) {
        const SlowPass pass = slow_pass(*model, text, {.shift = shift});
        double sum = 0;
        for (std::size_t t = text.size() - std::size_t(last); t < text.size(); ++t)
            for (const double logit : pass.logits[t]) sum += logit / double(last);
        return sum;
    };
    double error = 0;
    for (const std::size_t distance : {std::size_t{0}, std::size_t{2}, std::size_t{9}, std::size_t{23}}) {
        const std::size_t at = text.size() - 1 - distance;
        double square = 0;
        for (std::size_t i = 0; i < 16; ++i) {
            const auto moved = [&](double by) {
                return s([&](std::size_t t, Vector& x) { x[i] += t == at ? by : 0; });
            };
            square += std::pow((moved(1e-5) - moved(-1e-5)) / 2e-5, 2);
        }
        error = std::max(error, std::abs(g.values[distance] / std::sqrt(square) - 1));
    }
    expect_error("G(d), finite differences", error, 1e-6);
    EXPECT_EQ(measured.answer["base"], g.values[15]);
    const auto peak = std::max_element(g.values.begin(), g.values.end());
    const auto first = std::find_if(peak, g.values.end(), [&](double v) { return v <= g.values[15]; });
    EXPECT_EQ(measured.answer["meets"], double(first - g.values.begin()));
}

TEST(Change, IsThatOfLoops) {
    const TinyTask task = tiny_niah();
    const auto model = lively_model("F G x1", task, 1), other = lively_model("F G x1", task, 2);
    const MeasureInput input = with_other(
        tiny_input("change", *model, task, values({{"against", std::string("other")}})), *other, task);
    const MeasuredRecord measured = must(input);
    const MeasuredArray& change = array_of(measured, "change");
    double error = 0;
    const char* names[] = {"q", "k", "v", "o"};
    for (std::size_t m = 0; m < 4; ++m)
        for (std::size_t l = 0; l < 2; ++l) {
            const std::string name =
                "model.layers." + std::to_string(l) + ".self_attn." + names[m] + "_proj.weight";
            const at::Tensor a = model->parameters().value(*model->parameters().find(name));
            const at::Tensor b = other->parameters().value(*other->parameters().find(name));
            double difference = 0, size = 0;
            for (std::int64_t i = 0; i < a.numel(); ++i) {
                const double x = a.view({-1}).const_data_ptr<double>()[i],
                             y = b.view({-1}).const_data_ptr<double>()[i];
                difference += (x - y) * (x - y), size += y * y;
            }
            error = std::max(error, std::abs(change.values[change.at(m, l)] - std::sqrt(difference / size)));
        }
    expect_error("change of weights", error, 1e-12);
}

TEST(Internals, MemoryAndNormsAreThoseOfTheRecurrence) {
    const TinyTask task = tiny_niah();
    const auto model = lively_model("L G M F x1", task);
    const MeasureInput input = tiny_input("internals", *model, task, values({{"samples", std::int64_t{1}}}));
    const MeasuredRecord measured = must(input);
    const MeasuredArray &decay = array_of(measured, "decay"), &memory = array_of(measured, "memory"),
                        &norm = array_of(measured, "state_norm");
    EXPECT_TRUE(std::isnan(decay.values[decay.at(3, 0)])) << "full attention has no state";
    EXPECT_EQ(measured.answer["layers"].size(), 3U);
    // Lightning's decay does not change: 1 / e is reached after the same number of tokens everywhere.
    const double d = std::log(decay.values[decay.at(0, 0)]);
    double wanted = 0;
    for (std::int64_t t = 0; t < task.context; ++t) {
        std::int64_t n = 0;
        for (double product = 0; t + n + 1 < task.context && product > -1; ++n) product += d;
        wanted += double(n) / double(task.context);
    }
    expect_error("memory of Lightning", std::abs(memory.values[memory.at(0, 0)] - wanted), 1e-9);
    // The last norm is that of the state behind the whole text, token by token.
    Measured ignored;
    const auto text = sample_texts(input, task.context, 1, ignored).value()[0];
    Generator generator(*model);
    InferenceState state = generator.start(1, task.context);
    for (const std::int32_t token : text) {
        const std::vector<std::int32_t> one = {token};
        generator.step(state, token_tensor({&one})[0]);
    }
    double error = 0;
    const std::size_t last = norm.axes[2].ticks.size() - 1;
    for (std::size_t l = 0; l < 3; ++l) {
        const at::Tensor states = state.layers()[l][0].recurrent[0][0];
        for (std::int64_t s = 0; s < states.size(0); ++s) {
            const double size = at::linalg_vector_norm(states[s]).item().toDouble();
            const double got =
                norm.values[(l * norm.axes[1].ticks.size() + std::size_t(s)) * (last + 1) + last];
            error = std::max(error, std::abs(got / size - 1));
        }
    }
    expect_error("norm of the last state", error, 1e-9);
}

}  // namespace
}  // namespace braid::test
