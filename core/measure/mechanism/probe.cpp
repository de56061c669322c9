// Layer-wise probing (paper D.2, Fig. 4, Tables 9 and 10): which of eight values was hidden, read by a linear
// classifier, or by others for comparison, from the last token's hidden state behind each layer. Only these
// states are kept.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "core/measure/mechanism/classifiers.h"
#include "core/measure/mechanism/interval.h"
#include "core/measure/mechanism/logistic.h"
#include "core/measure/mechanism/needle_samples.h"

namespace braid {
namespace {

constexpr std::int64_t tokens_drawn_at_once = std::int64_t{1} << 22;
constexpr double share_of_reading = 0.9;  // of the progress
constexpr std::size_t most_threads = 16;  // each holds the samples of a layer as the classifiers want them
constexpr auto look_every = std::chrono::milliseconds(20);  // whether to stop

struct Hidden {
    std::vector<std::vector<float>> rows_LND = {};  // by layer, [N, D]
    std::vector<std::int64_t> labels = {};
};

Result<void> read_batch(Model& model, const std::vector<NeedleSample>& samples,
                        const std::vector<std::size_t>& batch, std::size_t first, Hidden& hidden) {
    std::vector<const std::vector<std::int32_t>*> prompts;
    for (const std::size_t i : batch) prompts.push_back(&samples[i].prompt);
    const at::Tensor tokens_BT = token_tensor(prompts);
    ForwardTaps taps;
    taps.added = [&](std::int64_t layer, Component component, const at::Tensor&,
                     const at::Tensor& after_BTD) {
        if (component != Component::ffn) return;
        const at::Tensor last_BD =
            after_BTD.select(1, after_BTD.size(1) - 1).to(at::kCPU, at::kFloat).contiguous();
        const std::int64_t width = last_BD.size(1);
        for (std::size_t b = 0; b < batch.size(); ++b)
            std::copy_n(
                last_BD.const_data_ptr<float>() + std::int64_t(b) * width, width,
                hidden.rows_LND[std::size_t(layer)].begin() + std::ptrdiff_t(first + batch[b]) * width);
    };
    model.forward(tokens_BT, taps);
    return {};
}

Result<Hidden> read_samples(const MeasureInput& input, Model& model, const NeedleSource& source,
                            std::int64_t count, std::int64_t context) {
    const auto width = std::size_t(input.architecture.d_model);
    Hidden hidden{.rows_LND = std::vector<std::vector<float>>(
                      input.architecture.layers.size(), std::vector<float>(std::size_t(count) * width))};
    const std::int64_t piece = std::max<std::int64_t>(1, tokens_drawn_at_once / context);
    for (std::int64_t first = 0; first < count; first += piece) {
        std::vector<NeedleSample> samples;
        for (std::int64_t i = first; i < std::min(first + piece, count); ++i) {
            hidden.labels.push_back(i % needle_classes);
            Result<NeedleSample> sample =
                source.sample(i, (double(i) + 0.5) / double(count), hidden.labels.back());
            if (!sample) return fail(std::move(sample.error()));
            samples.push_back(std::move(*sample));
        }
        std::size_t done = std::size_t(first);
        for (const std::vector<std::size_t>& batch : equal_lengths(samples)) {
            if (!input.go_on(share_of_reading * double(done) / double(count),
                             "reading " + std::to_string(count) + " samples"))
                return fail(stopped());
            if (Result<void> read = read_batch(model, samples, batch, std::size_t(first), hidden); !read)
                return fail(std::move(read.error()));
            done += batch.size();
        }
    }
    return hidden;
}

struct Accuracy {
    Interval share;
    std::int64_t test = 0;
    std::vector<Interval> by_class = {};
    std::vector<std::int64_t> test_by_class = {};
};

// One layer's rows, standardised, and the split of them.
class Probe {
public:
    Probe(const std::vector<float>& rows, std::int64_t width, const std::vector<std::int64_t>& labels,
          const SampleSplit& split)
        : width_(width), all_(standardised(rows, width, split.training)) {
        for (const std::size_t i : split.training) take(i, training_), labels_.push_back(labels[i]);
        for (const std::size_t i : split.test) take(i, test_), wanted_.push_back(labels[i]);
    }

    Accuracy logistic(double cost, const std::function<bool()>& go_on) const {
        const LinearClassifier classifier = fit_logistic(training_, width_, labels_, cost, go_on);
        const auto columns = std::size_t(width_);
        std::vector<std::int64_t> got;
        for (std::size_t i = 0; i < wanted_.size(); ++i)
            got.push_back(classifier.predict(std::span(test_).subspan(i * columns, columns)));
        return judged(got);
    }
    Accuracy other(const OtherClassifier& classifier, std::uint64_t seed) const {
        const std::vector<float> training(training_.begin(), training_.end()),
            test(test_.begin(), test_.end());
        return judged(classifier.classify(
            {.rows = training, .width = width_, .classes = needle_classes, .labels = labels_}, test, seed));
    }

private:
    void take(std::size_t row, std::vector<double>& to) const {
        const auto from = all_.begin() + std::ptrdiff_t(row) * width_;
        to.insert(to.end(), from, from + width_);
    }
    Accuracy judged(const std::vector<std::int64_t>& got) const {
        std::int64_t right = 0;
        std::vector<std::int64_t> right_by_class(needle_classes), test_by_class(needle_classes);
        for (std::size_t i = 0; i < wanted_.size(); ++i) {
            const auto wanted_class = std::size_t(wanted_[i]);
            const bool hit = got[i] == wanted_[i];
            right += hit ? 1 : 0;
            right_by_class[wanted_class] += hit ? 1 : 0;
            ++test_by_class[wanted_class];
        }
        const auto count = std::int64_t(wanted_.size());
        Accuracy accuracy{.share = share_interval(right, count), .test = count};
        for (std::size_t c = 0; c < right_by_class.size(); ++c)
            accuracy.by_class.push_back(share_interval(right_by_class[c], test_by_class[c]));
        accuracy.test_by_class = std::move(test_by_class);
        return accuracy;
    }

    std::int64_t width_;
    std::vector<double> all_, training_ = {}, test_ = {};
    std::vector<std::int64_t> labels_ = {}, wanted_ = {};
};

void set_value(MeasuredArray& array, std::size_t at, const Accuracy& got) {
    array.values[at] = 100 * got.share.value;
    array.low[at] = 100 * got.share.low, array.high[at] = 100 * got.share.high;
}

// [classifier, layer]: all of them, logistic regression first.
MeasuredArray comparison_array(const ArchitectureSpec& spec) {
    MeasuredAxis axis{.name = "classifier", .ticks = {std::string("Logistic regression")}};
    for (const OtherClassifier& other : other_classifiers())
        axis.ticks.emplace_back(std::string(other.title));
    MeasuredArray array = empty_array("comparison", "%", {std::move(axis), layer_axis(spec)});
    array.low = array.high = array.values;
    return array;
}

// The chosen classifier on a layer, or all of them; logistic regression is then the answer, and all go into
// `comparison`. Once go_on() is false nothing of it means anything.
Accuracy judge(const MeasureInput& input, const Probe& probe, std::size_t layer, MeasuredArray& comparison,
               const std::function<bool()>& go_on) {
    const std::string chosen = input.text("classifier");
    const bool all = chosen == "all";
    Accuracy answer;
    if (chosen == "logistic" || all) {
        answer = probe.logistic(input.real("cost"), go_on);
        set_value(comparison, comparison.at(0, layer), answer);
    }
    std::size_t row = 1;
    for (const OtherClassifier& other : other_classifiers()) {
        if (go_on() && (chosen == other.id || all)) {
            const Accuracy of_other = probe.other(other, std::uint64_t(input.integer("seed")));
            set_value(comparison, comparison.at(row, layer), of_other);
            if (!all) answer = of_other;
        }
        ++row;
    }
    return answer;
}

// Of every layer. They share nothing and are judged side by side.
Result<std::vector<Accuracy>> judge_layers(const MeasureInput& input, const Hidden& hidden,
                                           const SampleSplit& split, MeasuredArray& comparison) {
    const std::size_t layers = hidden.rows_LND.size();
    std::vector<Accuracy> found(layers);
    std::atomic<std::size_t> next = 0, done = 0;
    std::atomic<bool> stop = false;
    const auto work = [&] {
        try {
            for (std::size_t l = next++; l < layers && !stop; l = next++) {
                const Probe probe(hidden.rows_LND[l], input.architecture.d_model, hidden.labels, split);
                found[l] = judge(input, probe, l, comparison, [&] { return !stop.load(); });
                ++done;
            }
        } catch (...) {
            stop = true;  // nobody waits for the others
            throw;
        }
    };
    const std::size_t threads =
        std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, std::min(layers, most_threads));
    std::vector<std::future<void>> workers;
    for (std::size_t i = 0; i < threads; ++i) workers.push_back(std::async(std::launch::async, work));
    while (done < layers && !stop) {
        if (!input.go_on(share_of_reading + (1 - share_of_reading) * double(done) / double(layers),
                         std::to_string(done) + " of " + std::to_string(layers) + " layers classified"))
            stop = true;
        std::this_thread::sleep_for(look_every);
    }
    for (std::future<void>& worker : workers) worker.get();
    if (stop) return fail(stopped());
    return found;
}

}  // namespace

Result<Measured> measure_probe(const MeasureInput& input) {
    Measured measured;
    const std::int64_t count = input.integer("samples");
    if (count < 2 * needle_classes)
        return fail(to_error({{.path = "samples",
                               .rule = "must be at least " + std::to_string(2 * needle_classes) +
                                       ": of each class one to learn from and one to test",
                               .found = std::to_string(count)}}));
    const Result<std::int64_t> context = sample_context(input, measured);
    if (!context) return fail(context.error());
    const auto source = make_needle_source(input, *context, true, measured);
    if (!source) return fail(source.error());
    const Result<std::unique_ptr<Model>> model = input.open(input.checkpoint.folder, /*trainable=*/false);
    if (!model) return fail(model.error());
    const Result<Hidden> hidden = read_samples(input, **model, **source, count, *context);
    if (!hidden) return fail(hidden.error());
    const SampleSplit split =
        stratified_split(hidden->labels, input.real("test_share"), std::uint64_t(input.integer("seed")));

    const ArchitectureSpec& spec = input.architecture;
    MeasuredArray accuracy = empty_array("accuracy", "%", {layer_axis(spec)});
    MeasuredArray gain = empty_array("gain", "%", {layer_axis(spec)});
    MeasuredArray by_class =
        empty_array("class_accuracy", "%", {layer_axis(spec), count_axis("class", needle_classes)});
    accuracy.low = accuracy.high = accuracy.values;
    by_class.low = by_class.high = by_class.values;
    accuracy.samples = gain.samples = {std::int64_t(split.test.size())};
    measured.answer = {{"layers", Json::array()}};
    const double chance = 100.0 / double(needle_classes);
    double before = chance;
    const bool compare = input.text("classifier") == "all";
    MeasuredArray comparison = comparison_array(spec);
    comparison.samples = accuracy.samples;
    const Result<std::vector<Accuracy>> judged = judge_layers(input, *hidden, split, comparison);
    if (!judged) return fail(judged.error());
    for (std::size_t l = 0; l < spec.layers.size(); ++l) {
        const Accuracy& got = (*judged)[l];
        set_value(accuracy, l, got);
        for (std::size_t c = 0; c < got.by_class.size(); ++c) {
            const std::size_t at = by_class.at(l, c);
            by_class.values[at] = 100 * got.by_class[c].value;
            by_class.low[at] = 100 * got.by_class[c].low, by_class.high[at] = 100 * got.by_class[c].high;
            by_class.samples.push_back(got.test_by_class[c]);
        }
        gain.values[l] = accuracy.values[l] - before;
        before = accuracy.values[l];
        measured.answer["layers"].push_back({{"layer", l},
                                             {"mixer", mixers_of(spec, l)},
                                             {"accuracy", accuracy.values[l]},
                                             {"low", accuracy.low[l]},
                                             {"high", accuracy.high[l]},
                                             {"gain", gain.values[l]},
                                             {"n", got.test}});
    }
    const auto best = std::max_element(accuracy.values.begin(), accuracy.values.end());
    measured.summary = {{.name = "best layer, L" + std::to_string(best - accuracy.values.begin()),
                         .value = *best,
                         .unit = "%"},
                        {.name = "chance", .value = chance, .unit = "%"}};
    measured.settings["classes"] = needle_classes;
    measured.settings["training_samples"] = split.training.size();
    measured.notes.emplace_back("The gain of the first layer is against chance.");
    measured.arrays = {std::move(accuracy), std::move(gain), std::move(by_class)};
    if (compare) measured.arrays.push_back(std::move(comparison));
    return measured;
}

}  // namespace braid
