// Gradient profile (paper D.3, Fig. 5a): G(d) = E |ds/de_(T-d)|_2 with s the sum over the vocabulary of the
// mean logits of the last positions, and the far baseline that it falls to.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>
#include <cmath>

#include "core/measure/mechanism/interval.h"
#include "core/measure/mechanism/sample_texts.h"
#include "core/measure/position_losses.h"
#include "core/mixers/builtin.h"

namespace braid {
namespace {

// Twice the largest window; a quarter of the context where there is none. Never among the first eighth of the
// text.
std::int64_t default_baseline(const ArchitectureSpec& spec, std::int64_t context) {
    std::int64_t window = 0;
    for (const LayerSpec& layer : spec.layers)
        for (const HeadGroup& group : layer.groups) {
            const auto& described = builtin_mixers().find(group.mixer)->description().parameters;
            if (find_parameter(described, "window") != nullptr)
                window = std::max(window, group.parameters.integer("window", described));
        }
    const std::int64_t wanted = window > 0 ? 2 * window : context / 4;
    return std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(context - context / 8 - 1, 1));
}

// |ds/de| by distance from the last token, 0 .. T - 1.
std::vector<double> profile(Model& model, const std::vector<std::int32_t>& text, std::int64_t positions) {
    const at::Tensor tokens_BT = token_tensor({&text});
    const std::int64_t length = tokens_BT.size(1), last = std::min(positions, length);
    at::Tensor positions_P2 = at::empty({last, 2}, at::kLong);
    for (std::int64_t i = 0; i < last; ++i) {
        positions_P2[i][0] = 0;
        positions_P2[i][1] = length - last + i;
    }
    const at::Tensor dlogits_PV = at::full({last, model.spec().vocab}, 1.0 / double(last),
                                           at::TensorOptions().dtype(model.ops().statistics_type()));
    model.zero_gradients();
    const at::Tensor norm_T =
        at::linalg_vector_norm(model.input_gradient(tokens_BT, positions_P2, dlogits_PV)[0].to(at::kDouble),
                               2, at::IntArrayRef({1}))
            .flip(0)
            .to(at::kCPU)
            .contiguous();
    return {norm_T.const_data_ptr<double>(), norm_T.const_data_ptr<double>() + length};
}

}  // namespace

Result<Measured> measure_gradient(const MeasureInput& input) {
    Measured measured;
    const Result<std::int64_t> context = sample_context(input, measured);
    if (!context) return fail(context.error());
    const std::int64_t baseline = input.integer("baseline") > 0
                                      ? input.integer("baseline")
                                      : default_baseline(input.architecture, *context);
    if (baseline >= *context)
        return fail(to_error({{.path = "baseline",
                               .rule = "must be less than the context (" + std::to_string(*context) + ")",
                               .found = std::to_string(baseline)}}));
    const auto texts = sample_texts(input, *context, input.integer("samples"), measured);
    if (!texts) return fail(texts.error());
    const Result<std::unique_ptr<Model>> model = input.open(input.checkpoint.folder, /*trainable=*/true);
    if (!model) return fail(model.error());

    const std::vector<std::int64_t> ends = position_buckets(*context, input.integer("points"), true);
    std::vector<std::vector<double>> sums(ends.size());  // by range and text
    for (std::size_t s = 0; s < texts->size(); ++s) {
        if (!input.go_on(double(s) / double(texts->size()),
                         "gradients of " + std::to_string(texts->size()) + " texts"))
            return fail(stopped());
        const std::vector<double> norms = profile(**model, (*texts)[s], input.integer("positions"));
        std::int64_t begin = 0;
        for (std::size_t i = 0; i < ends.size(); begin = ends[i++]) {
            double sum = 0;
            for (std::int64_t d = begin; d < ends[i]; ++d) sum += norms[std::size_t(d)];
            sums[i].push_back(sum / double(ends[i] - begin));
        }
    }
    std::vector<double> middles;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const std::int64_t begin = i == 0 ? 0 : ends[i - 1];
        middles.push_back(0.5 * double(begin + ends[i] - 1));
    }
    MeasuredArray g = empty_array("g", "", {number_axis("distance", "tokens", middles)});
    g.low = g.high = g.values;
    g.samples = {std::int64_t(texts->size())};
    const std::vector<double> ones(texts->size(), 1);
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const Interval mean =
            bootstrap_ratio(sums[i], ones, input.integer("bootstrap"), std::uint64_t(input.integer("seed")));
        g.values[i] = mean.value, g.low[i] = mean.low, g.high[i] = mean.high;
    }
    const std::size_t at = std::size_t(std::upper_bound(ends.begin(), ends.end(), baseline) - ends.begin());
    const double base = g.values[at];
    // Behind the peak: the last tokens themselves may matter less than those before them.
    const auto peak = std::max_element(g.values.begin(), g.values.end());
    const auto met = std::find_if(peak, g.values.end(), [&](double value) { return value <= base; });
    const double meets = middles[std::size_t(met - g.values.begin())];
    const auto json = [](const std::vector<double>& values) {
        Json list = Json::array();
        for (const double value : values) list.push_back(finite_json(value));
        return list;
    };
    measured.settings["baseline_distance"] = baseline;
    measured.answer = {{"d", middles},         {"g", json(g.values)}, {"low", json(g.low)},
                       {"high", json(g.high)}, {"base", base},        {"base_distance", baseline},
                       {"meets", meets},       {"n", texts->size()}};
    measured.summary = {{.name = "far baseline", .value = base},
                        {.name = "distance where the baseline is met", .value = meets, .unit = "tokens"}};
    measured.arrays = {std::move(g)};
    return measured;
}

}  // namespace braid
