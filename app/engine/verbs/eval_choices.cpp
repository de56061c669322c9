// eval choices: multiple choice by the likelihood of the options.
#include <algorithm>

#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/compute_type.h"
#include "app/engine/verbs/eval_questions.h"
#include "app/engine/verbs/eval_verbs.h"
#include "core/measure/choice_likelihood.h"
#include "core/spec/key_tokens.h"

namespace braid::cli {
namespace {

struct ChoiceOptions {
    EvalTarget target;
    std::vector<std::string> files;
    std::string normalise = "bytes";
    std::int64_t context = 0;  // 0: that of the training
};

constexpr std::int64_t context_of_unknown_training = 4'096;

struct ChoiceFile {
    std::string name;
    std::string hash;
    std::vector<ChoiceItem> items;
};

Result<std::vector<ChoiceFile>> read_files(const std::vector<std::string>& names) {
    std::vector<ChoiceFile> files;
    for (const std::string& file : names) {
        Result<std::vector<ChoiceItem>> items = read_choice_file(file);
        if (!items) return fail(items.error());
        Json content = Json::array();
        for (const ChoiceItem& item : *items) content.push_back({item.context, item.choices, item.answer});
        files.push_back({.name = task_name(file), .hash = content_hash(content), .items = std::move(*items)});
    }
    return files;
}

struct FileScore {
    std::vector<double> normalised, plain;
    std::int64_t cut = 0;
    std::vector<ScoreAnswer> answers;
};

FileScore mark(const ChoiceFile& file, const std::vector<std::vector<OptionLikelihood>>& likelihoods,
               LikelihoodLength length) {
    FileScore score;
    for (std::size_t i = 0; i < file.items.size(); ++i) {
        const ChoiceItem& item = file.items[i];
        const std::int64_t chosen = best_option(likelihoods[i], length);
        score.normalised.push_back(chosen == item.answer ? 1 : 0);
        score.plain.push_back(best_option(likelihoods[i], LikelihoodLength::none) == item.answer ? 1 : 0);
        score.cut += std::any_of(likelihoods[i].begin(), likelihoods[i].end(),
                                 [](const auto& one) { return one.cut; });
        score.answers.push_back({.task = file.name,
                                 .index = static_cast<std::int64_t>(i),
                                 .prompt_tail = prompt_tail(item.context),
                                 .expected = {item.choices[static_cast<std::size_t>(item.answer)]},
                                 .answer = item.choices[static_cast<std::size_t>(chosen)],
                                 .correct = score.normalised.back()});
    }
    return score;
}

Score accuracy(const std::string& name, const std::vector<double>& marks, std::int64_t cut) {
    const MeanMark mean = mean_mark(marks);
    return {.name = name,
            .value = mean.percent,
            .unit = "%",
            .samples = static_cast<std::int64_t>(marks.size()),
            .truncated = cut,
            .standard_error = mean.standard_error};
}

Result<void> choices(const ChoiceOptions& options) {
    const EvalTarget& target = options.target;
    if (const Result<void> named = check_task_names(options.files); !named) return named;
    const Result<std::vector<ChoiceFile>> files = read_files(options.files);
    if (!files) return fail(files.error());
    const Result<CheckpointChoice> choice = find_checkpoint(target.checkpoint, target.project);
    if (!choice) return fail(choice.error());
    const Result<std::shared_ptr<const Tokenizer>> tokenizer = target_tokenizer(target, *choice);
    if (!tokenizer) return fail(tokenizer.error());
    const std::int64_t context = options.context > 0
                                     ? options.context
                                     : trained_context(*choice).value_or(context_of_unknown_training);
    if (const Result<void> made = make_scores_folder(*choice); !made) return made;
    const Result<std::unique_ptr<Model>> model = open_target(target, *choice);
    if (!model) return fail(model.error());

    const LikelihoodLength length =
        options.normalise == "bytes" ? LikelihoodLength::bytes : LikelihoodLength::tokens;
    ScoreRecord record = new_score("choices", target, *choice);
    std::vector<ScoreAnswer> answers;
    std::vector<Score> plain;
    Json data = Json::object();
    Progress bar(target.quiet);
    for (const ChoiceFile& file : *files) {
        const auto likelihoods =
            option_likelihoods(**model, **tokenizer, file.items, context, [&](double fraction) {
                bar.update(fraction, file.name + ": " + std::to_string(file.items.size()) + " questions");
                return !stop_requested().load();
            });
        if (!likelihoods) {
            Error error = likelihoods.error();
            error.path = file.name;
            return fail(std::move(error));
        }
        FileScore marked = mark(file, *likelihoods, length);
        record.scores.push_back(accuracy(file.name, marked.normalised, marked.cut));
        plain.push_back(accuracy(file.name + " (not normalised)", marked.plain, marked.cut));
        std::move(marked.answers.begin(), marked.answers.end(), std::back_inserter(answers));
        data[file.name] = file.hash;
    }
    // The macro average: every file counts alike, however many questions it has.
    record.summary.push_back({.name = "ShortAvg", .value = mean_value(record.scores), .unit = "%"});
    for (const Score& score : record.scores)
        record.summary.push_back({.name = score.name, .value = score.value, .unit = "%"});
    record.scores.insert(record.scores.end(), plain.begin(), plain.end());
    record.settings = {{"data", data},
                       {"normalise", options.normalise},
                       {"context", context},
                       {"compute_type", compute_type_of(**model)},
                       {"tokenizer", (*tokenizer)->info().hash}};
    return finish_score(target, *choice, record, answers);
}

}  // namespace

void add_eval_choices(CommandLine& line, CLI::App& eval) {
    const auto options = std::make_shared<ChoiceOptions>();
    CLI::App& verb = line.verb(
        eval,
        {.name = "choices",
         .summary = "Multiple choice: the likeliest option behind the context",
         .example = "braid-engine eval choices a91f --data arc_easy.jsonl --data piqa.jsonl",
         .details =
             "A line of a file is {\"context\", \"choices\": [..], \"answer\"}; the answer is the number "
             "of the choice from 0, or its text. The log-likelihood of an option is divided by its "
             "length; the accuracy without that is given, too. ShortAvg is the mean over the files."},
        [options] { return choices(*options); });
    add_target_options(verb, options->target);
    add_text_options(verb, options->target);
    verb.add_option("--data", options->files, "Questions, JSONL; may be given several times")
        ->required()
        ->check(CLI::ExistingFile)
        ->allow_extra_args(false)
        ->type_name("FILE");
    verb.add_option("--normalise", options->normalise, "By the option's bytes or tokens")
        ->check(CLI::IsMember({"bytes", "tokens"}))
        ->capture_default_str();
    verb.add_option(
            "--context", options->context,
            "Tokens read, at most (the context of the training); longer contexts lose their beginning")
        ->check(CLI::Range(std::int64_t{2}, longest_read_text));
}

}  // namespace braid::cli
