#include "core/engine/mixer_check.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/engine/flop_count.h"
#include "core/engine/inference.h"
#include "core/engine/init.h"
#include "core/engine/mixer_error.h"
#include "core/mixers/builtin.h"
#include "core/mixers/torch/attention_factors.h"
#include "core/spec/cost.h"
#include "core/spec/shorthand.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

const Scale small = {.name = "check",
                     .layers = 4,
                     .d_model = 24,
                     .ffn_width = 56,
                     .heads = 4,
                     .kv_heads = 2,
                     .head_dim = 8,
                     .vocab = 19};

// Other values of a parameter than its default; of numbers, in the order of preference.
std::vector<std::string> other_values(const ParameterDescription& parameter) {
    std::vector<std::string> values;
    for (const std::string& choice : parameter.choices)
        if (ParameterValue(choice) != parameter.default_value) values.push_back(choice);
    if (const bool* flag = std::get_if<bool>(&parameter.default_value))
        values.push_back(*flag ? "false" : "true");
    const auto within = [&](double value) { return std::clamp(value, parameter.minimum, parameter.maximum); };
    if (const auto* number = std::get_if<std::int64_t>(&parameter.default_value))
        for (const std::int64_t other : {*number > 0 ? *number / 2 : 40, std::int64_t{2}})
            values.push_back(to_text(std::int64_t(within(double(other)))));
    if (const auto* number = std::get_if<double>(&parameter.default_value))
        for (const double other : {*number * 2, *number / 2, *number + 1.25})
            values.push_back(to_text(within(other)));
    return values;
}

ArchitectureSpec spec_of(const std::string& pattern) {
    return instantiate(*parse_pattern(pattern, builtin_mixers()), small);
}

// The mixer as it is, head-wise beside full attention, and with each of its parameters changed.
std::vector<std::string> patterns(const MixerDescription& mixer) {
    const std::string letter(1, mixer.letter);
    std::vector<std::string> all = {letter + " x2", "{F:2 " + letter + ":2} x1"};
    for (const ParameterDescription& parameter : mixer.parameters) {
        const std::string condition = first_condition(parameter);
        for (const std::string& value : other_values(parameter)) {
            std::string pattern = letter;
            pattern.append("[").append(condition).append(condition.empty() ? "" : ",");
            pattern.append(parameter.key).append("=").append(value).append("] x1");
            // A number that the small model cannot have (more groups than heads), or the default itself.
            const ArchitectureSpec spec = spec_of(pattern);
            if (!validate(spec, builtin_mixers()).empty() ||
                !normalised(spec, builtin_mixers()).layers[0].groups[0].parameters.find(parameter.key))
                continue;
            all.push_back(pattern);
            if (parameter.choices.empty()) break;
        }
    }
    return all;
}

std::unique_ptr<Model> model_of(const ArchitectureSpec& spec, at::ScalarType type) {
    auto made = Model::create(spec, make_cpu_ops(type));
    if (!made) throw std::runtime_error(made.error().message);
    initialise((*made)->parameters(), "fan_in", 1);
    return std::move(*made);
}

struct Text {
    at::Tensor tokens_BT, targets_BT;
};
Text text(std::int64_t batch, std::int64_t tokens, std::int64_t vocab) {
    Text result{at::empty({batch, tokens}, at::kLong), at::empty({batch, tokens}, at::kLong)};
    Random random(1, "check/text");
    for (const at::Tensor& each : {result.tokens_BT, result.targets_BT})
        for (std::int64_t i = 0; i < each.numel(); ++i)
            each.mutable_data_ptr<std::int64_t>()[i] = std::int64_t(random.below(std::uint64_t(vocab)));
    return result;
}

// Logits of all positions, [B, T, V].
at::Tensor all_logits(Model& model, const at::Tensor& tokens_BT) {
    const std::int64_t batch = tokens_BT.size(0), tokens = tokens_BT.size(1);
    at::Tensor places = at::empty({batch * tokens, 2}, at::kLong);
    for (std::int64_t i = 0; i < batch * tokens; ++i) {
        places[i][0] = i / tokens;
        places[i][1] = i % tokens;
    }
    return model.logits(tokens_BT, places).view({batch, tokens, -1});
}

double scalar(const at::Tensor& x) { return x.item().toDouble(); }
double largest(const at::Tensor& x) { return scalar(x.abs().max()); }

class Checker {
public:
    explicit Checker(const std::function<void(const MixerCheckResult&)>& receive) : receive_(receive) {}

    void run(const std::string& mixer, const std::string& pattern) { run(mixer, pattern, spec_of(pattern)); }
    void run(const std::string& mixer, const std::string& pattern, const ArchitectureSpec& spec) {
        mixer_ = mixer, pattern_ = pattern, spec_ = spec;
        causal();
        documents();
        forms();
        gradients();
        rows();
        costs();
        json();
        lengths();
        gates();
    }

private:
    void report(const char* check, const std::string& detail, double measured, double limit) {
        receive_({.mixer = mixer_,
                  .pattern = pattern_,
                  .check = check,
                  .detail = detail,
                  .measured = measured,
                  .limit = limit,
                  .passed = measured <= limit});  // not for NaN
    }

    // A changed token changes no output before it, and changes one behind it.
    void causal() {
        const auto model = model_of(spec_, at::kDouble);
        const at::Tensor tokens = text(2, 63, spec_.vocab).tokens_BT;
        at::Tensor changed = tokens.clone();
        changed.narrow(1, 40, 23).add_(3).remainder_(spec_.vocab);
        const at::Tensor difference = all_logits(*model, changed) - all_logits(*model, tokens);
        report("causal", "change of earlier outputs", largest(difference.narrow(1, 0, 40)), 0);
        report("causal", "later outputs that do not change",
               scalar(difference.narrow(1, 40, 23).abs().amax(-1).eq(0).sum()), 0);
    }

    // Documents kept apart in one sequence against each of them alone: loss and gradients.
    void documents() {
        const auto packed = model_of(spec_, at::kDouble), alone = model_of(spec_, at::kDouble);
        const std::vector<std::vector<std::int64_t>> lengths = {{1, 20, 33, 9}, {44, 2, 1, 16}};
        const Text data = text(2, 63, spec_.vocab);
        at::Tensor starts_BT = at::empty({2, 63}, at::kInt);
        for (std::int64_t b = 0; b < 2; ++b) {
            std::int64_t first = 0;
            for (const std::int64_t length : lengths[std::size_t(b)]) {
                starts_BT.select(0, b).narrow(0, first, length).fill_(first);
                // Padded behind, where nothing is asked: what depends on the length of the sequence stays.
                at::Tensor tokens = at::zeros({1, 63}, at::kLong), targets = at::full({1, 63}, -1, at::kLong);
                tokens.narrow(1, 0, length).copy_(data.tokens_BT.narrow(0, b, 1).narrow(1, first, length));
                targets.narrow(1, 0, length).copy_(data.targets_BT.narrow(0, b, 1).narrow(1, first, length));
                alone->forward_backward(tokens, targets, 1);
                first += length;
            }
        }
        packed->forward_backward(data.tokens_BT, data.targets_BT, 1, {}, starts_BT);
        report("documents", "loss, apart and alone", relative(packed->loss_sum(), alone->loss_sum()), 1e-10);
        report("documents", "gradients, apart and alone",
               relative(packed->parameters().gradients(), alone->parameters().gradients()), 1e-9);
    }

    // Training's form, prefill in pieces, and one token after the other.
    void forms() {
        for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
            const auto model = model_of(spec_, type);
            const std::string name = type == at::kDouble ? "float64" : "float32";
            const double limit = type == at::kDouble ? 1e-11 : 2e-4;
            const at::Tensor tokens = text(2, 150, spec_.vocab).tokens_BT;
            const at::Tensor whole = all_logits(*model, tokens);
            Generator generator(*model, 37);
            InferenceState state = generator.start(2, 150);
            std::vector<at::Tensor> parts;
            const auto keep = [&](std::int64_t, const at::Tensor& logits) {
                parts.push_back(logits.clone());
                return true;
            };
            generator.prefill(state, tokens.narrow(1, 0, 75), keep);
            generator.prefill(state, tokens.narrow(1, 75, 1), keep);
            for (std::int64_t t = 76; t < 150; ++t)
                parts.push_back(generator.step(state, tokens.select(1, t)).unsqueeze(1));
            report("forms agree", "prefill and decoding, " + name, relative(at::cat(parts, 1), whole), limit);
            InferenceState fresh = generator.start(2, 150);
            parts.clear();
            for (std::int64_t t = 0; t < 80; ++t)
                parts.push_back(generator.step(fresh, tokens.select(1, t)).unsqueeze(1));
            report("forms agree", "recurrent, " + name, relative(at::cat(parts, 1), whole.narrow(1, 0, 80)),
                   limit);
        }
    }

    // Two elements of every parameter against central differences.
    void gradients() {
        const auto model = model_of(spec_, at::kDouble);
        const Text data = text(2, 70, spec_.vocab);
        const auto loss = [&] {
            return scalar(model->evaluate(data.tokens_BT, data.targets_BT).loss_BT.sum());
        };
        model->zero_gradients();
        model->forward_backward(data.tokens_BT, data.targets_BT, 1);
        const at::Tensor gradients = model->parameters().gradients().clone();
        double worst = 0;
        for (const Parameter& parameter : model->parameters().layout().parameters)
            for (const std::int64_t i : {parameter.offset, parameter.offset + parameter.size / 2}) {
                double* x = model->parameters().values().mutable_data_ptr<double>() + i;
                const double kept = *x, step = 1e-5;
                *x = kept + step;
                const double above = loss();
                *x = kept - step;
                const double below = loss();
                *x = kept;
                const double got = gradients.const_data_ptr<double>()[i];
                worst = std::max(worst,
                                 std::abs(got - (above - below) / (2 * step)) / std::max(1.0, std::abs(got)));
            }
        report("gradients", "finite differences, float64", worst, 2e-6);
    }

    // What each head is said to have done, a few rows at a time, against what it did.
    void rows() {
        const auto model = model_of(spec_, at::kDouble);
        double worst = 0, sums = 0, factored = -1;
        ForwardTaps taps;
        taps.mixed = [&](const GroupTap& tap) {
            for (std::int64_t head = 0; head < tap.mixer.attention_heads(); ++head) {
                const std::optional<AttentionFactors> factors = tap.mixer.attention_factors(tap.pass(), head);
                for (const auto& [first, count] :
                     {std::pair<std::int64_t, std::int64_t>{0, 1}, {1, 70}, {71, 79}, {149, 1}}) {
                    const AttentionRows rows = tap.mixer.attention_rows(tap.pass(), head, first, count);
                    worst = std::max(worst,
                                     relative(at::bmm(rows.weights_BrS, rows.values_BSV), rows.output_BrV));
                    if (factors) factored = std::max(factored, from_factors(*factors, rows, first, count));
                    if (!rows.sink_Br.defined()) continue;
                    sums = std::max(sums, largest(rows.weights_BrS.sum(-1) + rows.sink_Br - 1));
                }
            }
        };
        model->forward(text(2, 150, spec_.vocab).tokens_BT, taps);
        report("attention rows", "rows times values, float64", worst, 1e-9);
        report("attention rows", "shares and that of the sink, less 1", sums, 1e-12);
        if (factored >= 0) report("attention rows", "from factors, float64", factored, 1e-11);
    }
    // All keys at once, some of them, and the sink.
    static double from_factors(const AttentionFactors& factors, const AttentionRows& rows, std::int64_t first,
                               std::int64_t count) {
        const std::int64_t end = first + count, low = first_seen(factors, first), some = end / 3;
        const at::Tensor wanted = rows.weights_BrS.narrow(2, low, end - low);
        double worst = std::max(relative(attention_block(factors, first, count, low, end), wanted),
                                largest(rows.weights_BrS.narrow(2, 0, low).sum(-1)));
        worst = std::max(worst, largest(attention_block(factors, first, count, some, end - some) -
                                        rows.weights_BrS.narrow(2, some, end - 2 * some)));
        if (rows.sink_Br.defined())
            worst = std::max(worst, relative(factors.sink_BT.narrow(1, first, count), rows.sink_Br));
        return worst;
    }

    // Declared against allocated and executed.
    void costs() {
        const std::int64_t batch = 2, tokens = 40;
        const auto model = model_of(spec_, at::kFloat);
        const ArchitectureCost now = cost(spec_, builtin_mixers(), tokens);
        const ArchitectureCost before = cost(spec_, builtin_mixers(), tokens - 1);
        report("cost", "parameters",
               different(model->parameters().layout().parameter_count(), now.total_parameters), 0);
        Generator generator(*model);
        InferenceState state = generator.start(batch, tokens);
        std::int64_t cache = 0, recurrent = 0;
        for (const auto& layer : state.layers())
            for (const MixerState& group : layer) {
                for (const at::Tensor& each : group.cache) cache += each.numel();
                for (const at::Tensor& each : group.recurrent) recurrent += each.numel();
            }
        report("cost", "KV bytes in bf16", different(2 * cache / batch, now.kv_bytes), 0);
        report("cost", "state bytes in float32", different(4 * recurrent / batch, now.state_bytes), 0);
        const at::Tensor text_BT = text(batch, tokens, spec_.vocab).tokens_BT;
        generator.prefill(state, text_BT.narrow(1, 0, tokens - 1));
        const FlopCount counter;
        generator.step(state, text_BT.select(1, tokens - 1));
        // Of the last position: the sum over the text less the sum without it.
        const double declared = double(tokens) * now.forward_flops_per_token -
                                double(tokens - 1) * before.forward_flops_per_token;
        report("cost", "FLOPs of a decoded token", different(counter.flops(), std::llround(declared) * batch),
               0);
    }

    void json() {
        const auto again = architecture_from_json(to_json(spec_));
        report("json", "spec, JSON, spec", again && *again == spec_ ? 0 : 1, 0);
        const auto pattern =
            parse_pattern(format_pattern(spec_.layers, spec_, builtin_mixers()), builtin_mixers());
        ArchitectureSpec parsed =
            pattern ? instantiate(*pattern, spec_, spec_.layers.size()) : ArchitectureSpec();
        report("json", "spec, shorthand, spec", parsed.layers == spec_.layers ? 0 : 1, 0);
    }

    // float32 against float64, loss and gradients, at lengths that fill no chunk.
    void lengths() {
        double worst_loss = 0, worst_gradient = 0;
        for (const std::int64_t tokens : {63, 75, 500}) {
            const Errors errors = precision(tokens, [](Model&) {});
            worst_loss = std::max(worst_loss, errors.loss),
            worst_gradient = std::max(worst_gradient, errors.gradient);
        }
        report("lengths", "loss at 63, 75, 500, float32", worst_loss, 1e-5);
        report("lengths", "gradients at 63, 75, 500, float32", worst_gradient, 1e-3);
    }

    // The parameters that set decays and gates driven to either end.
    void gates() {
        for (const double value : {8.0, -8.0}) {
            const Errors errors = precision(150, [&](Model& model) {
                for (const Parameter& parameter : model.parameters().layout().parameters)
                    if (parameter.update == UpdateRule::adamw_without_decay && parameter.init != Init::ones)
                        model.parameters().value(parameter).fill_(value);
            });
            const std::string end = value > 0 ? "up" : "down";
            report("gates", "loss, gates " + end + ", float32", errors.loss, 1e-4);
            report("gates", "gradients, gates " + end + ", float32", errors.gradient, 5e-3);
        }
        const Errors large = precision(75, [](Model& model) { model.parameters().values().mul_(30); });
        report("gates", "values not finite, weights x 30", large.not_finite, 0);
    }

    struct Errors {
        double loss = 0, gradient = 0, not_finite = 0;
    };
    template <class Change>
    Errors precision(std::int64_t tokens, Change&& change) {
        const Text data = text(2, tokens, spec_.vocab);
        const auto exact = model_of(spec_, at::kDouble), rounded = model_of(spec_, at::kFloat);
        for (Model* model : {exact.get(), rounded.get()}) {
            change(*model);
            if (model == rounded.get()) model->parameters().values().copy_(exact->parameters().values());
            model->zero_gradients();
            model->forward_backward(data.tokens_BT, data.targets_BT, 1);
        }
        const at::Tensor got = rounded->parameters().gradients();
        const double finite = scalar(got.isfinite().sum()) + scalar(rounded->loss_sum().isfinite());
        return {.loss = relative(rounded->loss_sum(), exact->loss_sum()),
                .gradient = relative(got, exact->parameters().gradients()),
                .not_finite = double(got.numel() + 1) - finite};
    }

    static double relative(const at::Tensor& got, const at::Tensor& wanted) {
        return scalar((got.to(at::kDouble) - wanted.to(at::kDouble)).norm()) /
               std::max(scalar(wanted.to(at::kDouble).norm()), 1e-30);
    }
    static double different(std::int64_t got, std::int64_t declared) {
        return std::abs(double(got - declared));
    }

    const std::function<void(const MixerCheckResult&)>& receive_;
    std::string mixer_, pattern_;
    ArchitectureSpec spec_;
};

}  // namespace

ArchitectureSpec check_spec(const std::string& pattern) { return spec_of(pattern); }

void check_architecture(const ArchitectureSpec& spec,
                        const std::function<void(const MixerCheckResult&)>& receive) {
    Checker(receive).run("", format_pattern(spec.layers, spec, builtin_mixers()), spec);
}

void check_mixers(const std::shared_ptr<Ops>& device,
                  const std::function<void(const MixerCheckResult&)>& receive) {
    Checker checker(receive);
    for (const auto& kind : builtin_mixers().all()) {
        const MixerDescription& mixer = kind->description();
        for (const std::string& pattern : patterns(mixer)) checker.run(mixer.id, pattern);
        measure_mixer_error(mixer, *make_cpu_ops(), receive);
        if (device && device->name() != "cpu") measure_mixer_error(mixer, *device, receive);
    }
}

}  // namespace braid
