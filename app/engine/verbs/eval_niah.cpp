// eval niah: does a model find a needle, by depth and length?
#include <algorithm>
#include <map>

#include "app/engine/cli/output.h"
#include "app/engine/verbs/eval_questions.h"
#include "app/engine/verbs/eval_verbs.h"
#include "core/data/niah.h"
#include "core/measure/ruler/tasks.h"

namespace braid::cli {
namespace {

struct NiahOptions {
    EvalTarget target;
    AskOptions ask;
    std::int64_t depths = 10;
    std::string variant = {};  // empty: the token task, or niah_single_1
};

constexpr const char* token_variant = "tokens";
constexpr const char* text_variant = "niah_single_1";
constexpr std::size_t tail_tokens = 12;

// Evenly from 0 to 1; one alone in the middle.
std::vector<double> depths_of(std::int64_t count) {
    std::vector<double> depths;
    for (std::int64_t i = 0; i < count; ++i)
        depths.push_back(count == 1 ? 0.5 : double(i) / double(count - 1));
    return depths;
}

std::string token_text(const ParameterValues& values, std::span<const std::int32_t> tokens) {
    std::string text;
    for (const std::int32_t token : tokens)
        text.append(text.empty() ? "" : " ").append(niah_token_text(values, token));
    return text;
}

QuestionCell token_cell(const ParameterValues& values, const NiahOptions& options, std::int64_t length,
                        double depth) {
    QuestionCell cell{.task = "niah",
                      .length = length,
                      .depth = depth,
                      .samples = options.ask.samples,
                      .new_tokens = niah_parameters(values).value_tokens,
                      .fixed_length = true};
    const auto seed = static_cast<std::uint64_t>(options.ask.seed);
    cell.make = [values, seed, length, depth](std::int64_t index) -> Result<AskedQuestion> {
        NiahQuestion question = niah_question(values, length, depth, seed, index);
        const std::string wanted = token_text(values, question.answer);
        const std::size_t tail = question.prompt.size() - std::min(question.prompt.size(), tail_tokens);
        AskedQuestion asked{
            .expected = {wanted},
            .depth = question.depth,
            .tail = token_text(values, std::span(question.prompt).subspan(tail)),
            .mark = [wanted](const std::string& answer) { return answer == wanted ? 1.0 : 0.0; }};
        asked.prompt = std::move(question.prompt);
        return asked;
    };
    return cell;
}

struct Grid {
    std::vector<QuestionCell> cells = {};
    QuestionOptions how = {};
    Json settings = Json::object();
    // What the cells refer to.
    std::shared_ptr<const Tokenizer> tokenizer = {};
    std::shared_ptr<const TextSources> sources = {};
};

Result<Grid> token_grid(const NiahOptions& options, const CheckpointChoice& choice,
                        const ParameterValues& values, const std::vector<std::int64_t>& lengths) {
    Diagnostics problems;
    for (const std::int64_t length : lengths)
        for (Diagnostic problem : check_niah_question(values, length)) {
            if (problem.path == "training.context") problem.path = "lengths";
            problems.push_back(std::move(problem));
        }
    if (const std::int64_t vocab = niah_task.vocab(values); vocab > choice.architecture.vocab)
        problems.push_back({.path = "vocab",
                            .rule = "must be at least " + std::to_string(vocab) + " for these needles",
                            .found = std::to_string(choice.architecture.vocab)});
    if (!problems.empty()) return fail(to_error(problems));
    Grid grid;
    Json parameters = Json::object();
    for (const auto& [key, value] : normalised(values, niah_task.parameters))
        parameters[key] = to_json(value);
    grid.settings = {{"task", parameters}};
    for (const std::int64_t length : lengths)
        for (const double depth : depths_of(options.depths))
            grid.cells.push_back(token_cell(values, options, length, depth));
    grid.how.text = [values](std::span<const std::int32_t> tokens) { return token_text(values, tokens); };
    return grid;
}

Result<Grid> text_grid(const NiahOptions& options, const CheckpointChoice& choice, const std::string& variant,
                       const std::vector<std::int64_t>& lengths) {
    const Result<std::shared_ptr<const Tokenizer>> tokenizer = target_tokenizer(options.target, choice);
    if (!tokenizer) return fail(tokenizer.error());
    Result<Essay> essay = essay_of(options.ask, options.target, choice, lengths.back());
    if (!essay) return fail(essay.error());
    Grid grid;
    grid.tokenizer = *tokenizer;
    const auto sources = std::make_shared<TextSources>();
    sources->essay = std::move(essay->text);
    grid.sources = sources;
    const TextTask& task = *find_ruler_task(variant);
    grid.settings = {{"template", ruler_template_id},
                     {"tokenizer", (*tokenizer)->info().hash},
                     {"new_tokens", options.ask.new_tokens > 0 ? options.ask.new_tokens : task.new_tokens},
                     {"haystack", essay->source}};
    for (const std::int64_t length : lengths)
        for (const double depth : depths_of(options.depths))
            grid.cells.push_back(text_cell(task, *sources, **tokenizer, options.ask, length, depth));
    grid.how = text_answers(**tokenizer, StopAt::end_of_document);
    return grid;
}

// Depths down, lengths across: what the heatmap shows.
std::string grid_text(const std::vector<Score>& scores) {
    std::vector<Column> columns = {{"depth", true}};
    std::map<double, std::map<std::int64_t, std::string>> rows;
    std::map<std::int64_t, bool> lengths;
    for (const Score& score : scores) {
        lengths[*score.length] = true;
        rows[*score.depth][*score.length] = score.value ? real_text(*score.value, 1) : "no data";
    }
    for (const auto& [length, ignored] : lengths) columns.push_back({std::to_string(length), true});
    Table table(columns);
    for (const auto& [depth, row] : rows) {
        std::vector<std::string> cells = {real_text(100 * depth, 0) + "%"};
        for (const auto& [length, text] : row) cells.push_back(text);
        table.add(std::move(cells));
    }
    return table.text();
}

Result<void> niah(const NiahOptions& options) {
    const EvalTarget& target = options.target;
    const Result<CheckpointChoice> choice = find_checkpoint(target.checkpoint, target.project);
    if (!choice) return fail(choice.error());
    const std::optional<RunPlan> plan = plan_of(*choice);
    const bool token_model = plan && plan->data.kind == niah_task.id;
    const std::string variant = !options.variant.empty() ? options.variant
                                : token_model            ? token_variant
                                                         : text_variant;
    if (variant == token_variant && !token_model)
        return fail(ErrorKind::invalid_input,
                    "the token variant needs a model that was trained on the niah task", target.checkpoint,
                    "Train one with --data niah, or choose a variant of text");
    const std::vector<std::int64_t> lengths = lengths_of(options.ask, target, *choice);
    const Result<Grid> grid = variant == token_variant
                                  ? token_grid(options, *choice, plan->data.parameters, lengths)
                                  : text_grid(options, *choice, variant, lengths);
    if (!grid) return fail(grid.error());
    ScoreRecord record = new_score("niah", target, *choice);
    record.settings = grid->settings;
    record.settings["variant"] = variant;
    record.settings["lengths"] = lengths;
    record.settings["depths"] = options.depths;
    record.settings["samples"] = options.ask.samples;
    record.settings["seed"] = options.ask.seed;
    const Result<QuestionResults> results = ask(target, *choice, options.ask, grid->cells, grid->how, record);
    if (!results) return fail(results.error());
    record.scores = results->scores;
    record.summary = {
        {.name = "NIAH accuracy (" + variant + ")", .value = mean_value(record.scores), .unit = "%"}};
    const std::string text = "needles found in % of " + std::to_string(options.ask.samples) +
                             " questions, by depth and length\n" + grid_text(record.scores) + "mean  " +
                             real_text(record.summary[0].value.value_or(0), 2) + " %\n";
    return finish_questions(target, *choice, record, results->answers, text);
}

std::vector<std::string> variants() {
    std::vector<std::string> names = {token_variant};
    for (const TextTask& task : ruler_tasks())
        if (task.needle && task.id != "niah_multivalue" && task.id != "niah_multiquery")
            names.push_back(task.id);
    return names;
}

}  // namespace

void add_eval_niah(CommandLine& line, CLI::App& eval) {
    const auto options = std::make_shared<NiahOptions>();
    CLI::App& verb = line.verb(
        eval,
        {.name = "niah",
         .summary = "Needle in a haystack: answers by depth of the needle and length of the context",
         .example =
             "braid-engine eval niah a91f --lengths 64,128,256 --depths 10 --samples 20\n"
             "braid-engine eval niah b7c0 --variant niah_single_2 --lengths 1024,2048 --haystack novel.txt",
         .details =
             "A model trained with --data niah is asked in that task's tokens; any other in text, with "
             "the questions of RULER's niah tasks. The generated answers are kept with the score."},
        [options] { return niah(*options); });
    add_target_options(verb, options->target);
    add_text_options(verb, options->target);
    add_length_option(verb, options->ask);
    verb.add_option("--depths", options->depths, "Depths, evenly from the beginning to the end")
        ->check(CLI::Range(1, 1'000))
        ->capture_default_str();
    verb.add_option("--variant", options->variant, "tokens (the niah task), or a niah task of RULER")
        ->check(CLI::IsMember(variants()));
    add_haystack_option(verb, options->ask);
    add_ask_options(verb, options->ask, 10);
}

}  // namespace braid::cli
