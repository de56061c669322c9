#include "core/engine/trainer.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/engine/init.h"
#include "core/mixers/builtin.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

constexpr std::int64_t evaluation_tokens = 4'096;

}  // namespace

Diagnostics validate(const TrainerSetup& setup) {
    Diagnostics problems;
    const auto add = [&problems](const Diagnostics& more, const std::string& prefix) {
        for (Diagnostic problem : more) {
            if (!prefix.empty()) problem.path = problem.path.empty() ? prefix : prefix + "." + problem.path;
            problems.push_back(std::move(problem));
        }
    };
    add(validate(setup.architecture, builtin_mixers()), "architecture");
    add(validate(setup.training), "training");
    add(validate(setup.data, setup.training), "");
    return problems;
}

Result<std::unique_ptr<Trainer>> Trainer::create(TrainerSetup setup, std::shared_ptr<Ops> ops) {
    if (const Diagnostics problems = validate(setup); !problems.empty()) return fail(to_error(problems));
    std::unique_ptr<Trainer> trainer(new Trainer);
    Result<std::unique_ptr<DataSource>> data =
        make_data_source(setup.data, setup.training, setup.project_folder);
    if (!data) return fail(std::move(data.error()));
    if ((*data)->vocab() > setup.architecture.vocab)
        return fail(to_error(
            {{.path = "architecture.vocab",
              .rule = "must be at least " + std::to_string((*data)->vocab()) + ", the vocabulary of the data",
              .found = std::to_string(setup.architecture.vocab)}}));
    Result<std::unique_ptr<Model>> model = Model::create(setup.architecture, ops);
    if (!model) return fail(std::move(model.error()));
    trainer->setup_ = std::move(setup);
    trainer->ops_ = std::move(ops);
    trainer->data_ = std::move(*data);
    trainer->model_ = std::move(*model);
    const TrainingSpec& training = trainer->setup_.training;
    initialise(trainer->model_->parameters(), training.init, training.seed);
    trainer->optimizer_ =
        std::make_unique<Optimizer>(training, trainer->model_->parameters(), *trainer->ops_);
    const auto tokens = static_cast<std::size_t>(training.tokens_per_step());
    trainer->tokens_BT_.resize(tokens);
    trainer->targets_BT_.resize(tokens);
    return trainer;
}

void Trainer::continue_from(Step step, std::int64_t optimizer_steps) {
    step_ = step;
    optimizer_->set_steps_done(optimizer_steps);
    model_->parameters().refresh_compute();
}

at::Tensor Trainer::on_device(std::span<const std::int32_t> numbers, std::int64_t sequences) const {
    const auto length = static_cast<std::int64_t>(numbers.size()) / sequences;
    // from_blob only reads here; the copy below owns its memory.
    const at::Tensor host =
        at::from_blob(const_cast<std::int32_t*>(numbers.data()), {sequences, length}, at::kInt);
    return host.to(ops_->device(), at::kLong);
}

Result<std::optional<StepResult>> Trainer::advance(const GoOn& go_on) {
    const TrainingSpec& training = setup_.training;
    if (Result<void> filled = data_->fill(step_, 0, tokens_BT_, targets_BT_); !filled)
        return fail(std::move(filled.error()));
    const auto targets = std::count_if(targets_BT_.begin(), targets_BT_.end(), [](auto t) { return t >= 0; });
    const double scale = 1.0 / static_cast<double>(std::max<std::ptrdiff_t>(targets, 1));

    model_->zero_gradients();
    const std::int64_t sequences = training.batch / training.micro_batches;
    const auto size = static_cast<std::size_t>(sequences * training.context);
    for (std::int64_t micro = 0; micro < training.micro_batches; ++micro) {
        if (!go_on()) return std::optional<StepResult>();
        const std::size_t begin = static_cast<std::size_t>(micro) * size;
        model_->forward_backward(on_device(std::span(tokens_BT_).subspan(begin, size), sequences),
                                 on_device(std::span(targets_BT_).subspan(begin, size), sequences), scale);
    }

    StepResult result{.learning_rate = learning_rate_at(training, step_.value)};
    optimizer_->measure_gradients();
    // The only places of a step where the host waits for the device.
    result.loss = model_->loss_sum().item().toDouble() * scale;
    result.grad_norm = optimizer_->gradient_norm().item().toDouble();
    result.applied = std::isfinite(result.loss) && std::isfinite(result.grad_norm);
    if (result.applied) optimizer_->step(result.learning_rate);
    step_.value += 1;
    result.step = step_;
    return std::optional<StepResult>(result);
}

Result<std::map<std::string, double>> Trainer::evaluate() {
    if (!evaluation_) {
        Result<EvaluationSet> made = data_->evaluation();
        if (!made) return fail(std::move(made.error()));
        evaluation_ = std::move(*made);
    }
    const Batch& batch = evaluation_->batch;
    double loss_sum = 0;
    std::int64_t targets = 0;
    std::vector<std::int64_t> top_BT(batch.tokens_BT.size());
    // As many sequences as a micro-batch, or more where those are few tokens.
    const std::int64_t block = std::max({setup_.training.batch / setup_.training.micro_batches,
                                         evaluation_tokens / batch.context, std::int64_t{1}});
    for (std::int64_t first = 0; first < batch.sequences; first += block) {
        const std::int64_t count = std::min(block, batch.sequences - first);
        const auto begin = static_cast<std::size_t>(first * batch.context);
        const auto size = static_cast<std::size_t>(count * batch.context);
        const std::span<const std::int32_t> block_targets = std::span(batch.targets_BT).subspan(begin, size);
        const Model::Evaluation answer =
            model_->evaluate(on_device(std::span(batch.tokens_BT).subspan(begin, size), count),
                             on_device(block_targets, count));
        loss_sum += answer.loss_BT.to(at::kCPU, at::kDouble).sum().item().toDouble();
        targets += std::count_if(block_targets.begin(), block_targets.end(), [](auto t) { return t >= 0; });
        const at::Tensor top = answer.top_BT.to(at::kCPU, at::kLong).contiguous();
        std::copy_n(top.const_data_ptr<std::int64_t>(), size,
                    top_BT.begin() + static_cast<std::ptrdiff_t>(begin));
    }

    std::map<std::string, double> metrics;
    if (!evaluation_->loss_metric.empty())
        metrics[evaluation_->loss_metric] =
            targets == 0 ? std::numeric_limits<double>::quiet_NaN() : loss_sum / static_cast<double>(targets);
    std::vector<std::int64_t> asked(evaluation_->groups.size()), right(evaluation_->groups.size());
    for (const Query& query : evaluation_->queries) {
        const auto at = static_cast<std::size_t>(query.sequence * batch.context + query.position);
        const auto group = static_cast<std::size_t>(query.group);
        ++asked[group];
        if (top_BT[at] == batch.targets_BT[at]) ++right[group];
    }
    for (std::size_t group = 0; group < asked.size(); ++group)
        if (asked[group] > 0)
            metrics[evaluation_->groups[group]] =
                static_cast<double>(right[group]) / static_cast<double>(asked[group]);
    return metrics;
}

}  // namespace braid
