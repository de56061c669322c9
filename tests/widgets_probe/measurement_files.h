// Measurements as the engine writes them, for tests of what shows them. Layers 0, 2, .. have full attention.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/record/measurement.h"

namespace braid::ui {

inline MeasuredAxis countAxis(const char* name, std::size_t count) {
    MeasuredAxis axis{.name = name};
    for (std::size_t i = 0; i < count; ++i) axis.ticks.emplace_back(double(i));
    return axis;
}

inline MeasuredAxis numberAxis(const char* name, const char* unit, const std::vector<double>& ticks) {
    return {.name = name, .unit = unit, .ticks = {ticks.begin(), ticks.end()}};
}

inline MeasuredArray arrayOf(const char* name, const char* unit, std::vector<MeasuredAxis> axes) {
    MeasuredArray array{.name = name, .unit = unit, .axes = std::move(axes)};
    array.values.assign(array.size(), std::nan(""));
    return array;
}

class MeasurementFiles {
public:
    MeasurementFiles(const RunFolder& folder, std::int64_t step)
        : folder_(folder), plan_(*read_plan(folder.plan_file())), step_(step) {}

    std::size_t layers() const { return plan_.architecture.layers.size(); }

    // Accuracy that rises with depth, most of it in the layer in the middle.
    std::string probe(double skill = 1) const {
        MeasuredArray accuracy = arrayOf("accuracy", "%", {countAxis("layer", layers())});
        MeasuredArray gain = arrayOf("gain", "%", {countAxis("layer", layers())});
        accuracy.samples = gain.samples = {400};
        double before = 12.5;
        for (std::size_t l = 0; l < layers(); ++l) {
            const double depth = double(l) / double(layers() - 1);
            accuracy.values[l] = 12.5 + 80 * skill / (1 + std::exp(-9 * (depth - 0.45))) - (l % 2) * 1.5;
            accuracy.low.push_back(accuracy.values[l] - 4);
            accuracy.high.push_back(accuracy.values[l] + 4);
            gain.values[l] = accuracy.values[l] - before;
            before = accuracy.values[l];
        }
        MeasuredArray classes =
            arrayOf("class_accuracy", "%", {countAxis("layer", layers()), countAxis("class", 8)});
        for (std::size_t i = 0; i < classes.values.size(); ++i) classes.values[i] = 70 + double(i % 8);
        classes.samples = {50};
        MeasuredArray comparison = arrayOf(
            "comparison", "%",
            {{.name = "classifier", .ticks = {std::string("Logistic regression"), std::string("MLP")}},
             countAxis("layer", layers())});
        for (std::size_t i = 0; i < comparison.values.size(); ++i)
            comparison.values[i] = accuracy.values[i % layers()] / (i < layers() ? 1 : 2);
        comparison.samples = accuracy.samples;
        return write("probe", {accuracy, gain, classes, comparison},
                     {{.name = "chance", .value = 12.5, .unit = "%"}});
    }

    // Two heads that retrieve; layers in between have no such attention.
    std::string heads(std::size_t count = 4, int samples = 400) const {
        MeasuredArray mass = arrayOf("mass", "", {countAxis("layer", layers()), countAxis("head", count)});
        mass.missing = "not among the layers that were looked at";
        mass.samples = {100};
        for (std::size_t l = 0; l < layers(); l += 2)
            for (std::size_t h = 0; h < count; ++h)
                mass.values[l * count + h] = 0.02 + 0.01 * double((l * 7 + h * 3) % 5);
        mass.values[(layers() / 4 * 2) * count + 1] = 0.71;
        mass.values[count * 2 + 3] = 0.58;
        return write("heads", {mass}, {{.name = "top head, L2.H1", .value = 0.71}}, samples);
    }

    std::string gradient(double far = 0.01) const {
        std::vector<double> distance;
        for (double d = 1; d <= 512; d *= 1.5) distance.push_back(std::round(d));
        MeasuredArray g = arrayOf("g", "", {numberAxis("distance", "tokens", distance)});
        g.samples = {64};
        for (std::size_t i = 0; i < distance.size(); ++i) {
            g.values[i] = 1.6 / distance[i] + far;
            g.low.push_back(g.values[i] * 0.9);
            g.high.push_back(g.values[i] * 1.1);
        }
        return write("gradient", {g},
                     {{.name = "far baseline", .value = far * 1.05},
                      {.name = "distance where the baseline is met", .value = 300, .unit = "tokens"}});
    }

    // Head 1 of layer 0 forms at `corner` tokens.
    std::string trace(double corner = 4e5, std::size_t count = 2) const {
        std::vector<double> tokens;
        for (int i = 0; i <= 24; ++i) tokens.push_back(1e5 * i);
        const std::vector<MeasuredAxis> axes{numberAxis("tokens", "tokens", tokens),
                                             countAxis("layer", layers()), countAxis("head", count)};
        std::vector<MeasuredArray> arrays;
        for (const char* name : {"mass", "entropy", "entropy_keys", "sink", "hit_rate", "d_qk"})
            arrays.push_back(arrayOf(name, "", axes));
        for (std::size_t t = 0; t < tokens.size(); ++t)
            for (std::size_t l = 0; l < layers(); l += 2)
                for (std::size_t h = 0; h < count; ++h) {
                    const std::size_t at = (t * layers() + l) * count + h;
                    const double formed = l == 0 ? 1 / (1 + std::exp((corner - tokens[t]) / 1e5)) : 0.05;
                    arrays[0].values[at] = 0.02 + 0.7 * formed * (h == 1 ? 1 : 0.8);
                    arrays[1].values[at] = 0.86 - 0.5 * formed;
                    arrays[2].values[at] = 0.8 - 0.5 * formed;
                    arrays[3].values[at] = 0.1;
                    arrays[4].values[at] = formed;
                    arrays[5].values[at] = 2.2 * (1 - tokens[t] / tokens.back());
                }
        for (MeasuredArray& array : arrays) {
            array.samples = {50};
            array.missing = "not among the layers that were looked at";
        }
        return write("trace", arrays, {});
    }

    std::string restrict(double loss = 1.3) const {
        MeasuredAxis kinds{.name = "kind", .ticks = {std::string("full"), std::string("swa")}};
        const MeasuredAxis horizon = numberAxis("horizon", "tokens", {16});
        MeasuredArray by_kind = arrayOf("change_by_kind", "nats", {horizon, kinds});
        by_kind.values = {loss, 0.01};
        by_kind.low = {loss - 0.06, -0.01};
        by_kind.high = {loss + 0.06, 0.03};
        by_kind.samples = {256};
        MeasuredArray by_layer = arrayOf("change_by_layer", "nats", {horizon, countAxis("layer", layers())});
        for (std::size_t l = 0; l < layers(); ++l) by_layer.values[l] = l % 2 == 0 ? loss / 2 : 0.005;
        by_layer.samples = {256};
        return write("restrict", {by_kind, by_layer}, {});
    }

    std::string entropy(std::size_t count = 4) const {
        const std::vector<MeasuredAxis> axes{countAxis("layer", layers()), countAxis("head", count)};
        MeasuredArray entropy = arrayOf("entropy", "", axes), hit = arrayOf("hit_rate", "", axes);
        for (std::size_t l = 0; l < layers(); l += 2)
            for (std::size_t h = 0; h < count; ++h) {
                hit.values[l * count + h] = double(h) / double(count);
                entropy.values[l * count + h] = 0.9 - 0.6 * double(h) / double(count);
            }
        entropy.samples = hit.samples = {100};
        entropy.missing = hit.missing = "not among the layers that were looked at";
        return write("entropy", {entropy, hit}, {});
    }

    std::string noise() const {
        MeasuredAxis parts{.name = "component",
                           .ticks = {std::string("full"), std::string("swa"), std::string("ffn")}};
        MeasuredArray change =
            arrayOf("change", "nats", {parts, numberAxis("sigma", "", {0.03, 0.1, 0.3, 1})});
        for (std::size_t i = 0; i < change.values.size(); ++i)
            change.values[i] = 0.2 * double(i % 4) * double(1 + i / 4);
        return write("noise", {change}, {});
    }

private:
    std::string write(const std::string& kind, std::vector<MeasuredArray> arrays,
                      std::vector<ScoreSummary> summary, int samples = 400) const {
        MeasurementRecord record{.kind = kind, .created = "2026-03-04T05:06:07Z"};
        record.command = "braid-engine measure " + kind + " " + plan_.id.str() + "@" + std::to_string(step_);
        record.checkpoint = {
            .folder = folder_.checkpoint_folder(Step(step_)), .run = plan_.id.str(), .step = Step(step_)};
        record.settings = {{"samples", samples}, {"seed", 42}};
        record.arrays = std::move(arrays);
        record.summary = std::move(summary);
        const Result<std::string> file = write_measurement(folder_.measurements_folder(), record);
        return file ? *file : std::string();
    }

    RunFolder folder_;
    RunPlan plan_;
    std::int64_t step_;
};

}  // namespace braid::ui
