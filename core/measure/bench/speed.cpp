#include "core/measure/bench/speed.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>

#include "core/base/random.h"
#include "core/engine/device.h"
#include "core/engine/guard.h"
#include "core/engine/inference.h"
#include "core/engine/init.h"
#include "core/engine/model.h"
#include "core/engine/optimizer.h"
#include "core/engine/step_runner.h"
#include "core/measure/bench/plain_model.h"
#include "core/measure/bench/stopwatch.h"
#include "core/mixers/builtin.h"
#include "core/spec/shorthand.h"
#include "core/spec/training.h"

namespace braid {
namespace {

constexpr std::int64_t steps_at_once = 8;  // of decoding, between two looks at what came out

at::Tensor random_tokens(const BenchShape& shape, std::int64_t vocab, const Ops& ops) {
    at::Tensor tokens_BT = at::empty({shape.batch, shape.context}, at::kLong);
    Random random(1, "bench/tokens");
    for (std::int64_t i = 0; i < tokens_BT.numel(); ++i)
        tokens_BT.mutable_data_ptr<std::int64_t>()[i] = std::int64_t(random.below(std::uint64_t(vocab)));
    return tokens_BT.to(ops.device());
}

Result<std::unique_ptr<Model>> fresh_model(const ArchitectureSpec& spec, std::shared_ptr<Ops> ops) {
    Result<std::unique_ptr<Model>> model = Model::create(spec, std::move(ops));
    if (model) initialise((*model)->parameters(), "fan_in", 1);
    return model;
}

}  // namespace

Result<StepComparison> time_step(const ArchitectureSpec& spec, const TrainingSpec& training,
                                 std::shared_ptr<Ops> ops, const BenchShape& shape, const BenchGoOn& go_on) {
    return guarded("timing a step", [&]() -> Result<StepComparison> {
        const Stopwatch stopwatch(*ops);
        ops->reset_peak_memory();
        const double start = wall_seconds();
        ops->set_deterministic(training.deterministic);
        if (Result<void> used = use_kernels(
                *ops, {.attention = training.attention_kernel, .recurrence = training.recurrence_kernel}, "");
            !used)
            return fail(used.error());
        Result<std::unique_ptr<Model>> made = fresh_model(spec, ops);
        if (!made) return fail(made.error());
        Model& model = **made;
        Optimizer optimizer(training, model.parameters(), *ops);
        model.limit_activations(activation_memory_bytes(training));
        StepRunner runner(model, optimizer, training.step_kernels);
        std::optional<PlainModel> plain;
        if (shape.plain && ops->device().is_cpu() && PlainModel::knows(spec))
            plain.emplace(spec, model.parameters());
        PlainOptimizer plain_optimizer(training, model.parameters());
        const at::Tensor tokens_BT = random_tokens(shape, spec.vocab, *ops);
        const double scale = 1.0 / double(tokens_BT.numel() * shape.accumulate);
        const auto step = [&](std::int64_t micro_batches) {
            runner.begin(scale);
            for (std::int64_t i = 0; i < micro_batches; ++i)
                runner.micro_batch({.tokens_BT = tokens_BT, .targets_BT = tokens_BT});
        };
        StepComparison answer;
        Rounds forward_backward, update, whole, forward, plain_forward_backward, plain_update;
        for (std::int64_t round = 0; round < shape.rounds + warm_up_rounds; ++round) {
            if (!go_on()) return bench_interrupted();
            forward_backward.add(round, stopwatch([&] { step(1); }));
            update.add(round, stopwatch([&] { runner.update(1e-3); }));
            if (round == 0) answer.first_step_ms = 1e3 * (wall_seconds() - start);
            // On a GPU a step is more than its parts: what comes next is asked for while it works.
            if (!ops->device().is_cpu())
                whole.add(round, stopwatch([&] {
                              step(shape.accumulate);
                              runner.update(1e-3);
                          }));
            if (!plain) continue;
            plain_forward_backward.add(round, stopwatch([&] {
                                           plain->zero_gradients();
                                           (plain->loss_sum(tokens_BT, tokens_BT) * scale).backward();
                                       }));
            plain_update.add(round, stopwatch([&] { plain_optimizer.step(*plain, 1e-3); }));
        }
        answer.peak_bytes = ops->peak_memory();
        answer.way = runner.way();
        answer.activations = model.activation_plan()->text();
        for (std::int64_t round = 0; round < shape.rounds + warm_up_rounds; ++round) {
            if (!go_on()) return bench_interrupted();
            forward.add(round, stopwatch([&] { model.evaluate(tokens_BT, tokens_BT); }));
        }
        answer.forward_ms = forward.median();
        const auto speed = [&](Rounds& micro, Rounds& updating) {
            StepSpeed parts{.forward_backward_ms = micro.median(), .update_ms = updating.median()};
            parts.step_ms = double(shape.accumulate) * parts.forward_backward_ms + parts.update_ms;
            return parts;
        };
        answer.engine = speed(forward_backward, update);
        if (!ops->device().is_cpu()) answer.engine.step_ms = whole.median();
        if (plain) answer.plain = speed(plain_forward_backward, plain_update);
        return answer;
    });
}

Result<std::vector<MixerSpeed>> time_mixers(Scale scale, const std::shared_ptr<Ops>& ops,
                                            const BenchShape& shape, const BenchGoOn& go_on) {
    return guarded("timing mixers", [&]() -> Result<std::vector<MixerSpeed>> {
        struct Entry {
            std::string pattern;
            std::unique_ptr<Model> model;
            Rounds times = {};
        };
        const Stopwatch stopwatch(*ops);
        scale.vocab = 64;  // the head is the same for all
        std::vector<Entry> entries;
        for (const auto& kind : builtin_mixers().all()) {
            const std::string pattern = std::string(1, kind->description().letter) + " x2";
            Result<std::unique_ptr<Model>> model =
                fresh_model(instantiate(*parse_pattern(pattern, builtin_mixers()), scale), ops);
            if (!model) return fail(model.error());
            entries.push_back({.pattern = pattern, .model = std::move(*model)});
        }
        const at::Tensor tokens_BT = random_tokens(shape, scale.vocab, *ops);
        for (std::int64_t round = 0; round < shape.rounds + warm_up_rounds; ++round)
            for (Entry& entry : entries) {
                if (!go_on()) return bench_interrupted();
                entry.times.add(
                    round, stopwatch([&] { entry.model->forward_backward(tokens_BT, tokens_BT, 1e-3); }));
            }
        std::vector<MixerSpeed> answer;
        for (Entry& entry : entries)
            answer.push_back({.pattern = entry.pattern, .forward_backward_ms = entry.times.median()});
        for (MixerSpeed& one : answer)
            one.of_full = one.forward_backward_ms / answer.front().forward_backward_ms;
        return answer;
    });
}

Result<DecodingSpeed> time_decoding(const ArchitectureSpec& spec, std::shared_ptr<Ops> ops,
                                    const BenchShape& shape, const BenchGoOn& go_on) {
    return guarded("timing decoding", [&]() -> Result<DecodingSpeed> {
        const Stopwatch stopwatch(*ops);
        Result<std::unique_ptr<Model>> made = fresh_model(spec, ops);
        if (!made) return fail(made.error());
        Generator generator(**made);
        const at::Tensor tokens_BT = random_tokens(shape, spec.vocab, *ops);
        const std::int64_t blocks = std::max<std::int64_t>(1, shape.rounds / steps_at_once) + warm_up_rounds;
        DecodingSpeed answer;
        Rounds prefill, step;
        InferenceState state;
        // The first time through allocates; the second counts.
        for (const bool counts : {false, true}) {
            if (!go_on()) return bench_interrupted();
            state = generator.start(shape.batch, shape.context + blocks * steps_at_once);
            const double time = stopwatch.wall([&] { generator.prefill(state, tokens_BT); });
            prefill.add(counts ? warm_up_rounds : 0, time);
        }
        answer.state_bytes = state.bytes();
        for (std::int64_t block = 0; block < blocks; ++block) {
            if (!go_on()) return bench_interrupted();
            const double time = stopwatch.wall(
                [&] { generator.greedy(state, tokens_BT.select(1, block % shape.context), steps_at_once); });
            step.add(block, time / double(steps_at_once));
        }
        answer.prefill_ms = prefill.median();
        answer.step_ms = step.median();
        return answer;
    });
}

Result<LossSpeed> time_loss(std::int64_t d_model, std::int64_t vocab, const std::shared_ptr<Ops>& ops,
                            const BenchShape& shape, const BenchGoOn& go_on) {
    return guarded("timing the head and its loss", [&]() -> Result<LossSpeed> {
        const Stopwatch stopwatch(*ops);
        const auto compute = at::TensorOptions(ops->device()).dtype(ops->compute_type());
        const std::int64_t rows = shape.batch * shape.context;
        const at::Tensor targets_N = random_tokens(shape, vocab, *ops).flatten();
        const at::Tensor y_ND = at::randn({rows, d_model}, compute);
        const at::Tensor weight_VD = at::randn({vocab, d_model}, compute) * 0.02;
        const at::Tensor dy_ND = at::zeros({rows, d_model}, compute);
        const at::Tensor dweight_VD = at::zeros({vocab, d_model}, compute.dtype(ops->master_type()));
        const at::Tensor loss_sum = at::zeros({}, compute.dtype(ops->statistics_type()));
        at::Tensor plain_y_ND = y_ND.clone(), plain_weight_VD = weight_VD.clone();
        plain_y_ND.requires_grad_(true);
        plain_weight_VD.requires_grad_(true);
        const double scale = 1.0 / double(rows);
        Rounds engine, plain;
        bool fits = true;
        for (std::int64_t round = 0; round < shape.rounds + warm_up_rounds; ++round) {
            if (!go_on()) return bench_interrupted();
            engine.add(round, stopwatch([&] {
                           ops->head_loss(y_ND, weight_VD, targets_N, {}, scale, loss_sum, dy_ND, dweight_VD);
                       }));
            if (!fits) continue;
            const Result<double> time = guarded("the plain loss", [&] {
                return stopwatch([&] {
                    plain_y_ND.mutable_grad() = at::Tensor();
                    plain_weight_VD.mutable_grad() = at::Tensor();
                    const at::Tensor logits_NV = at::linear(plain_y_ND, plain_weight_VD);
                    const at::Tensor log_p_NV = at::log_softmax(logits_NV, 1, ops->statistics_type());
                    (at::nll_loss(log_p_NV, targets_N, {}, at::Reduction::Sum) * scale).backward();
                });
            });
            if (time)
                plain.add(round, *time);
            else if (time.error().kind == ErrorKind::out_of_memory)
                fits = false;
            else
                return fail(time.error());
        }
        return LossSpeed{.engine_ms = engine.median(),
                         .plain_ms = fits ? plain.median() : std::numeric_limits<double>::quiet_NaN()};
    });
}

}  // namespace braid
