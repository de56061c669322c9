#include "core/measure/mechanism/needle_samples.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/random.h"
#include "core/data/niah.h"
#include "core/data/recall.h"
#include "core/measure/ruler/tasks.h"

namespace braid {
namespace {

constexpr const char* text_task = "niah_single_1";
constexpr std::int64_t words_before = 8;  // tokens that an answer in text may say first

// Whether more than half of the value's tokens are in the answer.
bool half_said(const NeedleSample& sample, const std::vector<std::int32_t>& answer) {
    std::int64_t said = 0;
    for (std::int64_t place = sample.value.begin; place < sample.value.end; ++place)
        said += std::find(answer.begin(), answer.end(), sample.prompt[std::size_t(place)]) != answer.end();
    return 2 * said > sample.value.size();
}

class NiahNeedles final : public NeedleSource {
public:
    NiahNeedles(ParameterValues values, std::int64_t context, std::uint64_t seed)
        : values_(std::move(values)), shape_(niah_parameters(values_)), context_(context), seed_(seed) {}

    Result<NeedleSample> sample(std::int64_t index, double depth,
                                std::optional<std::int64_t> value_class) const override {
        NiahQuestion question = niah_question(values_, context_, depth, seed_, index);
        const std::int64_t begin = question.needle;
        NeedleSample sample{.prompt = std::move(question.prompt),
                            .needle = {begin, begin + shape_.needle_tokens()},
                            .value = {begin + 2, begin + shape_.needle_tokens()},
                            .answer_tokens = shape_.value_tokens,
                            .depth = question.depth};
        if (value_class)
            std::fill(sample.prompt.begin() + sample.value.begin, sample.prompt.begin() + sample.value.end,
                      std::int32_t(NiahParameters::signs + shape_.keys +
                                   *value_class * (shape_.values / needle_classes)));
        return sample;
    }
    bool says_it(const NeedleSample& sample, const std::vector<std::int32_t>& answer) const override {
        return half_said(sample, answer);
    }

private:
    ParameterValues values_;
    NiahParameters shape_;
    std::int64_t context_;
    std::uint64_t seed_;
};

// A far question of the evaluation, cut behind the key that is asked for.
class RecallNeedles final : public NeedleSource {
public:
    RecallNeedles(const ParameterValues& values, std::int64_t context, std::uint64_t seed)
        : shape_(recall_parameters(values)), context_(context), seed_(seed) {}

    Result<NeedleSample> sample(std::int64_t index, double,
                                std::optional<std::int64_t> value_class) const override {
        Random random(seed_, "needle/recall", 0, std::uint64_t(index));
        std::vector<std::int32_t> tokens(std::size_t(context_) + 1);
        std::vector<RecallQuery> far;
        for (const RecallQuery& query : draw_recall(shape_, random, shape_.asked, tokens))
            if (query.asked) far.push_back(query);
        const RecallQuery& query = far[std::size_t(index) % far.size()];
        const std::int64_t begin = query.position + 1 - query.distance;
        const std::int32_t key = tokens[std::size_t(query.position)];
        tokens.resize(std::size_t(query.position) + 1);
        if (value_class)
            for (std::size_t pair = 0; pair + 1 < tokens.size(); pair += 2)
                if (tokens[pair] == key)
                    tokens[pair + 1] =
                        std::int32_t(shape_.keys + *value_class * (shape_.values / needle_classes));
        return NeedleSample{.prompt = std::move(tokens),
                            .needle = {begin, begin + 2},
                            .value = {begin + 1, begin + 2},
                            .answer_tokens = 1,
                            .depth = double(begin) / double(std::max(1, query.position))};
    }
    bool says_it(const NeedleSample& sample, const std::vector<std::int32_t>& answer) const override {
        return half_said(sample, answer);
    }

private:
    RecallParameters shape_;
    std::int64_t context_;
    std::uint64_t seed_;
};

class TextNeedles final : public NeedleSource {
public:
    TextNeedles(std::shared_ptr<const Tokenizer> tokenizer, std::int64_t context, std::uint64_t seed)
        : tokenizer_(std::move(tokenizer)), context_(context), seed_(seed) {
        Random random(seed, "needle/classes");
        for (std::int64_t i = 0; i < needle_classes; ++i)
            class_values_.push_back(std::to_string(1'000'000 + random.below(9'000'000)));
    }

    Result<NeedleSample> sample(std::int64_t index, double depth,
                                std::optional<std::int64_t> value_class) const override {
        const TextTask& task = *find_ruler_task(text_task);
        TextSizer sizer(task, [&](const std::string& text) { return std::int64_t(encode(text, {}).size()); });
        Result<TextQuestion> question = sizer.question(
            {.sources = sources_, .length = context_, .seed = seed_, .index = index, .depth = depth});
        if (!question) return fail(std::move(question.error()));
        std::string text = std::move(question->prompt);
        std::string value = question->expected.at(0);
        std::size_t at = text.find(value);
        if (value_class) {
            const std::string& other = class_values_[std::size_t(*value_class)];
            text.replace(at, value.size(), other);
            value = other;
        }
        const std::size_t begin = text.rfind("A special magic", at);
        const std::size_t end = text.find('.', at) + 1;
        std::vector<TokenSpan> spans;
        NeedleSample sample{.prompt = encode(text, &spans)};
        const std::size_t opening = sample.prompt.size() - spans.size();
        const auto range = [&](std::size_t first, std::size_t last) {  // tokens that touch these bytes
            TokenRange places{.begin = std::int64_t(sample.prompt.size())};
            for (std::size_t i = 0; i < spans.size(); ++i)
                if (std::size_t(spans[i].begin) < last && std::size_t(spans[i].end) > first) {
                    places.begin = std::min(places.begin, std::int64_t(i + opening));
                    places.end = std::int64_t(i + opening) + 1;
                }
            return places;
        };
        sample.needle = range(begin, end);
        sample.value = range(at, at + value.size());
        sample.answer_tokens = sample.value.size() + words_before;
        sample.depth = double(sample.needle.begin) / double(sample.prompt.size());
        return sample;
    }
    bool says_it(const NeedleSample& sample, const std::vector<std::int32_t>& answer) const override {
        const std::span<const std::int32_t> value(sample.prompt.data() + sample.value.begin,
                                                  std::size_t(sample.value.size()));
        const auto digits = [](const std::string& text) {
            std::string kept;
            for (const char c : text)
                if (c >= '0' && c <= '9') kept.push_back(c);
            return kept;
        };
        return digits(tokenizer_->decode(answer)).find(digits(tokenizer_->decode(value))) !=
               std::string::npos;
    }

private:
    std::vector<std::int32_t> encode(const std::string& text, std::vector<TokenSpan>* spans) const {
        std::vector<std::int32_t> ids;
        if (const std::int32_t opening = tokenizer_->info().document_token(); opening >= 0)
            ids.push_back(opening);
        tokenizer_->encode(text, SpecialText::as_text, ids, spans);
        return ids;
    }

    std::shared_ptr<const Tokenizer> tokenizer_;
    std::int64_t context_;
    std::uint64_t seed_;
    TextSources sources_ = {};
    std::vector<std::string> class_values_ = {};
};

Diagnostics check_values(std::int64_t values, bool classes) {
    if (!classes || values >= needle_classes) return {};
    return {{.path = "data.values",
             .rule = "must be at least " + std::to_string(needle_classes) + " for as many classes",
             .found = std::to_string(values)}};
}

}  // namespace

Result<std::unique_ptr<NeedleSource>> make_needle_source(const MeasureInput& input, std::int64_t context,
                                                         bool classes, Measured& measured) {
    const auto seed = std::uint64_t(input.integer("seed"));
    const std::string task = input.plan ? input.plan->data.kind : std::string();
    const bool of_task = !task.empty() && task != corpus_kind;
    measured.settings["needles"] = of_task ? task : text_task;
    Diagnostics problems;
    std::int64_t vocab = 0;
    std::unique_ptr<NeedleSource> source;
    if (of_task) {
        const ParameterValues& values = input.plan->data.parameters;
        if (task == niah_task.id) {
            problems = check_niah_question(values, context);
            for (Diagnostic& more : check_values(niah_parameters(values).values, classes))
                problems.push_back(std::move(more));
            vocab = niah_task.vocab(values);
            if (problems.empty()) source = std::make_unique<NiahNeedles>(values, context, seed);
        } else if (task == recall_task.id) {
            problems = recall_task.check(values, context);
            for (Diagnostic& more : check_values(recall_parameters(values).values, classes))
                problems.push_back(std::move(more));
            vocab = recall_task.vocab(values);
            if (problems.empty()) source = std::make_unique<RecallNeedles>(values, context, seed);
        } else {
            return fail(ErrorKind::invalid_input, "the task " + task + " hides nothing that is asked for",
                        input.checkpoint.folder,
                        "Take a checkpoint that was trained on niah, recall or text");
        }
    } else {
        if (const Result<void> known = check_tokenizer(input); !known) return fail(known.error());
        measured.settings["tokenizer"] = input.tokenizer->info().hash;
        source = std::make_unique<TextNeedles>(input.tokenizer, context, seed);
    }
    problems = as_of_measurement(std::move(problems));
    if (vocab > input.architecture.vocab)
        problems.push_back({.path = "vocab",
                            .rule = "must be at least " + std::to_string(vocab) + " for these needles",
                            .found = std::to_string(input.architecture.vocab)});
    if (!problems.empty()) return fail(to_error(problems));
    return source;
}

Result<std::vector<NeedleSample>> needle_samples(const NeedleSource& source, std::int64_t count) {
    std::vector<NeedleSample> samples;
    for (std::int64_t i = 0; i < count; ++i) {
        Result<NeedleSample> sample = source.sample(i, (double(i) + 0.5) / double(count));
        if (!sample) return fail(std::move(sample.error()));
        samples.push_back(std::move(*sample));
    }
    return samples;
}

Result<NeedleSet> make_needle_set(const MeasureInput& input, Measured& measured) {
    const Result<std::int64_t> context = sample_context(input, measured);
    if (!context) return fail(context.error());
    Result<std::unique_ptr<NeedleSource>> source = make_needle_source(input, *context, false, measured);
    if (!source) return fail(std::move(source.error()));
    Result<std::vector<NeedleSample>> samples = needle_samples(**source, input.integer("samples"));
    if (!samples) return fail(std::move(samples.error()));
    return NeedleSet{.source = std::move(*source), .samples = std::move(*samples)};
}

std::vector<std::vector<std::size_t>> equal_lengths(const std::vector<NeedleSample>& samples,
                                                    std::int64_t tokens_at_a_time) {
    std::map<std::size_t, std::vector<std::size_t>> by_length;
    for (std::size_t i = 0; i < samples.size(); ++i) by_length[samples[i].prompt.size()].push_back(i);
    std::vector<std::vector<std::size_t>> batches;
    for (const auto& [length, all] : by_length) {
        const std::size_t most =
            std::max<std::size_t>(1, std::size_t(tokens_at_a_time) / std::max<std::size_t>(length, 1));
        for (std::size_t first = 0; first < all.size(); first += most)
            batches.emplace_back(all.begin() + std::ptrdiff_t(first),
                                 all.begin() + std::ptrdiff_t(std::min(first + most, all.size())));
    }
    return batches;
}

}  // namespace braid
