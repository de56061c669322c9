// eval longbench: free answers over long texts of users, marked against references.
#include <algorithm>

#include "app/engine/verbs/eval_questions.h"
#include "app/engine/verbs/eval_verbs.h"
#include "core/measure/task_file.h"

namespace braid::cli {
namespace {

struct LongBenchOptions {
    EvalTarget target;
    AskOptions ask;
    std::vector<std::string> files;
    std::string metric;
    std::string prompt = "{context}\n\nQuestion: {input}\nAnswer:";
    bool one_line = false;
};

constexpr std::int64_t default_new_tokens = 64;

// {context} and {input} replaced; what they hold is not looked at again.
std::string fill(std::string_view prompt, const ReadingItem& item) {
    constexpr std::string_view context = "{context}", input = "{input}";
    std::string text;
    while (!prompt.empty()) {
        const std::size_t brace = std::min(prompt.find('{'), prompt.size());
        text.append(prompt.substr(0, brace));
        prompt.remove_prefix(brace);
        if (prompt.starts_with(context)) {
            text.append(item.context);
            prompt.remove_prefix(context.size());
        } else if (prompt.starts_with(input)) {
            text.append(item.input);
            prompt.remove_prefix(input.size());
        } else if (!prompt.empty()) {
            text.push_back(prompt.front());
            prompt.remove_prefix(1);
        }
    }
    return text;
}

// Without its middle where it is longer: instructions stand at the beginning, the question at the end.
bool cut_middle(std::vector<std::int32_t>& ids, std::int64_t most) {
    const auto size = static_cast<std::int64_t>(ids.size());
    if (size <= most) return false;
    const std::int64_t head = most / 2;
    ids.erase(ids.begin() + head, ids.end() - (most - head));
    return true;
}

QuestionCell cell_of(const std::string& name, const std::vector<ReadingItem>& items,
                     const Tokenizer& tokenizer, const LongBenchOptions& options, std::int64_t length) {
    const auto all = static_cast<std::int64_t>(items.size());
    const std::int64_t new_tokens = options.ask.new_tokens > 0 ? options.ask.new_tokens : default_new_tokens;
    QuestionCell cell{.task = name,
                      .length = length,
                      .samples = options.ask.samples > 0 ? std::min(options.ask.samples, all) : all,
                      .new_tokens = new_tokens};
    const AnswerMetric* metric = find_answer_metric(options.metric);
    cell.make = [&items, &tokenizer, &options, metric, length,
                 new_tokens](std::int64_t index) -> Result<AskedQuestion> {
        const ReadingItem& item = items[static_cast<std::size_t>(index)];
        const std::string prompt = fill(options.prompt, item);
        AskedQuestion asked{.prompt = prompt_tokens(tokenizer, prompt),
                            .expected = item.references.answers,
                            .tail = prompt_tail(prompt),
                            .mark = [metric, &item](const std::string& answer) {
                                return metric->mark(answer, item.references);
                            }};
        asked.cut = cut_middle(asked.prompt, length - new_tokens);
        return asked;
    };
    return cell;
}

// Without the other classes any answer that contains the right word would be right.
Result<void> check_classes(const std::string& metric, const std::vector<ReadingItem>& items,
                           const std::string& file) {
    if (metric != "accuracy") return {};
    constexpr std::size_t most_problems = 20;
    Diagnostics problems;
    for (std::size_t i = 0; i < items.size() && problems.size() < most_problems; ++i)
        if (items[i].references.classes.empty())
            problems.push_back({.path = "question " + std::to_string(i + 1) + ".all_classes",
                                .rule = "must list the classes: accuracy is that among them",
                                .found = {}});
        else
            for (const std::string& answer : items[i].references.answers)
                if (!std::count(items[i].references.classes.begin(), items[i].references.classes.end(),
                                answer))
                    problems.push_back({.path = "question " + std::to_string(i + 1) + ".answers",
                                        .rule = "must be among all_classes, or no answer can be right",
                                        .found = answer});
    if (problems.empty()) return {};
    return fail(to_error(problems, file));
}

Result<void> longbench(const LongBenchOptions& options) {
    const EvalTarget& target = options.target;
    if (const Result<void> named = check_task_names(options.files); !named) return named;
    if (options.prompt.find("{context}") == std::string::npos &&
        options.prompt.find("{input}") == std::string::npos)
        return fail(to_error({{.path = "--prompt",
                               .rule = "must have {context} or {input}: all questions would be the same",
                               .found = options.prompt}}));
    std::vector<std::pair<std::string, std::vector<ReadingItem>>> files;
    for (const std::string& file : options.files) {
        Result<std::vector<ReadingItem>> items = read_reading_file(file);
        if (!items) return fail(items.error());
        if (const Result<void> marked = check_classes(options.metric, *items, file); !marked) return marked;
        files.emplace_back(task_name(file), std::move(*items));
    }
    const Result<CheckpointChoice> choice = find_checkpoint(target.checkpoint, target.project);
    if (!choice) return fail(choice.error());
    const Result<std::shared_ptr<const Tokenizer>> tokenizer = target_tokenizer(target, *choice);
    if (!tokenizer) return fail(tokenizer.error());
    const std::vector<std::int64_t> lengths = lengths_of(options.ask, target, *choice);
    const std::int64_t new_tokens = options.ask.new_tokens > 0 ? options.ask.new_tokens : default_new_tokens;
    if (lengths.front() <= new_tokens + 1)
        return fail(to_error({{.path = "lengths",
                               .rule = "must be more than the " + std::to_string(new_tokens) +
                                       " tokens of an answer and two of the prompt",
                               .found = std::to_string(lengths.front())}}));
    std::vector<QuestionCell> cells;
    Json data = Json::object();
    for (const auto& [name, items] : files) {
        Json content = Json::array();
        for (const ReadingItem& item : items)
            content.push_back({item.context, item.input, item.references.answers, item.references.classes});
        data[name] = content_hash(content);
        for (const std::int64_t length : lengths)
            cells.push_back(cell_of(name, items, **tokenizer, options, length));
    }
    ScoreRecord record = new_score("longbench", target, *choice);
    record.settings = {{"data", data},
                       {"metric", options.metric},
                       {"metric_version", answer_metrics_version},
                       {"template", options.prompt},
                       {"lengths", lengths},
                       {"samples", options.ask.samples},
                       {"new_tokens", new_tokens},
                       {"one_line", options.one_line},
                       {"tokenizer", (*tokenizer)->info().hash}};
    const Result<QuestionResults> results = ask(
        target, *choice, options.ask, cells,
        text_answers(**tokenizer, options.one_line ? StopAt::end_of_line : StopAt::end_of_document), record);
    if (!results) return fail(results.error());
    record.scores = results->scores;
    const std::string average = "Average (" + std::to_string(files.size()) + ") " + options.metric;
    record.summary = {{.name = average, .value = mean_value(record.scores), .unit = "%"}};
    return finish_questions(target, *choice, record, results->answers);
}

std::vector<std::string> metric_ids() {
    std::vector<std::string> ids;
    for (const AnswerMetric& metric : answer_metrics()) ids.emplace_back(metric.id);
    return ids;
}

}  // namespace

void add_eval_longbench(CommandLine& line, CLI::App& eval) {
    const auto options = std::make_shared<LongBenchOptions>();
    CLI::App& verb = line.verb(
        eval,
        {.name = "longbench",
         .summary = "Answers over long texts of your own, marked against references",
         .example =
             "braid-engine eval longbench a91f --data hotpotqa.jsonl --metric f1 --lengths 16384 --one-line",
         .details =
             "A line of a file is LongBench's: {\"context\", \"input\", \"answers\": [..], \"all_classes\": "
             "[..]}; the last is needed for accuracy. A prompt longer than the length loses its middle and "
             "counts as truncated."},
        [options] { return longbench(*options); });
    add_target_options(verb, options->target);
    add_text_options(verb, options->target);
    verb.add_option("--data", options->files, "Questions, JSONL; may be given several times")
        ->required()
        ->check(CLI::ExistingFile)
        ->allow_extra_args(false)
        ->type_name("FILE");
    verb.add_option("--metric", options->metric, "How answers are marked")
        ->required()
        ->check(CLI::IsMember(metric_ids()));
    verb.add_option("--prompt", options->prompt, "With {context} and {input}")->capture_default_str();
    verb.add_flag("--one-line", options->one_line, "An answer ends with its first line");
    add_length_option(verb, options->ask);
    add_ask_options(verb, options->ask, 0);
}

}  // namespace braid::cli
