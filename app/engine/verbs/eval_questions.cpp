#include "app/engine/verbs/eval_questions.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/compute_type.h"
#include "core/base/file.h"
#include "core/record/score_draft.h"
#include "core/spec/key_tokens.h"

namespace braid::cli {
namespace {

constexpr std::int64_t default_length = 4'096;
constexpr std::size_t tail_bytes = 160;
constexpr std::int64_t bytes_of_a_token = 8;  // at most, on average: how much of a text a length can need

// The longest documents first, until there are enough bytes.
Result<std::string> corpus_text(const Corpus& corpus, std::size_t bytes) {
    const Result<std::shared_ptr<const Tokenizer>> tokenizer = corpus.tokenizer();
    if (!tokenizer) return fail(tokenizer.error());
    const Split split = corpus.documents(Split::validation).empty() ? Split::train : Split::validation;
    const auto documents = corpus.documents(split);
    std::vector<DocumentEntry> order(documents.begin(), documents.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.tokens > b.tokens; });
    std::string text;
    std::vector<std::int32_t> ids;
    for (const DocumentEntry& document : order) {
        if (text.size() >= bytes) break;
        ids.resize(static_cast<std::size_t>(document.tokens));
        corpus.read(split, static_cast<std::int64_t>(document.offset), ids);
        text.append((*tokenizer)->decode(ids)).append("\n");
    }
    return text;
}

// Of the weights: a checkpoint that was written anew gives other answers.
std::string weights_stamp(const CheckpointChoice& choice) {
    std::error_code ignored;
    const std::filesystem::path file = choice.origin.folder + "/model.safetensors";
    const auto written = std::filesystem::last_write_time(file, ignored).time_since_epoch().count();
    return std::to_string(std::filesystem::file_size(file, ignored)) + "/" + std::to_string(written);
}

Result<void> check_any(std::span<const QuestionCell> cells) {
    if (std::any_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.no_data.empty(); }))
        return {};
    std::set<std::string> reasons;
    for (const QuestionCell& cell : cells) reasons.insert(cell.task + ": " + cell.no_data);
    std::string message;
    for (const std::string& reason : reasons) message.append(message.empty() ? "" : "\n").append(reason);
    return fail(ErrorKind::invalid_input, message.empty() ? "nothing was asked for" : message);
}

// What a map of values does not tell; empty where every question was asked and answered in full.
std::string shortfall(const ScoreRecord& record) {
    std::int64_t samples = 0, truncated = 0, left_out = 0;
    for (const Score& score : record.scores) {
        samples += score.samples;
        truncated += score.truncated;
        left_out += score.left_out;
    }
    std::string text;
    if (truncated > 0)
        text.append(with_commas(truncated))
            .append(" of ")
            .append(with_commas(samples))
            .append(
                " samples are truncated: their text was cut, or the answer reached its limit of tokens\n");
    if (left_out > 0) text.append(with_commas(left_out)).append(" questions did not fit and were left out\n");
    return text;
}

}  // namespace

void add_ask_options(CLI::App& verb, AskOptions& options, std::int64_t samples) {
    options.samples = samples;
    verb.add_option("--samples", options.samples,
                    samples > 0 ? "Questions of each kind" : "Questions of each file, at most; 0: all")
        ->check(CLI::Range(samples > 0 ? 1 : 0, 1'000'000))
        ->capture_default_str();
    verb.add_option("--seed", options.seed, "Of the questions")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 53))
        ->capture_default_str();
    verb.add_option("--batch", options.batch, "Answers generated at once, at most")
        ->check(CLI::Range(1, 65'536))
        ->capture_default_str();
    verb.add_option("--memory", options.memory,
                    "MiB that the states of a batch may take (1024; 4096 on a GPU)")
        ->check(CLI::Range(1, 1 << 20));
    verb.add_option("--new-tokens", options.new_tokens, "Tokens of an answer, at most; without it the task's")
        ->check(CLI::Range(1, 65'536));
}

void add_length_option(CLI::App& verb, AskOptions& options) {
    verb.add_option("--lengths", options.lengths,
                    "Tokens of prompt and answer; without it the context of the training")
        ->delimiter(',')
        ->check(CLI::Range(std::int64_t{1}, longest_read_text))
        ->type_name("N,N,..");
}

void add_haystack_option(CLI::App& verb, AskOptions& options) {
    verb.add_option("--haystack", options.haystack,
                    "Text to hide things in; without it the longest validation documents of the corpus")
        ->check(CLI::ExistingFile)
        ->type_name("FILE");
}

std::vector<std::int64_t> lengths_of(const AskOptions& options, const EvalTarget& target,
                                     const CheckpointChoice& choice) {
    std::vector<std::int64_t> lengths = options.lengths;
    if (lengths.empty()) lengths = {trained_context(choice).value_or(default_length)};
    std::sort(lengths.begin(), lengths.end());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    warn_of_length(target, choice, lengths.back());
    return lengths;
}

Result<Essay> essay_of(const AskOptions& options, const EvalTarget& target, const CheckpointChoice& choice,
                       std::int64_t longest) {
    const auto bytes = static_cast<std::size_t>(longest * bytes_of_a_token);
    Essay essay;
    if (!options.haystack.empty()) {
        Result<std::string> text = read_file(options.haystack);
        if (!text) return fail(text.error());
        if (std::all_of(text->begin(), text->end(), [](unsigned char c) { return std::isspace(c) != 0; }))
            return fail(ErrorKind::invalid_input, "there is no text in it", options.haystack);
        essay.text = std::move(*text);
        essay.source = {{"file", std::filesystem::path(options.haystack).filename().string()},
                        {"hash", content_hash(std::string_view(essay.text))}};
        return essay;
    }
    const std::string folder = target.corpus.empty() ? corpus_of(choice) : target.corpus;
    if (folder.empty()) return essay;
    const Result<Corpus> corpus = Corpus::open(folder);
    if (!corpus) return fail(corpus.error());
    Result<std::string> text = corpus_text(*corpus, bytes);
    if (!text) return fail(text.error());
    essay.text = std::move(*text);
    if (!essay.text.empty())
        essay.source = {{"corpus", std::filesystem::path(folder).filename().string()},
                        {"hash", corpus->manifest().hash}};
    return essay;
}

std::vector<std::int32_t> prompt_tokens(const Tokenizer& tokenizer, const std::string& prompt) {
    std::vector<std::int32_t> ids;
    if (const std::int32_t opening = tokenizer.info().document_token(); opening >= 0) ids.push_back(opening);
    tokenizer.encode(prompt, SpecialText::as_text, ids);
    return ids;
}

std::string prompt_tail(const std::string& prompt) {
    if (prompt.size() <= tail_bytes) return prompt;
    std::size_t begin = prompt.size() - tail_bytes;
    while (begin < prompt.size() && (static_cast<unsigned char>(prompt[begin]) & 0xC0U) == 0x80U) ++begin;
    return prompt.substr(begin);
}

QuestionCell text_cell(const TextTask& task, const TextSources& sources, const Tokenizer& tokenizer,
                       const AskOptions& options, std::int64_t length, std::optional<double> depth) {
    // The task with the answer's length that was asked for: sizes depend on it.
    auto own = std::make_shared<TextTask>(task);
    if (options.new_tokens > 0) own->new_tokens = options.new_tokens;
    QuestionCell cell{.task = task.id,
                      .length = length,
                      .depth = depth,
                      .samples = options.samples,
                      .new_tokens = own->new_tokens,
                      .no_data = task.missing(sources)};
    if (!cell.no_data.empty()) return cell;
    const auto sizer = std::make_shared<TextSizer>(*own, [&tokenizer](const std::string& text) {
        return static_cast<std::int64_t>(prompt_tokens(tokenizer, text).size());
    });
    const auto seed = static_cast<std::uint64_t>(options.seed);
    cell.make = [own, sizer, &sources, &tokenizer, length, seed,
                 depth](std::int64_t index) -> Result<AskedQuestion> {
        Result<TextQuestion> question = sizer->question(
            {.sources = sources, .length = length, .seed = seed, .index = index, .depth = depth});
        if (!question) return fail(question.error());
        AskedQuestion asked{.prompt = prompt_tokens(tokenizer, question->prompt),
                            .expected = question->expected,
                            .depth = question->depth,
                            .tail = prompt_tail(question->prompt)};
        question->prompt.clear();
        asked.mark = [mark = own->mark, question = std::move(*question)](const std::string& answer) {
            return mark(answer, question);
        };
        return asked;
    };
    // A question of users may be longer than the others: there is no data only where none of them fits.
    std::string reason;
    for (std::int64_t index = 0; index < cell.samples && !stop_requested().load(); ++index) {
        const Result<AskedQuestion> question = cell.make(index);
        if (question) return cell;
        if (reason.empty()) reason = question.error().message;
    }
    if (reason.starts_with(task.id + ": ")) reason.erase(0, task.id.size() + 2);
    cell.no_data = reason;
    return cell;
}

Result<QuestionResults> ask(const EvalTarget& target, const CheckpointChoice& choice,
                            const AskOptions& options, std::span<const QuestionCell> cells,
                            QuestionOptions how, ScoreRecord& record) {
    if (const Result<void> possible = check_any(cells); !possible) return fail(possible.error());
    const Result<std::unique_ptr<Model>> model = open_target(target, choice);
    if (!model) return fail(model.error());
    const std::string compute_type = compute_type_of(**model);
    record.settings["compute_type"] = compute_type;
    Result<ScoreDraft> draft =
        ScoreDraft::open(scores_folder(choice), score_id(record), weights_stamp(choice) + "/" + compute_type);
    if (!draft) return fail(draft.error());
    Progress bar(target.quiet);
    if (!draft->known().empty())
        bar.say("Going on behind " + std::to_string(draft->known().size()) +
                " answers of an interrupted call.");
    how.known = draft->known();
    how.keep = [&draft](std::span<const ScoreAnswer> answers) { return draft->append(answers); };
    how.most_sequences = options.batch;
    how.state_bytes = options.memory << 20U;
    how.go_on = [&](std::int64_t done, std::int64_t all) {
        bar.update(double(done) / double(std::max<std::int64_t>(1, all)),
                   record.kind + ": " + std::to_string(done) + " of " + std::to_string(all) + " answers");
        return !stop_requested().load();
    };
    Result<QuestionResults> results = ask_questions(**model, cells, how);
    if (!results && results.error().kind == ErrorKind::interrupted) {
        Error error = results.error();
        error.hint = "The answers so far are kept: the same command goes on behind them";
        return fail(std::move(error));
    }
    if (results)
        for (const Score& score : results->scores)
            if (score.left_out > 0) {
                std::string line = score.name;
                if (score.length) line.append(" at ").append(std::to_string(*score.length));
                bar.say(line.append(": ")
                            .append(std::to_string(score.left_out))
                            .append(" questions do not fit and were left out."));
            }
    return results;
}

Result<void> finish_questions(const EvalTarget& target, const CheckpointChoice& choice,
                              const ScoreRecord& record, std::span<const ScoreAnswer> answers,
                              const std::string& text) {
    // A table has columns for them.
    const std::string shown = text.empty() ? text : text + shortfall(record);
    if (Result<void> finished = finish_score(target, choice, record, answers, shown); !finished)
        return finished;
    ScoreDraft::remove(scores_folder(choice), score_id(record));
    return {};
}

std::optional<double> mean_value(std::span<const Score> scores) {
    double sum = 0;
    std::int64_t count = 0;
    for (const Score& score : scores)
        if (score.value) {
            sum += *score.value;
            ++count;
        }
    return count > 0 ? std::optional(sum / double(count)) : std::nullopt;
}

}  // namespace braid::cli
