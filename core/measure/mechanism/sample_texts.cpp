#include "core/measure/mechanism/sample_texts.h"

#include <algorithm>

#include "core/data/task.h"
#include "core/spec/task_kind.h"

namespace braid {
namespace {

using Texts = std::vector<std::vector<std::int32_t>>;

Result<Texts> of_task(const DataSpec& data, std::int64_t context, std::int64_t samples) {
    if (Diagnostics problems = find_task(data.kind)->check(data.parameters, context); !problems.empty())
        return fail(to_error(as_of_measurement(std::move(problems))));
    const Result<EvaluationSet> set = make_task(data.kind, data.parameters, context, 0)->evaluation();
    if (!set) return fail(set.error());
    Texts texts;
    for (std::int64_t b = 0; b < std::min(samples, set->batch.sequences); ++b)
        texts.emplace_back(set->batch.tokens_BT.begin() + b * context,
                           set->batch.tokens_BT.begin() + (b + 1) * context);
    return texts;
}

Result<Texts> of_corpus(const Corpus& corpus, std::int64_t context, std::int64_t samples) {
    std::vector<const DocumentEntry*> documents;
    std::uint64_t longest = 0;
    for (const DocumentEntry& document : corpus.documents(Split::validation)) {
        longest = std::max(longest, document.tokens);
        if (document.tokens >= std::uint64_t(context)) documents.push_back(&document);
    }
    if (documents.empty())
        return fail(to_error({{.path = "context",
                               .rule = "must be at most the longest validation document (" +
                                       std::to_string(longest) + " tokens)",
                               .found = std::to_string(context)}},
                             corpus.folder()));
    // Spread over the documents.
    const std::size_t count = std::min(documents.size(), std::size_t(samples));
    Texts texts;
    for (std::size_t i = 0; i < count; ++i) {
        texts.emplace_back(std::size_t(context));
        corpus.read(Split::validation, std::int64_t(documents[i * documents.size() / count]->offset),
                    texts.back());
    }
    return texts;
}

}  // namespace

Result<Texts> sample_texts(const MeasureInput& input, std::int64_t context, std::int64_t samples,
                           Measured& measured) {
    const bool task = input.plan && find_task(input.plan->data.kind) != nullptr;
    if (!task && !input.corpus)
        return fail(ErrorKind::invalid_input, "no corpus to take texts from", input.checkpoint.folder,
                    "Give --corpus DIR");
    Result<Texts> texts =
        task ? of_task(input.plan->data, context, samples) : of_corpus(*input.corpus, context, samples);
    if (!texts) return texts;
    std::int32_t largest = 0;
    for (const auto& text : *texts) largest = std::max(largest, *std::max_element(text.begin(), text.end()));
    if (largest >= input.architecture.vocab)
        return fail(to_error({{.path = "corpus",
                               .rule = "must have tokens below the vocabulary (" +
                                       std::to_string(input.architecture.vocab) + ")",
                               .found = std::to_string(largest)}}));
    measured.settings["texts"] = task ? input.plan->data.kind : input.corpus->manifest().hash;
    measured.settings["sequences"] = texts->size();
    return texts;
}

}  // namespace braid
