#include "core/data/batch.h"

#include <filesystem>

#include "core/data/corpus.h"
#include "core/data/corpus_source.h"
#include "core/data/task.h"

namespace braid {

void document_starts(std::span<const std::int32_t> tokens_BT, std::int64_t context,
                     std::int32_t document_token, std::span<std::int32_t> starts_BT) {
    const auto length = static_cast<std::size_t>(context);
    std::int32_t start = 0;
    for (std::size_t i = 0; i < tokens_BT.size(); ++i) {
        const auto at = static_cast<std::int32_t>(i % length);
        if (at == 0 || (document_token >= 0 && tokens_BT[i] == document_token)) start = at;
        starts_BT[i] = start;
    }
}

Result<Batch> DataSource::batch(Step step, std::int64_t first_sequence, std::int64_t count) const {
    Batch batch{.sequences = count, .context = context(), .tokens_BT = {}, .targets_BT = {}};
    batch.tokens_BT.resize(static_cast<std::size_t>(count * context()));
    batch.targets_BT.resize(batch.tokens_BT.size());
    if (Result<void> filled = fill(step, first_sequence, batch.tokens_BT, batch.targets_BT); !filled)
        return fail(std::move(filled.error()));
    return batch;
}

Result<std::unique_ptr<DataSource>> make_data_source(const DataSpec& data, const TrainingSpec& training,
                                                     const std::string& project_folder) {
    if (const Diagnostics problems = validate(data, training); !problems.empty())
        return fail(to_error(problems));
    if (data.kind != corpus_kind)
        return make_task(data.kind, data.parameters, training.context, training.seed);
    namespace fs = std::filesystem;
    const fs::path folder =
        fs::path(project_folder) / data.corpus;  // an absolute path replaces the project's
    DataSpec located = data;
    if (const std::string keys = data.parameters.text("key_tokens", corpus_parameters()); !keys.empty())
        located.parameters.set("key_tokens", (fs::path(project_folder) / keys).string());
    return Corpus::open(folder.string()).and_then([&](Corpus corpus) {
        return make_corpus_source(std::move(corpus), located, training);
    });
}

}  // namespace braid
