#include "core/engine/trainer.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/sum.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/data/key_tokens.h"
#include "core/engine/device.h"
#include "core/engine/init.h"
#include "core/engine/longce.h"
#include "core/engine/parallel/gradient_sum.h"
#include "core/engine/text_losses.h"
#include "core/mixers/builtin.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

constexpr std::int64_t evaluation_tokens = 4'096;

std::span<std::int32_t> numbers_of(const at::Tensor& host) {
    return {host.mutable_data_ptr<std::int32_t>(), static_cast<std::size_t>(host.numel())};
}

// The numbers of an evaluation set as a tensor; only read, and copied where the device is another.
at::Tensor view_of(std::span<const std::int32_t> numbers, std::int64_t sequences) {
    return at::from_blob(const_cast<std::int32_t*>(numbers.data()),
                         {sequences, static_cast<std::int64_t>(numbers.size()) / sequences}, at::kInt);
}

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
    if (!problems.empty()) return problems;  // later phases start from what is wrong
    const auto phases =
        resolve_phases(setup.architecture, setup.training, setup.data, setup.phases, builtin_mixers());
    if (!phases) return phases.error();
    for (std::size_t i = 1; i < phases->size(); ++i)
        add(validate((*phases)[i].data, (*phases)[i].training), "phases[" + std::to_string(i - 1) + "]");
    return problems;
}

Trainer::Trainer() = default;
Trainer::~Trainer() = default;

Result<std::unique_ptr<Trainer>> Trainer::create(TrainerSetup setup, std::shared_ptr<Ops> ops,
                                                 Collective* ranks) {
    if (const Diagnostics problems = validate(setup); !problems.empty()) return fail(to_error(problems));
    std::unique_ptr<Trainer> trainer(new Trainer);
    trainer->phases_ =
        *resolve_phases(setup.architecture, setup.training, setup.data, setup.phases, builtin_mixers());
    trainer->setup_ = std::move(setup);
    trainer->ops_ = std::move(ops);
    trainer->ranks_ = ranks;
    if (Result<void> fits = trainer->check_ranks(); !fits) return fail(std::move(fits.error()));
    trainer->ops_->set_deterministic(trainer->setup_.training.deterministic);
    if (Result<void> used = use_kernels(*trainer->ops_,
                                        {.attention = trainer->setup_.training.attention_kernel,
                                         .recurrence = trainer->setup_.training.recurrence_kernel},
                                        "training");
        !used)
        return fail(std::move(used.error()));
    if (Result<void> opened = trainer->open_phase(); !opened) return fail(std::move(opened.error()));
    Result<std::unique_ptr<Model>> model = Model::create(trainer->setup_.architecture, trainer->ops_);
    if (!model) return fail(std::move(model.error()));
    trainer->model_ = std::move(*model);
    // A later phase that cannot work is found now, not after days.
    for (std::size_t i = 1; i < trainer->phases_.size(); ++i) {
        const ResolvedPhase& phase = trainer->phases_[i];
        const std::string path = "phases[" + std::to_string(i - 1) + "]";
        if (Result<void> fits = trainer->model_->check_layers(phase.architecture, path); !fits)
            return fail(std::move(fits.error()));
        if (const auto data = make_data_source(phase.data, phase.training, trainer->setup_.project_folder);
            !data)
            return fail(data.error());
    }
    trainer->done_fingerprint_ = trainer->data_->fingerprint();
    const TrainingSpec& training = trainer->setup_.training;
    initialise(trainer->model_->parameters(), training.init, training.seed);
    trainer->optimizer_ =
        std::make_unique<Optimizer>(training, trainer->model_->parameters(), *trainer->ops_);
    trainer->numbers_.emplace(trainer->ops_->device());
    trainer->runner_ =
        std::make_unique<StepRunner>(*trainer->model_, *trainer->optimizer_, training.step_kernels);
    if (ranks != nullptr) trainer->gradient_sum_ = std::make_unique<GradientSum>(*ranks, *trainer->model_);
    trainer->begin_phase();
    return trainer;
}

void Trainer::begin_phase() {
    runner_->begin_phase();
    model_->limit_activations(activation_memory_bytes(phase().training));
    if (ranks_ != nullptr) runner_->launch_only("several ranks add up their gradients");
}

Result<void> Trainer::check_ranks() const {
    Diagnostics problems;
    for (std::size_t i = 0; ranks_ != nullptr && i < phases_.size(); ++i) {
        const TrainingSpec& training = phases_[i].training;
        const std::int64_t sequences = training.batch / training.micro_batches;
        if (sequences % ranks_->size() == 0) continue;
        std::string rule = "must leave every one of the " + std::to_string(ranks_->size());
        rule.append(" ranks the same part of a micro-batch: the batch of ")
            .append(std::to_string(training.batch));
        rule.append(" must divide by micro_batches x ranks");
        problems.push_back({.path = i == 0 ? "training.micro_batches"
                                           : "phases[" + std::to_string(i - 1) + "].micro_batches",
                            .rule = std::move(rule),
                            .found = std::to_string(training.micro_batches)});
    }
    if (!problems.empty()) return fail(to_error(problems));
    return {};
}

Trainer::Share Trainer::micro_share(const TrainingSpec& training) const {
    const std::int64_t sequences = training.batch / training.micro_batches;
    if (ranks_ == nullptr) return {.first = 0, .count = sequences};
    const std::int64_t count = sequences / ranks_->size();
    return {.first = ranks_->rank() * count, .count = count};
}

void Trainer::share_state() {
    ranks_->begin_broadcast(model_->parameters().values());
    for (const auto& [name, tensor] : optimizer_->state()) ranks_->begin_broadcast(tensor);
    ranks_->finish();
    model_->parameters().refresh_compute();
    ranks_->settle();
}

std::int64_t Trainer::weights_checksum() const {
    const at::Tensor& values = model_->parameters().values();
    const at::Tensor bits = values.view(values.element_size() == 8 ? at::kLong : at::kInt);
    return at::sum(bits, at::kLong).item().toLong();
}

void Trainer::sum_over_ranks(std::span<double> numbers, std::span<std::int64_t> whole_numbers) const {
    const at::Tensor host_numbers =
        at::from_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())}, at::kDouble);
    const at::Tensor host_whole =
        at::from_blob(whole_numbers.data(), {static_cast<std::int64_t>(whole_numbers.size())}, at::kLong);
    const at::Tensor device_numbers = host_numbers.to(ops_->device());
    const at::Tensor device_whole = host_whole.to(ops_->device());
    ranks_->begin_sum(device_numbers);
    ranks_->begin_sum(device_whole);
    ranks_->finish();
    ranks_->settle();
    host_numbers.copy_(device_numbers);
    host_whole.copy_(device_whole);
}

at::Tensor Trainer::host_numbers(std::int64_t sequences) const {
    const bool pinned = !ops_->device().is_cpu();
    return at::empty({sequences, phase().training.context},
                     at::TensorOptions().dtype(at::kInt).pinned_memory(pinned));
}

at::Tensor Trainer::starts_of(std::span<const std::int32_t> tokens_BT, std::int64_t sequences) const {
    if (!data_->separate_documents()) return {};
    const auto length = static_cast<std::int64_t>(tokens_BT.size()) / sequences;
    at::Tensor starts_BT = at::empty({sequences, length}, at::kInt);
    document_starts(tokens_BT, length, data_->document_token(), numbers_of(starts_BT));
    return starts_BT;
}

Result<void> Trainer::open_phase() {
    const ResolvedPhase& now = phase();
    Result<std::unique_ptr<DataSource>> data =
        make_data_source(now.data, now.training, setup_.project_folder);
    if (!data) return fail(std::move(data.error()));
    if ((*data)->vocab() > now.architecture.vocab)
        return fail(to_error(
            {{.path = "architecture.vocab",
              .rule = "must be at least " + std::to_string((*data)->vocab()) + ", the vocabulary of the data",
              .found = std::to_string(now.architecture.vocab)}}));
    data_ = std::move(*data);
    evaluation_.reset();
    const std::int64_t own = micro_share(now.training).count * now.training.micro_batches;
    for (HostBatch& batch : batches_)
        batch = {.tokens_BT = host_numbers(own), .targets_BT = host_numbers(own)};
    return {};
}

Result<void> Trainer::enter_phase(std::size_t index) {
    if (index == phase_) return {};
    phase_ = index;
    if (Result<void> opened = open_phase(); !opened) return opened;
    if (Result<void> changed = model_->change_layers(phase().architecture); !changed) return changed;
    optimizer_->set_rules(phase().training);
    begin_phase();
    return {};
}

Result<void> Trainer::enter_phase_of(Step done) {
    if (Result<void> entered = enter_phase(index_of(done)); !entered) return entered;
    done_fingerprint_ = data_->fingerprint();
    return {};
}

std::size_t Trainer::index_of(Step done) const {
    return phase_at(phases_, Step(std::max<std::int64_t>(0, done.value - 1)));
}

void Trainer::continue_from(Step step, std::int64_t optimizer_steps) {
    while (in_flight()) (void)settle();
    step_ = step;
    optimizer_->set_steps_done(optimizer_steps);
    model_->parameters().refresh_compute();
}

Result<double> Trainer::fill(std::size_t slot) {
    const TrainingSpec& training = phase().training;
    const std::span<std::int32_t> tokens = numbers_of(batches_[slot].tokens_BT),
                                  targets = numbers_of(batches_[slot].targets_BT);
    const Share mine = micro_share(training);
    const auto size = static_cast<std::size_t>(mine.count * training.context);  // of a micro-batch
    for (std::int64_t micro = 0; micro < training.micro_batches; ++micro) {
        const std::int64_t first = micro * training.batch / training.micro_batches + mine.first;
        const std::size_t at = static_cast<std::size_t>(micro) * size;
        if (Result<void> filled =
                data_->fill(step_, first, tokens.subspan(at, size), targets.subspan(at, size));
            !filled)
            return fail(std::move(filled.error()));
    }
    std::int64_t counted = std::count_if(targets.begin(), targets.end(), [](auto t) { return t >= 0; });
    if (ranks_ != nullptr) counted = ranks_->sum_on_host(counted);
    return 1.0 / static_cast<double>(std::max<std::int64_t>(counted, 1));
}

Result<std::optional<StepResult>> Trainer::advance(const GoOn& go_on) {
    const std::size_t next_phase = phase_at(phases_, step_);
    if (next_phase != phase_) earlier_ = settle();
    if (Result<void> entered = enter_phase(next_phase); !entered) return fail(std::move(entered.error()));
    const TrainingSpec& training = phase().training;
    const auto slot = static_cast<std::size_t>(step_.value % 2);
    const Result<double> scale = fill(slot);
    if (!scale) return fail(scale.error());
    const HostBatch& batch = batches_[slot];
    const std::int64_t count = micro_share(training).count;
    const at::Tensor starts_BT = starts_of(numbers_of(batch.tokens_BT), batch.tokens_BT.size(0));

    runner_->begin(*scale);
    for (std::int64_t micro = 0; micro < training.micro_batches; ++micro) {
        if (!go_on()) return std::exchange(earlier_, std::nullopt);
        const auto part = [&](const at::Tensor& of_step) {
            return of_step.defined() ? of_step.narrow(0, micro * count, count) : at::Tensor();
        };
        StepRunner::MicroBatch work{.tokens_BT = part(batch.tokens_BT),
                                    .targets_BT = part(batch.targets_BT),
                                    .starts_BT = part(starts_BT)};
        if (training.loss == "longce")
            work.weights = [&](const at::Tensor& tokens_BT, const at::Tensor& targets_BT) {
                return longce_weights(*model_, tokens_BT, targets_BT,
                                      {.window = longce_window(training), .cap = training.longce_cap},
                                      work.starts_BT);
            };
        if (gradient_sum_ && micro + 1 == training.micro_batches)
            work.stage_done = gradient_sum_->during_backward();
        runner_->micro_batch(work);
    }
    if (gradient_sum_) gradient_sum_->finish();
    const double learning_rate = learning_rate_at(training, step_.value - phase().first.value);
    runner_->update(learning_rate,
                    ranks_ != nullptr ? [this] { ranks_->settle(); } : std::function<void()>());
    const bool asks_heads = training.head_norms_every > 0 && step_.value % training.head_norms_every == 0;
    numbers_->send(model_->loss_sum(), optimizer_->gradient_norm(), optimizer_->applied(),
                   asks_heads ? model_->head_gradient_norms() : at::Tensor());
    step_.value += 1;
    done_fingerprint_ = data_->fingerprint();
    in_flight_.push_back(
        {.known = {.step = step_, .tokens = tokens(), .learning_rate = learning_rate}, .scale = *scale});
    // A GPU gets the next step before this one is done.
    const std::size_t stays = ops_->device().is_cpu() || ranks_ != nullptr ? 0 : 1;
    if (earlier_) return std::exchange(earlier_, std::nullopt);
    if (in_flight_.size() > stays) return receive();
    return std::nullopt;
}

StepResult Trainer::receive() {
    const StepNumbers::Values values = numbers_->receive();
    StepResult result = std::move(in_flight_.front().known);
    result.loss = values.loss_sum * in_flight_.front().scale;
    result.grad_norm = values.grad_norm;
    result.applied = values.applied;
    result.head_norms = values.head_norms;
    in_flight_.pop_front();
    return result;
}

std::optional<StepResult> Trainer::settle() {
    if (earlier_) return std::exchange(earlier_, std::nullopt);
    if (in_flight_.empty()) return {};
    return receive();
}

Result<std::map<std::string, double>> Trainer::evaluate() {
    if (!evaluation_) {
        Result<EvaluationSet> made = data_->evaluation();
        if (!made) return fail(std::move(made.error()));
        evaluation_ = std::move(*made);
    }
    const Batch& batch = evaluation_->batch;
    std::vector<std::int64_t> top_BT(batch.tokens_BT.size());
    // As many sequences as a micro-batch, or more where those are few tokens.
    const std::int64_t block =
        std::max({micro_share(phase().training).count, evaluation_tokens / batch.context, std::int64_t{1}});
    // Each rank its blocks, zero elsewhere: the sums over the ranks are exact and added in one order.
    std::vector<double> losses(static_cast<std::size_t>((batch.sequences + block - 1) / block));
    for (std::int64_t first = 0; first < batch.sequences; first += block) {
        const std::int64_t number = first / block;
        if (ranks_ != nullptr && number % ranks_->size() != ranks_->rank()) continue;
        const std::int64_t count = std::min(block, batch.sequences - first);
        const auto begin = static_cast<std::size_t>(first * batch.context);
        const auto size = static_cast<std::size_t>(count * batch.context);
        const std::span<const std::int32_t> block_targets = std::span(batch.targets_BT).subspan(begin, size);
        const std::span<const std::int32_t> block_tokens = std::span(batch.tokens_BT).subspan(begin, size);
        const Model::Evaluation answer = model_->evaluate(
            view_of(block_tokens, count), view_of(block_targets, count), starts_of(block_tokens, count));
        losses[static_cast<std::size_t>(number)] =
            answer.loss_BT.to(at::kCPU, at::kDouble).sum().item().toDouble();
        const at::Tensor top = answer.top_BT.to(at::kCPU, at::kLong).contiguous();
        std::copy_n(top.const_data_ptr<std::int64_t>(), size,
                    top_BT.begin() + static_cast<std::ptrdiff_t>(begin));
    }

    if (ranks_ != nullptr) sum_over_ranks(losses, top_BT);
    const double loss_sum = std::accumulate(losses.begin(), losses.end(), 0.0);
    const auto targets =
        std::count_if(batch.targets_BT.begin(), batch.targets_BT.end(), [](auto t) { return t >= 0; });

    std::map<std::string, double> metrics;
    if (!evaluation_->loss_metric.empty())
        metrics[evaluation_->loss_metric] =
            targets == 0 ? std::numeric_limits<double>::quiet_NaN() : loss_sum / static_cast<double>(targets);
    if (evaluation_->long_texts && (ranks_ == nullptr || ranks_->rank() == 0)) {
        const LongPpl score =
            score_longppl(*evaluation_->long_texts, text_losses(*model_, evaluation_->long_texts->batch));
        metrics["eval/log_longppl"] = score.log_longppl;
        metrics["eval/log_ppl_long"] = score.log_ppl;
    }
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

std::map<std::string, std::int64_t> Trainer::evaluation_queries() const {
    std::map<std::string, std::int64_t> counts;
    if (evaluation_)
        for (const Query& query : evaluation_->queries)
            ++counts[evaluation_->groups[static_cast<std::size_t>(query.group)]];
    return counts;
}

}  // namespace braid
