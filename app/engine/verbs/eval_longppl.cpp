// eval longppl: log LongPPL on texts with known key tokens, or with those of a reference.
#include <algorithm>
#include <cmath>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/compute_type.h"
#include "app/engine/verbs/eval_target.h"
#include "app/engine/verbs/eval_verbs.h"
#include "app/engine/verbs/reference_keys.h"
#include "core/engine/guard.h"
#include "core/measure/text_scoring.h"
#include "core/spec/key_tokens.h"

namespace braid::cli {
namespace {

struct LongPplOptions {
    EvalTarget target;
    std::string keys, reference;
    std::int64_t context = 0;  // 0: that of the key tokens
    std::int64_t short_context = 0, advance = 0, samples = 32;
    KeyTokenRule rule;  // its gain, sure and fewest
};

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Result<std::string> key_file(const LongPplOptions& options, const CheckpointChoice& choice) {
    if (options.reference.empty()) return options.keys;
    const Result<Corpus> corpus = target_corpus(options.target, choice);
    if (!corpus) return fail(corpus.error());
    const std::int64_t context =
        options.context > 0 ? options.context : trained_context(choice).value_or(KeyTokenRule().context);
    KeyTokenRule rule = rule_for_context(context);
    if (options.short_context > 0) rule.short_context = options.short_context;
    if (options.advance > 0) rule.advance = options.advance;
    rule.gain = options.rule.gain;
    rule.sure = options.rule.sure;
    rule.fewest = options.rule.fewest;
    return cached_reference_keys({.reference = options.reference,
                                  .project = options.target.project,
                                  .rule = rule,
                                  .samples = options.samples,
                                  .device = options.target.device,
                                  .threads = options.target.threads,
                                  .quiet = options.target.quiet},
                                 *corpus);
}

Result<void> longppl(const LongPplOptions& options) {
    if (options.keys.empty() == options.reference.empty())
        return fail(ErrorKind::invalid_input, "which tokens are key is not known", "",
                    "Give either --keys FILE or --reference CHECKPOINT");
    const Result<CheckpointChoice> choice =
        find_checkpoint(options.target.checkpoint, options.target.project);
    if (!choice) return fail(choice.error());
    const Result<std::shared_ptr<const Tokenizer>> tokenizer = target_tokenizer(options.target, *choice);
    if (!tokenizer) return fail(tokenizer.error());
    const Result<std::string> file = key_file(options, *choice);
    if (!file) return fail(file.error());
    const Result<KeyTokens> keys = read_key_tokens(*file);
    if (!keys) return fail(keys.error());
    const std::int64_t context = options.context > 0 ? options.context : keys->rule.context;
    const Result<LongTextSet> set = checked_long_text_set(*keys, **tokenizer, context, *file);
    if (!set) return fail(set.error());
    warn_of_length(options.target, *choice, context);
    if (const Result<void> made = make_scores_folder(*choice); !made) return made;
    const Result<std::unique_ptr<Model>> model = open_target(options.target, *choice);
    if (!model) return fail(model.error());
    Progress bar(options.target.quiet);
    const Result<std::vector<float>> losses = batch_losses(**model, set->batch, [&](double fraction) {
        bar.update(fraction, "reading " + std::to_string(set->batch.sequences) + " texts");
        return !stop_requested().load();
    });
    if (!losses) return fail(losses.error());
    const LongPpl score = score_longppl(*set, *losses);

    ScoreRecord record = new_score("longppl", options.target, *choice);
    record.settings = {{"context", context},
                       {"short_context", keys->rule.short_context},
                       {"advance", keys->rule.advance},
                       {"gain", keys->rule.gain},
                       {"sure", keys->rule.sure},
                       {"fewest", keys->rule.fewest},
                       {"key_tokens", content_hash(to_json(*keys)["samples"])},
                       {"reference", keys->reference},
                       {"corpus", keys->corpus},
                       {"compute_type", compute_type_of(**model)},
                       {"tokenizer", (*tokenizer)->info().hash}};
    const auto add = [&](const char* name, double value, const char* unit, std::int64_t samples) {
        record.scores.push_back({.name = name,
                                 .length = context,
                                 .value = finite(value),
                                 .unit = unit,
                                 .samples = samples,
                                 .truncated = set->cut_texts});
    };
    add("log LongPPL", score.log_longppl, "nats", score.samples);
    add("LongPPL", std::exp(score.log_longppl), "", score.samples);
    add("log PPL", score.log_ppl, "nats", score.samples_given);
    add("PPL", std::exp(score.log_ppl), "", score.samples_given);
    record.summary = {{.name = "log LongPPL", .value = finite(score.log_longppl), .unit = "nats"}};
    std::string text = "log LongPPL  " + real_text(score.log_longppl, 4) + "   (LongPPL " +
                       real_text(std::exp(score.log_longppl), 3) + "; " + std::to_string(score.key_tokens) +
                       " key tokens in " + std::to_string(score.samples) + " of " +
                       std::to_string(score.samples_given) + " texts)\nlog PPL      " +
                       real_text(score.log_ppl, 4) + "   (PPL " + real_text(std::exp(score.log_ppl), 3) +
                       "; " + std::to_string(score.tokens) + " tokens)\n";
    if (set->cut_texts > 0)
        text.append(std::to_string(set->cut_texts))
            .append(" of ")
            .append(std::to_string(score.samples_given))
            .append(" texts are longer than the context of ")
            .append(std::to_string(context))
            .append(" tokens and were cut; ")
            .append(std::to_string(set->cut_spans))
            .append(" places with key tokens lie beyond it\n");
    return finish_score(options.target, *choice, record, {}, text,
                        {{"log_longppl", number(score.log_longppl)},
                         {"longppl", number(std::exp(score.log_longppl))},
                         {"samples", score.samples},
                         {"samples_given", score.samples_given},
                         {"key_tokens", score.key_tokens},
                         {"key_token_file", *file},
                         {"log_ppl", number(score.log_ppl)},
                         {"ppl", number(std::exp(score.log_ppl))},
                         {"tokens", score.tokens},
                         {"texts_cut", set->cut_texts},
                         {"key_spans_lost", set->cut_spans},
                         {"context", context},
                         {"short_context", keys->rule.short_context},
                         {"advance", keys->rule.advance},
                         {"fewest", keys->rule.fewest},
                         {"reference", keys->reference}});
}

}  // namespace

void add_eval_longppl(CommandLine& line, CLI::App& eval) {
    const auto options = std::make_shared<LongPplOptions>();
    CLI::App& verb = line.verb(
        eval,
        {.name = "longppl",
         .summary = "log LongPPL of a checkpoint on texts with known key tokens",
         .example = "braid-engine eval longppl a91f@2000 --keys keys.json --json\n"
                    "braid-engine eval longppl a91f --reference b7c0",
         .details = "With --reference the key tokens of the corpus are found once, with that model, and kept "
                    "in the project's key_tokens folder. Another tokenizer than the reference's is no "
                    "problem: key tokens are places in the text."},
        [options] { return longppl(*options); });
    add_target_options(verb, options->target);
    add_text_options(verb, options->target);
    verb.add_option("--keys", options->keys, "Key-token file")->check(CLI::ExistingFile);
    verb.add_option("--reference", options->reference, "Model that finds the key tokens: a checkpoint")
        ->type_name("CHECKPOINT");
    verb.add_option("--context", options->context,
                    "Tokens the model sees; without it that of the key tokens, or of the training")
        ->check(CLI::Range(std::int64_t{2}, longest_read_text));
    verb.add_option("--short", options->short_context,
                    "With --reference: tokens of the short context (a quarter of the context, at most 4096)")
        ->check(CLI::Range(std::int64_t{1}, longest_read_text));
    verb.add_option("--advance", options->advance,
                    "With --reference: by which its windows advance (a 16th, at most 1024)")
        ->check(CLI::Range(std::int64_t{1}, longest_read_text));
    verb.add_option("--gain", options->rule.gain, "With --reference: least gain of a key token, nats")
        ->capture_default_str();
    verb.add_option("--sure", options->rule.sure, "With --reference: largest full loss of a key token, nats")
        ->capture_default_str();
    verb.add_option("--fewest", options->rule.fewest,
                    "With --reference: texts with fewer key tokens are left out")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    verb.add_option("--samples", options->samples, "With --reference: texts, at most")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
}

}  // namespace braid::cli
