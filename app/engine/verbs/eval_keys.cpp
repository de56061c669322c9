// eval keys: the key tokens of long texts, found with a reference model.
#include "app/engine/cli/output.h"
#include "app/engine/verbs/eval_target.h"
#include "app/engine/verbs/eval_verbs.h"
#include "app/engine/verbs/reference_keys.h"
#include "core/spec/key_tokens.h"

namespace braid::cli {
namespace {

struct KeysOptions {
    EvalTarget target;
    std::string out;
    KeyTokenRule rule;
    std::int64_t samples = 32;
};

Result<void> find_keys(const KeysOptions& options) {
    if (const Diagnostics problems = validate(options.rule); !problems.empty())
        return fail(to_error(problems));
    const Result<CheckpointChoice> choice =
        find_checkpoint(options.target.checkpoint, options.target.project);
    if (!choice) return fail(choice.error());
    const Result<Corpus> corpus = target_corpus(options.target, *choice);
    if (!corpus) return fail(corpus.error());
    const Result<KeyTokens> keys = find_reference_keys({.reference = options.target.checkpoint,
                                                        .project = options.target.project,
                                                        .tokenizer = options.target.tokenizer,
                                                        .rule = options.rule,
                                                        .samples = options.samples,
                                                        .device = options.target.device,
                                                        .threads = options.target.threads,
                                                        .quiet = options.target.quiet},
                                                       *corpus);
    if (!keys) return fail(keys.error());
    if (Result<void> written = write_key_tokens(options.out, *keys); !written) return written;
    std::int64_t spans = 0, kept = 0;
    for (const KeySample& sample : keys->samples) {
        spans += static_cast<std::int64_t>(sample.spans.size());
        kept += sample.spans.empty() ? 0 : 1;
    }
    if (options.target.json)
        print(Json{{"file", options.out},
                   {"samples", keys->samples.size()},
                   {"samples_with_key_tokens", kept},
                   {"spans", spans}});
    else
        print(options.out + ": " + std::to_string(spans) + " places with key tokens in " +
              std::to_string(kept) + " of " + std::to_string(keys->samples.size()) + " texts\n");
    return {};
}

}  // namespace

void add_eval_keys(CommandLine& line, CLI::App& eval) {
    const auto options = std::make_shared<KeysOptions>();
    CLI::App& verb = line.verb(
        eval,
        {.name = "keys",
         .summary = "Find the key tokens of long texts with a reference model",
         .example = "braid-engine eval keys a91f --corpus corpus/novels --context 2048 --short 256 --advance "
                    "128 --out keys.json",
         .details =
             "A token is key if the reference predicts it well with the whole text before it and badly with "
             "a short part of it (LongPPL). Texts are validation documents of the corpus. Training scores "
             "log LongPPL at each evaluation with --set data.key_tokens=FILE, or with --reference."},
        [options] { return find_keys(*options); });
    add_target_options(verb, options->target);
    add_text_options(verb, options->target);
    verb.add_option("--out", options->out, "File to write")->required()->type_name("FILE");
    verb.add_option("--samples", options->samples, "Texts, at most")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    verb.add_option("--context", options->rule.context, "Tokens of a text")
        ->check(CLI::Range(std::int64_t{2}, longest_read_text))
        ->capture_default_str();
    verb.add_option("--short", options->rule.short_context, "Tokens of the short context")
        ->capture_default_str();
    verb.add_option("--advance", options->rule.advance, "By which its windows advance")
        ->capture_default_str();
    verb.add_option("--gain", options->rule.gain, "Least gain of a key token, nats")->capture_default_str();
    verb.add_option("--sure", options->rule.sure, "Largest full loss of a key token, nats")
        ->capture_default_str();
    verb.add_option("--fewest", options->rule.fewest, "Texts with fewer key tokens are left out of scores")
        ->capture_default_str();
}

}  // namespace braid::cli
