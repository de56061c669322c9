#include "app/engine/verbs/eval_target.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <set>

#include "app/engine/cli/output.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/training_text.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/engine/device.h"
#include "core/engine/hf/export_hf.h"
#include "core/engine/open_model.h"
#include "core/mixers/builtin.h"
#include "core/spec/data_kinds.h"
#include "core/spec/phases.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

std::string value_text(const Score& score) {
    if (!score.value) return score.no_data.empty() ? "no value" : "no data";
    return real_text(*score.value, score.unit == "%" ? 2 : 4);
}

std::string table_of(const ScoreRecord& record) {
    const auto any = [&](auto has) { return std::any_of(record.scores.begin(), record.scores.end(), has); };
    const bool lengths = any([](const Score& score) { return score.length.has_value(); });
    const bool left_out = any([](const Score& score) { return score.left_out > 0; });
    const bool depths = any([](const Score& score) { return score.depth.has_value(); });
    std::vector<Column> columns = {{"score"}};
    if (lengths) columns.push_back({"length", true});
    if (depths) columns.push_back({"depth", true});
    for (const char* title : {"value", "+-"}) columns.push_back({title, true});
    columns.push_back({"unit"});
    for (const char* title : {"samples", "truncated"}) columns.push_back({title, true});
    if (left_out) columns.push_back({"left out", true});
    Table table(columns);
    for (const Score& score : record.scores) {
        std::vector<std::string> cells = {score.name};
        if (lengths) cells.push_back(score.length ? std::to_string(*score.length) : "");
        if (depths) cells.push_back(score.depth ? real_text(*score.depth, 2) : "");
        cells.push_back(value_text(score));
        cells.push_back(score.standard_error ? real_text(*score.standard_error, score.unit == "%" ? 2 : 4)
                                             : "");
        cells.push_back(score.unit);
        cells.push_back(std::to_string(score.samples));
        cells.push_back(std::to_string(score.truncated));
        if (left_out) cells.push_back(std::to_string(score.left_out));
        table.add(std::move(cells));
    }
    std::string text = table.text();
    std::set<std::string> reasons;  // said once, not at every length
    for (const Score& score : record.scores)
        if (!score.no_data.empty()) reasons.insert("no data for " + score.name + ": " + score.no_data + "\n");
    for (const std::string& reason : reasons) text.append(reason);
    for (const ScoreSummary& one : record.summary)
        text.append(one.name)
            .append("  ")
            .append(one.value ? real_text(*one.value, one.unit == "%" ? 2 : 4) : "no data")
            .append(one.value && !one.unit.empty() ? " " + one.unit : "")
            .append("\n");
    return text;
}

// An imported model brings its own.
bool has_tokenizer(const std::string& folder) {
    std::error_code ignored;
    return fs::exists(fs::path(folder) / "tokenizer.json", ignored) ||
           fs::exists(fs::path(folder) / "tokenizer.model", ignored);
}

}  // namespace

void add_target_options(CLI::App& verb, EvalTarget& target) {
    target.verb = &verb;
    verb.add_option("CHECKPOINT", target.checkpoint, checkpoint_help)->required();
    verb.add_option("--device", target.device, "Where to compute (auto)")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    verb.add_option("--threads", target.threads, "CPU threads; 0: all cores")->check(CLI::Range(0, 4096));
    add_project_option(verb, target.project);
    add_quiet_option(verb, target.quiet);
    add_json_option(verb, target.json);
}

void add_text_options(CLI::App& verb, EvalTarget& target) {
    verb.add_option("--tokenizer", target.tokenizer,
                    "Of the model: byte or a file; without it that of its corpus");
    verb.add_option("--corpus", target.corpus, "Where texts come from; without it the corpus of the run")
        ->type_name("DIR");
}

Result<std::unique_ptr<Model>> open_target(const EvalTarget& target, const CheckpointChoice& choice) {
    Result<std::shared_ptr<Ops>> ops = open_device(target.device, target.threads);
    if (!ops) return fail(ops.error());
    return open_model(choice.origin.folder, std::move(*ops));
}

std::optional<RunPlan> plan_of(const CheckpointChoice& choice) {
    if (!choice.run) return {};
    const Result<RunPlan> plan = choice.run->plan();
    return plan ? std::optional(*plan) : std::nullopt;
}

std::string corpus_of(const CheckpointChoice& choice) {
    const std::optional<RunPlan> plan = plan_of(choice);
    if (!plan || plan->data.kind != "corpus") return {};
    return (fs::path(project_folder_of(*choice.run)) / plan->data.corpus).string();
}

Result<Corpus> target_corpus(const EvalTarget& target, const CheckpointChoice& choice) {
    const std::string folder = target.corpus.empty() ? corpus_of(choice) : target.corpus;
    if (folder.empty())
        return fail(ErrorKind::invalid_input, "no corpus to take texts from", target.checkpoint,
                    "Give --corpus DIR");
    return Corpus::open(folder);
}

Diagnostics check_tokenizer(const CheckpointChoice& choice, const TokenizerInfo& tokenizer) {
    Diagnostics problems = check_fit(tokenizer, choice.architecture.vocab, "tokenizer");
    // Where the model's own tokenizer is known, another one would give numbers that mean nothing.
    const auto compare = [&](const TokenizerInfo& own) {
        for (Diagnostic problem : check_same(tokenizer, own, "tokenizer"))
            problems.push_back(std::move(problem));
    };
    if (has_tokenizer(choice.origin.folder)) {
        if (const auto own = open_tokenizer(choice.origin.folder)) compare((*own)->info());
    } else if (const std::string folder = corpus_of(choice); !folder.empty()) {
        if (const Result<Corpus> corpus = Corpus::open(folder)) compare(corpus->manifest().tokenizer);
    }
    return problems;
}

bool knows_tokenizer(const EvalTarget& target, const CheckpointChoice& choice) {
    return !target.tokenizer.empty() || has_tokenizer(choice.origin.folder) || !corpus_of(choice).empty() ||
           !target.corpus.empty();
}

Result<std::shared_ptr<const Tokenizer>> target_tokenizer(const EvalTarget& target,
                                                          const CheckpointChoice& choice) {
    Result<std::shared_ptr<const Tokenizer>> tokenizer = [&]() -> Result<std::shared_ptr<const Tokenizer>> {
        if (!target.tokenizer.empty()) return open_tokenizer(target.tokenizer);
        if (has_tokenizer(choice.origin.folder)) return open_tokenizer(choice.origin.folder);
        const std::string own = corpus_of(choice);
        const std::string folder = own.empty() ? target.corpus : own;
        if (folder.empty())
            return fail(ErrorKind::invalid_input, "which tokenizer the model reads with is not known",
                        target.checkpoint, "Give --tokenizer FILE (or byte), or --corpus DIR");
        return Corpus::open(folder).and_then([](const Corpus& corpus) { return corpus.tokenizer(); });
    }();
    if (!tokenizer) return tokenizer;
    if (const Diagnostics problems = check_tokenizer(choice, (*tokenizer)->info()); !problems.empty())
        return fail(to_error(problems));
    return tokenizer;
}

std::optional<std::int64_t> trained_context(const CheckpointChoice& choice) {
    const std::optional<RunPlan> plan = plan_of(choice);
    if (!plan) {  // an imported model says it itself
        const std::optional<Json> config = hf_source_config(choice.origin.folder);
        const auto context = config ? config->find("max_position_embeddings") : Json::const_iterator();
        if (!config || context == config->end() || !context->is_number_unsigned()) return {};
        return context->get<std::int64_t>();
    }
    std::int64_t longest = plan->training.context;
    if (const auto phases =
            resolve_phases(plan->architecture, plan->training, plan->data, plan->phases, builtin_mixers()))
        for (const ResolvedPhase& phase : *phases)
            if (phase.first < choice.origin.step) longest = std::max(longest, phase.training.context);
    return longest;
}

bool trained_on_separate_documents(const CheckpointChoice& choice) {
    const std::optional<RunPlan> plan = plan_of(choice);
    if (!plan || plan->data.kind != corpus_kind) return false;
    const auto phases =
        resolve_phases(plan->architecture, plan->training, plan->data, plan->phases, builtin_mixers());
    if (!phases) return false;
    // The phase of the checkpoint's last step.
    const std::size_t index =
        phase_at(*phases, Step(std::max<std::int64_t>(0, choice.origin.step.value - 1)));
    return (*phases)[index].data.parameters.flag("separate", corpus_parameters());
}

void warn_of_length(const EvalTarget& target, const CheckpointChoice& choice, std::int64_t length) {
    const std::optional<std::int64_t> trained = trained_context(choice);
    if (!trained || length <= *trained || target.quiet) return;
    std::string line = "Note: ";
    line.append(std::to_string(length))
        .append(" tokens are more than the context of ")
        .append(std::to_string(*trained))
        .append(" that it was trained with; how it does there is measured all the same.\n");
    std::fputs(line.c_str(), stderr);
}

std::string command_text(const CLI::App& verb) {
    std::string command = verb.get_name();
    for (const CLI::App* parent = verb.get_parent(); parent != nullptr; parent = parent->get_parent())
        command.insert(0, (parent->get_parent() == nullptr ? "braid-engine" : parent->get_name()) + " ");
    for (const CLI::Option* option : verb.get_options()) {
        if (option->count() == 0) continue;
        const std::string name = option->get_positional() ? "" : option->get_name();
        if (name == "--json" || name.find("quiet") != std::string::npos) continue;
        if (option->get_items_expected_max() == 0) {
            command.append(" ").append(name);
            continue;
        }
        std::string joined;
        for (const std::string& result : option->results()) {
            if (option->get_delimiter() != '\0' && !joined.empty())
                joined.append(1, option->get_delimiter()).append(result);
            else if (option->get_delimiter() != '\0')
                joined = result;
            else
                command.append(name.empty() ? "" : " " + name).append(" ").append(shell_word(result));
        }
        if (!joined.empty()) command.append(" ").append(name).append(" ").append(shell_word(joined));
    }
    return command;
}

std::string scores_folder(const CheckpointChoice& choice) {
    return choice.run ? choice.run->scores_folder() : choice.origin.folder + "/scores";
}

Result<void> make_scores_folder(const CheckpointChoice& choice) {
    const std::string folder = scores_folder(choice);
    if (Result<void> made = make_folder(folder); !made) return made;
    if (::access(folder.c_str(), W_OK) != 0)
        return fail(error_from_errno(errno, "scores cannot be kept", folder));
    return {};
}

std::optional<double> finite(double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

ScoreRecord new_score(const std::string& kind, const EvalTarget& target, const CheckpointChoice& choice) {
    return {.kind = kind,
            .created = utc_now(),
            .command = target.verb == nullptr ? std::string() : command_text(*target.verb),
            .checkpoint = choice.origin};
}

Result<void> finish_score(const EvalTarget& target, const CheckpointChoice& choice, const ScoreRecord& record,
                          std::span<const ScoreAnswer> answers, const std::string& text, const Json& extra) {
    const Result<std::string> file = write_score(scores_folder(choice), record, answers);
    if (!file) return fail(file.error());
    if (target.json) {
        Json answer = to_json(record);
        answer["file"] = *file;
        if (!answers.empty()) answer["answers"] = fs::path(*file).replace_extension(".jsonl").string();
        answer.update(extra);
        print(answer);
    } else {
        print((text.empty() ? table_of(record) : text) + "Kept in " + *file + "\n");
    }
    return {};
}

}  // namespace braid::cli
