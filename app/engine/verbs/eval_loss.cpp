// eval loss: validation loss, perplexity, and loss by position in the context.
#include <algorithm>
#include <cmath>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/compute_type.h"
#include "app/engine/verbs/eval_target.h"
#include "app/engine/verbs/eval_verbs.h"
#include "core/data/corpus_source.h"
#include "core/measure/position_losses.h"
#include "core/measure/text_scoring.h"
#include "core/spec/key_tokens.h"

namespace braid::cli {
namespace {

struct LossOptions {
    EvalTarget target;
    std::string against;
    std::string documents = "short";
    std::int64_t context = 0;  // 0: that of the training
    std::int64_t tokens = 65'536;
    std::int64_t buckets = 16;
    bool logarithmic = false;
    std::string separate = "auto";
};

constexpr std::int64_t context_of_unknown_training = 1'024;

Result<Batch> texts(const LossOptions& options, const Corpus& corpus, std::int64_t context) {
    if (corpus.tokens(Split::validation) < 2)
        return fail(to_error({{.path = "corpus.validation.tokens",
                               .rule = "must be at least 2: the corpus has no validation documents; build it "
                                       "with a larger --validation share or more text",
                               .found = std::to_string(corpus.tokens(Split::validation))}},
                             corpus.folder()));
    if (options.documents == "short" && context > corpus.tokens(Split::validation))
        return fail(to_error({{.path = "context",
                               .rule = "must be at most " + std::to_string(corpus.tokens(Split::validation)) +
                                       ", the validation tokens",
                               .found = std::to_string(context)}},
                             corpus.folder()));
    if (options.documents == "long") return long_validation_sequences(corpus, context, options.tokens);
    return validation_sequences(corpus, context, options.tokens);
}

Result<std::vector<float>> losses_of(const LossOptions& options, const CheckpointChoice& choice,
                                     const Batch& batch, std::span<const std::int32_t> starts_BT,
                                     const std::string& name, std::string& compute_type) {
    const Result<std::unique_ptr<Model>> model = open_target(options.target, choice);
    if (!model) return fail(model.error());
    compute_type = compute_type_of(**model);
    Progress bar(options.target.quiet);
    return batch_losses(
        **model, batch,
        [&](double fraction) {
            bar.update(fraction, name + ": " + std::to_string(batch.sequences) + " sequences");
            return !stop_requested().load();
        },
        starts_BT);
}

std::string range_text(const PositionLoss& one) {
    return std::to_string(one.begin) + ".." + std::to_string(one.end - 1);
}

std::string text_of(const MeanLoss& loss, const std::optional<MeanLoss>& difference,
                    const std::vector<PositionLoss>& positions, const std::string& other) {
    std::string text = "loss  " + real_text(loss.mean, 4) + " +- " + real_text(loss.standard_error, 4) +
                       " nats   (PPL " + real_text(std::exp(loss.mean), 3) + "; " +
                       with_commas(loss.targets) + " tokens in " + with_commas(loss.sequences) +
                       " sequences)\n";
    if (difference)
        text += "difference to " + other + "  " + real_text(difference->mean, 4) + " +- " +
                real_text(difference->standard_error, 4) + " nats\n";
    std::vector<Column> columns = {{"position", true}, {"loss", true}, {"+-", true}};
    if (difference) columns.insert(columns.end(), {{"difference", true}, {"+-", true}});
    Table table(columns);
    for (const PositionLoss& one : positions) {
        std::vector<std::string> cells = {range_text(one), real_text(one.loss.mean, 4),
                                          real_text(one.loss.standard_error, 4)};
        if (one.difference) {
            cells.push_back(real_text(one.difference->mean, 4));
            cells.push_back(real_text(one.difference->standard_error, 4));
        }
        table.add(std::move(cells));
    }
    return text + table.text();
}

LossSeries series_of(const std::vector<PositionLoss>& positions) {
    LossSeries series;
    for (const PositionLoss& one : positions) {
        series.position.push_back(double(one.begin + one.end - 1) / 2);
        series.loss.push_back(one.loss.mean);
        series.standard_error.push_back(one.loss.standard_error);
        if (!one.difference) continue;
        series.difference.push_back(one.difference->mean);
        series.difference_error.push_back(one.difference->standard_error);
    }
    return series;
}

Result<void> loss(const LossOptions& options) {
    const EvalTarget& target = options.target;
    const Result<CheckpointChoice> choice = find_checkpoint(target.checkpoint, target.project);
    if (!choice) return fail(choice.error());
    std::optional<CheckpointChoice> other;
    if (!options.against.empty()) {
        Result<CheckpointChoice> found = find_checkpoint(options.against, target.project);
        if (!found) return fail(found.error());
        other = std::move(*found);
    }
    const Result<Corpus> corpus = target_corpus(target, *choice);
    if (!corpus) return fail(corpus.error());
    const TokenizerInfo& tokenizer = corpus->manifest().tokenizer;
    Diagnostics problems = check_tokenizer(*choice, tokenizer);
    for (Diagnostic problem : other ? check_tokenizer(*other, tokenizer) : Diagnostics{}) {
        problem.path.insert(0, "against.");
        problems.push_back(std::move(problem));
    }
    if (!problems.empty()) return fail(to_error(problems));
    const std::int64_t context = options.context > 0
                                     ? options.context
                                     : trained_context(*choice).value_or(context_of_unknown_training);
    const Result<Batch> batch = texts(options, *corpus, context);
    if (!batch) return fail(batch.error());
    warn_of_length(target, *choice, context);
    const bool separate =
        options.separate == "yes" || (options.separate == "auto" && trained_on_separate_documents(*choice));
    std::vector<std::int32_t> starts;
    if (separate && options.documents == "short" && tokenizer.document_token() >= 0) {
        starts.resize(batch->tokens_BT.size());
        document_starts(batch->tokens_BT, context, tokenizer.document_token(), starts);
    }
    if (const Result<void> made = make_scores_folder(*choice); !made) return made;

    std::string compute_type;
    const Result<std::vector<float>> mine =
        losses_of(options, *choice, *batch, starts, target.checkpoint, compute_type);
    if (!mine) return fail(mine.error());
    std::vector<float> theirs;
    if (other) {
        Result<std::vector<float>> losses =
            losses_of(options, *other, *batch, starts, options.against, compute_type);
        if (!losses) return fail(losses.error());
        theirs = std::move(*losses);
    }
    const MeanLoss mean = mean_loss(*batch, *mine);
    const std::vector<PositionLoss> positions = position_losses(
        *batch, *mine, theirs, position_buckets(context, options.buckets, options.logarithmic));

    ScoreRecord record = new_score("loss", target, *choice);
    record.settings = {{"corpus", corpus->manifest().hash},  {"tokenizer", tokenizer.hash},
                       {"documents", options.documents},     {"context", context},
                       {"tokens", options.tokens},           {"buckets", options.buckets},
                       {"logarithmic", options.logarithmic}, {"separate", !starts.empty()},
                       {"compute_type", compute_type}};
    const auto add = [&](const char* name, double value, double error, const char* unit) {
        record.scores.push_back({.name = name,
                                 .length = context,
                                 .value = finite(value),
                                 .unit = unit,
                                 .samples = mean.sequences,
                                 .standard_error = finite(error)});
    };
    const double perplexity = std::exp(mean.mean);
    add("loss", mean.mean, mean.standard_error, "nats");
    add("PPL", perplexity, perplexity * mean.standard_error, "");
    std::optional<MeanLoss> difference;
    Json extra = {{"loss", record.scores[0].value ? Json(mean.mean) : Json(nullptr)},
                  {"ppl", record.scores[1].value ? Json(perplexity) : Json(nullptr)},
                  {"tokens", mean.targets},
                  {"sequences", mean.sequences},
                  {"context", context}};
    if (other) {
        difference = mean_loss(*batch, loss_difference(*mine, theirs));
        record.settings["against"] = {{"run", other->origin.run},
                                      {"step", other->origin.step.value},
                                      {"folder", other->origin.folder},
                                      {"architecture_hash", other->origin.architecture_hash}};
        add("loss difference", difference->mean, difference->standard_error, "nats");
        extra["difference"] = difference->mean;
    }
    record.summary = {{.name = "loss", .value = finite(mean.mean), .unit = "nats"},
                      {.name = "PPL", .value = finite(perplexity), .unit = ""}};
    record.series = series_of(positions);
    return finish_score(target, *choice, record, {}, text_of(mean, difference, positions, options.against),
                        extra);
}

}  // namespace

void add_eval_loss(CommandLine& line, CLI::App& eval) {
    const auto options = std::make_shared<LossOptions>();
    CLI::App& verb = line.verb(
        eval,
        {.name = "loss",
         .summary = "Loss and perplexity on validation text, and loss by position in the context",
         .example = "braid-engine eval loss a91f\n"
                    "braid-engine eval loss a91f --documents long --context 4096 --log --against b7c0@2000",
         .details = "Mean negative log-likelihood in nats a token over validation documents of the corpus. "
                    "Short documents are packed as in training; long ones are read from their beginning, so "
                    "that the position is the length of the context. +- is the standard error over "
                    "sequences; of a difference it is paired."},
        [options] { return loss(*options); });
    add_target_options(verb, options->target);
    verb.add_option("--corpus", options->target.corpus,
                    "Where the texts come from; without it that of the run")
        ->type_name("DIR");
    verb.add_option("--documents", options->documents, "short, packed; or long, each read from its beginning")
        ->check(CLI::IsMember({"short", "long"}))
        ->capture_default_str();
    verb.add_option("--context", options->context, "Tokens of a sequence; without it that of the training")
        ->check(CLI::Range(std::int64_t{1}, longest_read_text));
    verb.add_option("--tokens", options->tokens, "About so many are scored")
        ->check(CLI::Range(1, 1 << 30))
        ->capture_default_str();
    verb.add_option("--buckets", options->buckets, "Ranges of positions")
        ->check(CLI::Range(1, 4'096))
        ->capture_default_str();
    verb.add_option("--separate", options->separate,
                    "Whether a token of packed text sees its own document alone; auto: as in the training")
        ->check(CLI::IsMember({"auto", "yes", "no"}))
        ->capture_default_str();
    verb.add_flag("--log", options->logarithmic, "Ranges that grow with the position");
    verb.add_option("--against", options->against, "Also the difference to this checkpoint")
        ->type_name("CHECKPOINT");
}

}  // namespace braid::cli
