// eval keys | longppl: scores of checkpoints.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/engine/cli/checkpoint_argument.h"
#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/verbs.h"
#include "core/data/key_tokens.h"
#include "core/engine/device.h"
#include "core/engine/guard.h"
#include "core/engine/open_model.h"
#include "core/engine/text_losses.h"
#include "core/measure/key_token_search.h"
#include "core/record/run_plan.h"

namespace braid::cli {
namespace {

struct EvalOptions {
    std::string checkpoint, project, corpus, tokenizer, keys, out;
    std::string device = "auto";
    std::int64_t threads = 0;
    KeyTokenRule rule;
    std::int64_t samples = 32;
    std::int64_t context = 0;
    bool json = false;
    bool quiet = false;
};

struct Opened {
    CheckpointChoice choice;
    std::unique_ptr<Model> model;
};

Result<Opened> open(const EvalOptions& options) {
    Result<CheckpointChoice> choice = find_checkpoint(options.checkpoint, options.project);
    if (!choice) return fail(choice.error());
    Result<std::shared_ptr<Ops>> ops = open_device(options.device, options.threads);
    if (!ops) return fail(ops.error());
    Result<std::unique_ptr<Model>> model = open_model(choice->origin.folder, std::move(*ops));
    if (!model) return fail(model.error());
    return Opened{.choice = std::move(*choice), .model = std::move(*model)};
}

// The corpus that the checkpoint's run was trained on, or an empty text.
std::string corpus_of(const CheckpointChoice& choice, const std::string& project) {
    if (choice.origin.run.empty()) return {};
    const Result<RunFolder> run = find_run(choice.origin.run, project);
    if (!run) return {};
    const Result<RunPlan> plan = run->plan();
    if (!plan || plan->data.kind != "corpus") return {};
    return (std::filesystem::path(project_folder_of(*run)) / plan->data.corpus).string();
}

// --tokenizer, or that of --corpus, or that of the corpus the model was trained on.
Result<std::shared_ptr<const Tokenizer>> tokenizer_of(const EvalOptions& options, const Opened& opened) {
    if (!options.tokenizer.empty()) return open_tokenizer(options.tokenizer);
    const std::string corpus =
        options.corpus.empty() ? corpus_of(opened.choice, options.project) : options.corpus;
    if (corpus.empty())
        return fail(ErrorKind::invalid_input, "which tokenizer the model reads with is not known",
                    options.checkpoint, "Give --tokenizer FILE (or byte), or --corpus DIR");
    return Corpus::open(corpus).and_then([](const Corpus& open) { return open.tokenizer(); });
}

// Where the model's own tokenizer is known, another one would give numbers that mean nothing.
Diagnostics check_own_tokenizer(const EvalOptions& options, const Opened& opened,
                                const Tokenizer& tokenizer) {
    Diagnostics problems = check_fit(tokenizer.info(), opened.model->spec().vocab, "tokenizer");
    const std::string own = corpus_of(opened.choice, options.project);
    if (own.empty()) return problems;
    if (const Result<Corpus> corpus = Corpus::open(own))
        for (Diagnostic problem : check_same(tokenizer.info(), corpus->manifest().tokenizer, "tokenizer"))
            problems.push_back(std::move(problem));
    return problems;
}

Json reference_json(const WeightsOrigin& origin) {
    return {{"checkpoint", origin.folder},
            {"run", origin.run},
            {"step", origin.step.value},
            {"architecture_hash", origin.architecture_hash}};
}

Result<void> find_keys(const EvalOptions& options) {
    if (const Diagnostics problems = validate(options.rule); !problems.empty())
        return fail(to_error(problems));
    const Result<Opened> opened = open(options);
    if (!opened) return fail(opened.error());
    const std::string folder =
        options.corpus.empty() ? corpus_of(opened->choice, options.project) : options.corpus;
    if (folder.empty())
        return fail(ErrorKind::invalid_input, "no corpus to take long texts from", options.checkpoint,
                    "Give --corpus DIR");
    const Result<Corpus> corpus = Corpus::open(folder);
    if (!corpus) return fail(corpus.error());
    const Result<std::shared_ptr<const Tokenizer>> tokenizer = corpus->tokenizer();
    if (!tokenizer) return fail(tokenizer.error());
    if (const Diagnostics problems = check_own_tokenizer(options, *opened, **tokenizer); !problems.empty())
        return fail(to_error(problems));
    Result<std::vector<KeySample>> texts = long_texts(*corpus, options.rule.context, options.samples);
    if (!texts) return fail(texts.error());
    KeyTokens keys{.rule = options.rule,
                   .reference = reference_json(opened->choice.origin),
                   .tokenizer = (*tokenizer)->info(),
                   .corpus = corpus->manifest().hash,
                   .samples = std::move(*texts)};
    Progress bar(options.quiet);
    std::int64_t found = 0;
    const Result<void> done = find_key_tokens(
        *opened->model, **tokenizer, options.rule, keys.samples, [&](const KeyTokenProgress& now) {
            found = now.key_tokens;
            bar.update(double(now.samples_done) / double(std::max<std::int64_t>(1, now.samples)),
                       std::to_string(now.samples_done) + " of " + std::to_string(now.samples) + " texts, " +
                           std::to_string(now.key_tokens) + " key tokens");
            return !stop_requested().load();
        });
    if (!done) return done;
    if (const Result<void> written = write_key_tokens(options.out, keys); !written) return written;
    std::int64_t spans = 0, kept = 0;
    for (const KeySample& sample : keys.samples) {
        spans += static_cast<std::int64_t>(sample.spans.size());
        kept += static_cast<std::int64_t>(sample.spans.size()) > 0;
    }
    const Json answer = {{"file", options.out},
                         {"samples", keys.samples.size()},
                         {"samples_with_key_tokens", kept},
                         {"spans", spans}};
    if (options.json)
        print(answer);
    else
        print(options.out + ": " + std::to_string(spans) + " places with key tokens in " +
              std::to_string(kept) + " of " + std::to_string(keys.samples.size()) + " texts\n");
    return {};
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Result<void> longppl(const EvalOptions& options) {
    const Result<KeyTokens> keys = read_key_tokens(options.keys);
    if (!keys) return fail(keys.error());
    const Result<Opened> opened = open(options);
    if (!opened) return fail(opened.error());
    const Result<std::shared_ptr<const Tokenizer>> tokenizer = tokenizer_of(options, *opened);
    if (!tokenizer) return fail(tokenizer.error());
    if (const Diagnostics problems = check_own_tokenizer(options, *opened, **tokenizer); !problems.empty())
        return fail(to_error(problems));
    const std::int64_t context = options.context > 0 ? options.context : keys->rule.context;
    const Result<LongTextSet> set = checked_long_text_set(*keys, **tokenizer, context, options.keys);
    if (!set) return fail(set.error());
    Progress bar(options.quiet);
    const Result<LongPpl> score = guarded("scoring", [&]() -> Result<LongPpl> {
        const std::vector<float> losses =
            text_losses(*opened->model, set->batch, [] { return !stop_requested().load(); });
        if (losses.empty()) return fail(ErrorKind::interrupted, "stopped before all texts were scored");
        return score_longppl(*set, losses);
    });
    if (!score) return fail(score.error());
    const Json answer = {{"log_longppl", number(score->log_longppl)},
                         {"longppl", number(std::exp(score->log_longppl))},
                         {"samples", score->samples},
                         {"samples_given", score->samples_given},
                         {"key_tokens", score->key_tokens},
                         {"log_ppl", number(score->log_ppl)},
                         {"ppl", number(std::exp(score->log_ppl))},
                         {"tokens", score->tokens},
                         {"context", context},
                         {"short_context", keys->rule.short_context},
                         {"advance", keys->rule.advance},
                         {"fewest", keys->rule.fewest},
                         {"checkpoint", reference_json(opened->choice.origin)},
                         {"reference", keys->reference}};
    if (options.json) {
        print(answer);
        return {};
    }
    print("log LongPPL  " + real_text(score->log_longppl, 4) + "   (LongPPL " +
          real_text(std::exp(score->log_longppl), 3) + "; " + std::to_string(score->key_tokens) +
          " key tokens in " + std::to_string(score->samples) + " of " + std::to_string(score->samples_given) +
          " texts)\nlog PPL      " + real_text(score->log_ppl, 4) + "   (PPL " +
          real_text(std::exp(score->log_ppl), 3) + "; " + std::to_string(score->tokens) + " tokens)\n");
    return {};
}

void add_common(CLI::App& verb, const std::shared_ptr<EvalOptions>& options) {
    verb.add_option("CHECKPOINT", options->checkpoint, checkpoint_help)->required();
    verb.add_option("--device", options->device, "Where to compute (auto)")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    verb.add_option("--threads", options->threads, "CPU threads; 0: all cores")->check(CLI::Range(0, 4096));
    add_project_option(verb, options->project);
    add_quiet_option(verb, options->quiet);
    add_json_option(verb, options->json);
}

}  // namespace

void add_eval(CommandLine& line) {
    CLI::App& eval = line.group("eval", "Scores of checkpoints: keys, longppl");

    const auto finding = std::make_shared<EvalOptions>();
    CLI::App& keys = line.verb(
        eval,
        {.name = "keys",
         .summary = "Find the key tokens of long texts with a reference model",
         .example = "braid-engine eval keys a91f --corpus corpus/novels --context 2048 --short 256 --advance "
                    "128 --out "
                    "keys.json",
         .details =
             "A token is key if the reference predicts it well with the whole text before it and badly with "
             "a "
             "short part of it (LongPPL). Texts are validation documents of the corpus. Training scores log "
             "LongPPL at each evaluation with --set data.key_tokens=FILE."},
        [finding] { return find_keys(*finding); });
    add_common(keys, finding);
    keys.add_option("--corpus", finding->corpus,
                    "Where the texts come from; without it the corpus of the run")
        ->type_name("DIR");
    keys.add_option("--out", finding->out, "File to write")->required()->type_name("FILE");
    keys.add_option("--samples", finding->samples, "Texts, at most")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    keys.add_option("--context", finding->rule.context, "Tokens of a text")
        ->check(CLI::Range(2, 1 << 27))
        ->capture_default_str();
    keys.add_option("--short", finding->rule.short_context, "Tokens of the short context")
        ->capture_default_str();
    keys.add_option("--advance", finding->rule.advance, "By which its windows advance")
        ->capture_default_str();
    keys.add_option("--gain", finding->rule.gain, "Least gain of a key token, nats")->capture_default_str();
    keys.add_option("--sure", finding->rule.sure, "Largest full loss of a key token, nats")
        ->capture_default_str();

    keys.add_option("--fewest", finding->rule.fewest, "Texts with fewer key tokens are left out of scores")
        ->capture_default_str();

    const auto scoring = std::make_shared<EvalOptions>();
    CLI::App& score = line.verb(eval,
                                {.name = "longppl",
                                 .summary = "log LongPPL of a checkpoint on texts with known key tokens",
                                 .example = "braid-engine eval longppl a91f@2000 --keys keys.json --json"},
                                [scoring] { return longppl(*scoring); });
    add_common(score, scoring);
    score.add_option("--keys", scoring->keys, "Key-token file")->required()->check(CLI::ExistingFile);
    score.add_option("--tokenizer", scoring->tokenizer,
                     "Of the model: byte or a file; without it that of its corpus");
    score.add_option("--corpus", scoring->corpus, "A corpus with the model's tokenizer")->type_name("DIR");
    score
        .add_option("--context", scoring->context, "Tokens the model sees; without it that of the key tokens")
        ->check(CLI::Range(2, 1 << 27));
}

}  // namespace braid::cli
