#include "core/measure/mechanism/score_set.h"

#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "core/data/key_tokens.h"
#include "core/data/task.h"
#include "core/spec/data_kinds.h"
#include "core/spec/task_kind.h"

namespace braid {
namespace {

constexpr std::int64_t tokens_at_a_time = 8'192;

// --keys, or what the run scored itself on while it trained; empty: neither.
std::string key_file(const MeasureInput& input) {
    std::string file = input.text("keys");
    if (!file.empty() || !input.plan || input.plan->data.kind != corpus_kind) return file;
    file = input.plan->data.parameters.text("key_tokens", corpus_parameters());
    return file.empty() ? file : (std::filesystem::path(input.project_folder) / file).string();
}

Result<ScoreSet> from_keys(const MeasureInput& input, const std::string& file, Measured& measured) {
    if (const Result<void> known = check_tokenizer(input); !known) return fail(known.error());
    Result<KeyTokens> keys = read_key_tokens(file);
    if (!keys) return fail(std::move(keys.error()));
    const auto samples = std::size_t(input.integer("samples"));
    if (keys->samples.size() > samples) keys->samples.resize(samples);
    const std::int64_t given = input.integer("context");
    const std::int64_t context = given > 0 ? given : keys->rule.context;
    Result<LongTextSet> texts = checked_long_text_set(*keys, *input.tokenizer, context, file);
    if (!texts) return fail(std::move(texts.error()));
    ScoreSet set{
        .name = "log LongPPL", .batch = std::move(texts->batch), .positions = std::move(texts->keys)};
    for (auto& positions : set.positions)  // as the score of the checkpoint leaves them out
        if (std::int64_t(positions.size()) < texts->fewest) positions.clear();
    measured.settings["key_tokens"] = content_hash(to_json(*keys)["samples"]);
    measured.settings["tokenizer"] = input.tokenizer->info().hash;
    measured.settings["context"] = context;
    return set;
}

Result<ScoreSet> from_task(const MeasureInput& input, const DataSpec& data, Measured& measured) {
    const Result<std::int64_t> context = sample_context(input, measured);
    if (!context) return fail(context.error());
    const TaskKind& task = *find_task(data.kind);
    if (Diagnostics problems = task.check(data.parameters, *context); !problems.empty())
        return fail(to_error(as_of_measurement(std::move(problems))));
    const std::unique_ptr<DataSource> source = make_task(data.kind, data.parameters, *context, 0);
    Result<EvaluationSet> all = source->evaluation();
    if (!all) return fail(std::move(all.error()));
    const auto far = std::find_if(all->groups.begin(), all->groups.end(),
                                  [](const std::string& group) { return group.ends_with("/far"); });
    const bool any_far = far != all->groups.end();
    const std::int64_t samples = std::min(input.integer("samples"), all->batch.sequences);
    ScoreSet set{.name = "loss of " + (any_far ? *far : data.kind), .batch = std::move(all->batch)};
    set.batch.sequences = samples;
    set.batch.tokens_BT.resize(std::size_t(samples * *context));
    set.batch.targets_BT.resize(std::size_t(samples * *context));
    set.positions.resize(std::size_t(samples));
    for (const Query& query : all->queries)
        if (query.sequence < samples && (!any_far || query.group == far - all->groups.begin()))
            set.positions[std::size_t(query.sequence)].push_back(query.position);
    measured.settings["task"] = data.kind;
    return set;
}

std::vector<double> column(const SequenceScores& scores, double SequenceScore::*member) {
    std::vector<double> values;
    for (const SequenceScore& score : scores) values.push_back(score.*member);
    return values;
}

Interval ratio(const SequenceScores& scores, double SequenceScore::*member, std::int64_t resamples,
               std::uint64_t seed) {
    return bootstrap_ratio(column(scores, member), column(scores, &SequenceScore::targets), resamples, seed);
}

Interval change(const SequenceScores& before, const SequenceScores& after, double SequenceScore::*member,
                std::int64_t resamples, std::uint64_t seed) {
    SequenceScores difference = after;
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i].*member -= before[i].*member;
    return ratio(difference, member, resamples, seed);
}

}  // namespace

Result<ScoreSet> make_score_set(const MeasureInput& input, Measured& measured) {
    Result<ScoreSet> set = [&]() -> Result<ScoreSet> {
        if (const std::string file = key_file(input); !file.empty()) return from_keys(input, file, measured);
        if (input.plan && find_task(input.plan->data.kind) != nullptr)
            return from_task(input, input.plan->data, measured);
        return fail(ErrorKind::invalid_input, "what to score the model on is not known",
                    input.checkpoint.folder,
                    "Give --keys FILE with the key tokens of long texts (braid-engine eval keys makes it)");
    }();
    if (!set) return set;
    std::int64_t targets = 0, largest = -1;
    for (const auto& positions : set->positions) targets += std::int64_t(positions.size());
    for (const std::int32_t token : set->batch.tokens_BT) largest = std::max<std::int64_t>(largest, token);
    if (targets == 0)
        return fail(ErrorKind::invalid_input, "none of the samples has a prediction that counts",
                    input.checkpoint.folder, "Give more --samples");
    if (largest >= input.architecture.vocab)
        return fail(to_error({{.path = "samples",
                               .rule = "must be made of tokens below the vocabulary (" +
                                       std::to_string(input.architecture.vocab) + ")",
                               .found = std::to_string(largest)}}));
    measured.settings["score"] = set->name;
    measured.settings["sequences"] = set->batch.sequences;
    measured.settings["targets"] = targets;
    return set;
}

Result<SequenceScores> ScoreSet::score(Model& model, const ForwardTaps* taps,
                                       const std::function<bool(double fraction)>& go_on,
                                       const std::function<void(const at::Tensor& tokens_BT)>& before) const {
    SequenceScores scores(std::size_t(batch.sequences));
    const std::int64_t block = std::max<std::int64_t>(1, tokens_at_a_time / batch.context);
    for (std::int64_t first = 0; first < batch.sequences; first += block) {
        if (go_on && !go_on(double(first) / double(batch.sequences))) return fail(stopped());
        const std::int64_t count = std::min(block, batch.sequences - first);
        const auto rows = [&](const std::vector<std::int32_t>& numbers_BT) {  // only read
            return at::from_blob(const_cast<std::int32_t*>(numbers_BT.data()) + first * batch.context,
                                 {count, batch.context}, at::kInt);
        };
        if (before) before(rows(batch.tokens_BT));
        const Model::Evaluation got = model.evaluate(rows(batch.tokens_BT), rows(batch.targets_BT), {}, taps);
        const at::Tensor loss_BT = got.loss_BT.to(at::kCPU, at::kDouble).contiguous();
        const at::Tensor top_BT = got.top_BT.to(at::kCPU).contiguous();
        for (std::int64_t b = 0; b < count; ++b)
            for (const std::int32_t t : positions[std::size_t(first + b)]) {
                const std::int64_t place = b * batch.context + t;
                SequenceScore& score = scores[std::size_t(first + b)];
                score.loss += loss_BT.const_data_ptr<double>()[place];
                score.targets += 1;
                const std::int32_t wanted = batch.targets_BT[std::size_t(first * batch.context + place)];
                score.correct += top_BT.const_data_ptr<std::int64_t>()[place] == wanted ? 1 : 0;
            }
    }
    return scores;
}

Interval loss_of(const SequenceScores& scores, std::int64_t resamples, std::uint64_t seed) {
    return ratio(scores, &SequenceScore::loss, resamples, seed);
}
Interval accuracy_of(const SequenceScores& scores, std::int64_t resamples, std::uint64_t seed) {
    return ratio(scores, &SequenceScore::correct, resamples, seed);
}
Interval loss_change(const SequenceScores& before, const SequenceScores& after, std::int64_t resamples,
                     std::uint64_t seed) {
    return change(before, after, &SequenceScore::loss, resamples, seed);
}
Interval accuracy_change(const SequenceScores& before, const SequenceScores& after, std::int64_t resamples,
                         std::uint64_t seed) {
    return change(before, after, &SequenceScore::correct, resamples, seed);
}

std::int64_t targets_of(const SequenceScores& scores) {
    double targets = 0;
    for (const SequenceScore& score : scores) targets += score.targets;
    return std::int64_t(targets);
}

void add_base_score(const ScoreSet& set, const SequenceScores& scores, Measured& measured) {
    measured.summary.push_back({.name = set.name, .value = loss_of(scores, 0, 0).value, .unit = "nats"});
    measured.summary.push_back(
        {.name = "accuracy there", .value = 100 * accuracy_of(scores, 0, 0).value, .unit = "%"});
}

ChangeArrays::ChangeArrays(const char* loss_name, const char* accuracy_name,
                           const std::vector<MeasuredAxis>& axes)
    : loss(empty_array(loss_name, "nats", axes)), accuracy(empty_array(accuracy_name, "%", axes)) {
    for (MeasuredArray* array : {&loss, &accuracy}) array->low = array->high = array->values;
}

void ChangeArrays::set(std::size_t place, const Interval& of_loss, const Interval& of_accuracy) {
    loss.values[place] = of_loss.value, loss.low[place] = of_loss.low, loss.high[place] = of_loss.high;
    accuracy.values[place] = 100 * of_accuracy.value;
    accuracy.low[place] = 100 * of_accuracy.low, accuracy.high[place] = 100 * of_accuracy.high;
}

void ChangeArrays::move_to(Measured& measured, std::int64_t samples, const char* missing) {
    for (MeasuredArray* array : {&loss, &accuracy}) {
        array->samples = {samples};
        array->missing = missing;
        measured.arrays.push_back(std::move(*array));
    }
}

Json change_json(const Interval& loss, const Interval& accuracy) {
    return {{"change", loss.value},
            {"low", finite_json(loss.low)},
            {"high", finite_json(loss.high)},
            {"accuracy_change", 100 * accuracy.value}};
}

}  // namespace braid
