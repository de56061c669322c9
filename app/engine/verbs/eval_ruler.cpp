// eval ruler and eval babilong: generated tasks over long texts.
#include <algorithm>
#include <set>

#include "app/engine/verbs/eval_questions.h"
#include "app/engine/verbs/eval_verbs.h"
#include "core/measure/babilong.h"
#include "core/measure/ruler/averages.h"
#include "core/measure/ruler/qa_file.h"
#include "core/measure/ruler/tasks.h"
#include "core/measure/task_file.h"

namespace braid::cli {
namespace {

struct LongTaskOptions {
    EvalTarget target;
    AskOptions ask;
    std::vector<std::string> tasks;  // empty: all
    std::vector<std::string> qa;
    std::string metric = "ruler";
};

// A family of tasks and how its score is summed up.
struct Family {
    std::string kind;
    std::string template_id;
    const std::vector<TextTask>* tasks;
    StopAt stop = StopAt::end_of_document;
    std::vector<ScoreSummary> (*averages)(std::span<const Score>) = nullptr;
};

std::string hash_of(const QaSet& set) {
    Json items = Json::array();
    for (const QaSet::Item& item : set.items)
        items.push_back({item.question, item.answers, item.support, item.near});
    return content_hash(Json::array({set.paragraphs, std::move(items)}));
}

Result<void> take_questions(const LongTaskOptions& options, TextSources& sources, Json& settings) {
    for (const std::string& file : options.qa) {
        Result<QaFile> read = read_qa_file(file);
        if (!read) return fail(read.error());
        std::shared_ptr<const QaSet>& place = read->multi_hop ? sources.multi_hop : sources.single_hop;
        if (place)
            return fail(ErrorKind::invalid_input,
                        std::string("there are two files of the form of ") +
                            (read->multi_hop ? "HotpotQA (qa_2)" : "SQuAD (qa_1)"),
                        file);
        settings[read->multi_hop ? "qa_2" : "qa_1"] = {{"file", task_name(file)},
                                                       {"questions", read->set.items.size()},
                                                       {"paragraphs", read->set.paragraphs.size()},
                                                       {"hash", hash_of(read->set)}};
        place = std::make_shared<QaSet>(std::move(read->set));
    }
    return {};
}

Result<void> score(const LongTaskOptions& options, const Family& family) {
    const EvalTarget& target = options.target;
    const Result<CheckpointChoice> choice = find_checkpoint(target.checkpoint, target.project);
    if (!choice) return fail(choice.error());
    const Result<std::shared_ptr<const Tokenizer>> tokenizer = target_tokenizer(target, *choice);
    if (!tokenizer) return fail(tokenizer.error());
    const std::vector<std::int64_t> lengths = lengths_of(options.ask, target, *choice);
    Result<Essay> essay = essay_of(options.ask, target, *choice, lengths.back());
    if (!essay) return fail(essay.error());
    TextSources sources;
    sources.essay = std::move(essay->text);
    ScoreRecord record = new_score(family.kind, target, *choice);
    if (const Result<void> taken = take_questions(options, sources, record.settings); !taken) return taken;

    std::vector<QuestionCell> cells;
    Json names = Json::array(), new_tokens = Json::object();
    for (TextTask task : *family.tasks) {
        if (!options.tasks.empty() &&
            std::find(options.tasks.begin(), options.tasks.end(), task.id) == options.tasks.end())
            continue;
        // The port of lm-evaluation-harness divides by the number of references everywhere.
        if (options.metric == "lm-eval" && task.mark == mark_any_found) task.mark = mark_share_found;
        names.push_back(task.id);
        for (const std::int64_t length : lengths) {
            cells.push_back(text_cell(task, sources, **tokenizer, options.ask, length));
            new_tokens[task.id] = cells.back().new_tokens;
        }
    }
    record.settings.update({{"tasks", names},
                            {"lengths", lengths},
                            {"samples", options.ask.samples},
                            {"seed", options.ask.seed},
                            {"new_tokens", new_tokens},
                            {"template", family.template_id},
                            {"metric", options.metric},
                            {"tokenizer", (*tokenizer)->info().hash},
                            {"haystack", essay->source}});
    const Result<QuestionResults> results =
        ask(target, *choice, options.ask, cells, text_answers(**tokenizer, family.stop), record);
    if (!results) return fail(results.error());
    record.scores = results->scores;
    record.summary = family.averages(record.scores);
    return finish_questions(target, *choice, record, results->answers);
}

std::vector<ScoreSummary> babilong_averages(std::span<const Score> scores) {
    std::set<std::string> tasks;
    for (const Score& score : scores)
        if (score.value) tasks.insert(score.name);
    std::string name = "BABILong average";
    if (tasks.size() < babilong_tasks().size())
        name.append(" (")
            .append(std::to_string(tasks.size()))
            .append(" of ")
            .append(std::to_string(babilong_tasks().size()))
            .append(")");
    return {{.name = std::move(name), .value = mean_value(scores), .unit = "%"}};
}

std::vector<std::string> ids_of(const std::vector<TextTask>& tasks) {
    std::vector<std::string> ids;
    for (const TextTask& task : tasks) ids.push_back(task.id);
    return ids;
}

void add_long_task_options(CLI::App& verb, LongTaskOptions& options, const std::vector<TextTask>& tasks,
                           std::int64_t samples) {
    add_target_options(verb, options.target);
    add_text_options(verb, options.target);
    add_length_option(verb, options.ask);
    verb.add_option("--tasks", options.tasks, "Only these; without it all")
        ->delimiter(',')
        ->check(CLI::IsMember(ids_of(tasks)))
        ->type_name("TASK,..");
    add_haystack_option(verb, options.ask);
    add_ask_options(verb, options.ask, samples);
}

}  // namespace

void add_eval_ruler(CommandLine& line, CLI::App& eval) {
    const auto options = std::make_shared<LongTaskOptions>();
    CLI::App& verb = line.verb(
        eval,
        {.name = "ruler",
         .summary = "RULER's thirteen tasks: needles, tracing, counting words, questions",
         .example = "braid-engine eval ruler a91f --lengths 4096,8192 --tasks niah_single_1,vt --samples 50\n"
                    "braid-engine eval ruler a91f --lengths 16384 --haystack essays.txt --qa squad-dev.json "
                    "--qa hotpot-dev.json",
         .details =
             "A haystack is made so that prompt and answer just fit in the length. The structure of the "
             "tasks is RULER's, the wording Braid's own. qa_1 and qa_2 need files in the form of SQuAD "
             "and of HotpotQA; a task without data says so and counts in no average. --metric lm-eval "
             "marks questions with several references as the port of lm-evaluation-harness does."},
        [options] {
            return score(*options, {.kind = "ruler",
                                    .template_id = std::string(ruler_template_id),
                                    .tasks = &ruler_tasks(),
                                    .averages = ruler_averages});
        });
    add_long_task_options(verb, *options, ruler_tasks(), 200);
    verb.add_option("--qa", options->qa, "Questions for qa_1 (SQuAD) or qa_2 (HotpotQA); may be given twice")
        ->check(CLI::ExistingFile)
        ->allow_extra_args(false)
        ->type_name("FILE");
    verb.add_option("--metric", options->metric,
                    "ruler: any reference of a question; lm-eval: the share of them")
        ->check(CLI::IsMember({"ruler", "lm-eval"}))
        ->capture_default_str();
}

void add_eval_babilong(CommandLine& line, CLI::App& eval) {
    const auto options = std::make_shared<LongTaskOptions>();
    options->metric = "labels";
    CLI::App& verb = line.verb(
        eval,
        {.name = "babilong",
         .summary = "BABILong-type questions: facts at random gaps of a long text",
         .example = "braid-engine eval babilong a91f --lengths 1024,4096 --haystack novel.txt --samples 100",
         .details = "People move and carry objects; the question asks for a place. An answer is right if the "
                    "places in it that are not in the question are the one wanted, and no other."},
        [options] {
            return score(*options, {.kind = "babilong",
                                    .template_id = "braid-babilong-2",
                                    .tasks = &babilong_tasks(),
                                    .stop = StopAt::end_of_line,
                                    .averages = babilong_averages});
        });
    add_long_task_options(verb, *options, babilong_tasks(), 100);
}

}  // namespace braid::cli
