#include "app/engine/verbs/reference_keys.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/engine/cli/progress.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/eval_target.h"
#include "core/base/file.h"
#include "core/data/mapped_file.h"
#include "core/measure/key_token_search.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

// Everything that is known before the model is loaded.
struct Prepared {
    CheckpointChoice choice;
    EvalTarget target;
    std::shared_ptr<const Tokenizer> tokenizer;
};

Result<Prepared> prepare(const ReferenceRequest& request, const Corpus& corpus) {
    Diagnostics problems = validate(request.rule);
    Result<CheckpointChoice> choice = find_checkpoint(request.reference, request.project);
    if (!choice) return fail(choice.error());
    EvalTarget target;
    target.checkpoint = request.reference;
    target.project = request.project;
    target.device = request.device;
    target.threads = request.threads;
    target.tokenizer = request.tokenizer;
    target.corpus = corpus.folder();  // where nothing says which one the reference reads with
    const Result<std::shared_ptr<const Tokenizer>> tokenizer = target_tokenizer(target, *choice);
    if (!tokenizer) return fail(tokenizer.error());
    if (const std::optional<std::int64_t> trained = trained_context(*choice);
        trained && *trained < request.rule.context)
        problems.push_back({.path = "reference",
                            .rule = "must have been trained with a context of at least " +
                                    std::to_string(request.rule.context) +
                                    ", that of the key tokens; give a smaller --context or another reference",
                            .found = std::to_string(*trained)});
    if (!problems.empty()) return fail(to_error(problems, request.reference));
    return Prepared{std::move(*choice), std::move(target), *tokenizer};
}

Result<KeyTokens> find(const ReferenceRequest& request, const Prepared& prepared, const Corpus& corpus) {
    Result<std::vector<KeySample>> texts = long_texts(corpus, request.rule.context, request.samples);
    if (!texts) return fail(texts.error());
    const Result<std::unique_ptr<Model>> model = open_target(prepared.target, prepared.choice);
    if (!model) return fail(model.error());
    KeyTokens keys{.rule = request.rule,
                   .reference = {{"checkpoint", prepared.choice.origin.folder},
                                 {"run", prepared.choice.origin.run},
                                 {"step", prepared.choice.origin.step.value},
                                 {"architecture_hash", prepared.choice.origin.architecture_hash}},
                   .tokenizer = prepared.tokenizer->info(),
                   .corpus = corpus.manifest().hash,
                   .samples = std::move(*texts)};
    Progress bar(request.quiet);
    const Result<void> done = find_key_tokens(
        **model, *prepared.tokenizer, request.rule, keys.samples, [&](const KeyTokenProgress& now) {
            bar.update(double(now.samples_done) / double(std::max<std::int64_t>(1, now.samples)),
                       std::to_string(now.samples_done) + " of " + std::to_string(now.samples) + " texts, " +
                           std::to_string(now.key_tokens) + " key tokens");
            return !stop_requested().load();
        });
    if (!done) return fail(done.error());
    return keys;
}

Result<std::string> cache_name(const ReferenceRequest& request, const Prepared& prepared,
                               const Corpus& corpus) {
    const Result<MappedFile> weights = MappedFile::open(prepared.choice.origin.folder + "/model.safetensors");
    if (!weights) return fail(weights.error());
    const std::span<const char> bytes = weights->as<char>();
    const KeyTokenRule& rule = request.rule;
    return content_hash(
               Json{{"weights", content_hash(std::string_view(bytes.data(), bytes.size()))},
                    {"architecture", prepared.choice.origin.architecture_hash},
                    {"tokenizer", prepared.tokenizer->info().hash},
                    {"corpus", corpus.manifest().hash},
                    {"samples", request.samples},
                    {"rule",
                     {rule.context, rule.short_context, rule.advance, rule.gain, rule.sure, rule.fewest}}})
        .substr(0, 16);
}

}  // namespace

KeyTokenRule rule_for_context(std::int64_t context) {
    return {.context = context,
            .short_context = std::clamp<std::int64_t>(context / 4, 1, 4'096),
            .advance = std::clamp<std::int64_t>(context / 16, 1, 1'024)};
}

Result<KeyTokens> find_reference_keys(const ReferenceRequest& request, const Corpus& corpus) {
    const Result<Prepared> prepared = prepare(request, corpus);
    if (!prepared) return fail(prepared.error());
    return find(request, *prepared, corpus);
}

Result<std::string> cached_reference_keys(const ReferenceRequest& request, const Corpus& corpus) {
    const Result<Prepared> prepared = prepare(request, corpus);
    if (!prepared) return fail(prepared.error());
    const Result<Project> project = find_or_make_project(request.project);
    if (!project) return fail(project.error());
    const Result<std::string> name = cache_name(request, *prepared, corpus);
    if (!name) return fail(name.error());
    const std::string folder = project->folder() + "/key_tokens";
    std::string file = folder;
    file.append("/").append(*name).append(".json");
    Progress note(request.quiet);
    if (const Result<KeyTokens> known = read_key_tokens(file); known && known->rule == request.rule) {
        note.say("Key tokens found before: " + file);
        return file;
    }
    const Result<KeyTokens> keys = find(request, *prepared, corpus);
    if (!keys) return fail(keys.error());
    if (Result<void> made = make_folder(folder); !made) return fail(std::move(made.error()));
    if (Result<void> written = write_key_tokens(file, *keys); !written)
        return fail(std::move(written.error()));
    note.say("Key tokens kept in " + file);
    return file;
}

}  // namespace braid::cli
