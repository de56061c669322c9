#include "core/record/score.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/record/record_files.h"
#include "core/record/record_json.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_problems = 50;  // of a file of answers

constexpr std::array kinds = {
    ScoreKind{"loss", "Validation loss"},
    ScoreKind{"longppl", "LongPPL"},
    ScoreKind{"niah", "Needle in a haystack"},
    ScoreKind{"ruler", "RULER"},
    ScoreKind{"babilong", "BABILong"},
    ScoreKind{"choices", "Multiple choice"},
    ScoreKind{"longbench", "LongBench-type tasks"},
};

void read_length(JsonReader& reader, std::optional<std::int64_t>& length) {
    if (reader.find("length") == nullptr) return;
    std::int64_t read = 0;
    reader.integer("length", read, 1);
    if (read > 0) length = read;
}

void read_share(JsonReader& reader, const std::string& key, std::optional<double>& value) {
    read_optional(reader, key, value);
    if (value && !(*value >= 0 && *value <= 1)) {
        reader.report(reader.place(key), "must be from 0 to 1", *value);
        value.reset();
    }
}

Json to_json(const Score& score) {
    Json json = {{"name", score.name},           {"value", finite_json(score.value)},
                 {"unit", score.unit},           {"samples", score.samples},
                 {"truncated", score.truncated}, {"standard_error", finite_json(score.standard_error)}};
    if (score.length) json["length"] = *score.length;
    if (score.depth) json["depth"] = *score.depth;
    if (!score.no_data.empty()) json["no_data"] = score.no_data;
    if (score.left_out > 0) json["left_out"] = score.left_out;
    return json;
}

Score score_from(const Json& json, const std::string& place, Diagnostics& problems) {
    Score score;
    JsonReader reader(json, place, problems);
    reader.require("name");
    reader.text("name", score.name);
    read_length(reader, score.length);
    read_share(reader, "depth", score.depth);
    read_optional(reader, "value", score.value);
    reader.text("unit", score.unit);
    reader.integer("samples", score.samples, 0);
    reader.integer("truncated", score.truncated, 0);
    read_optional(reader, "standard_error", score.standard_error);
    reader.text("no_data", score.no_data);
    reader.integer("left_out", score.left_out, 0);
    reader.refuse_unknown_keys();
    return score;
}

}  // namespace

Json to_json(const ScoreSummary& summary) {
    return {{"name", summary.name}, {"value", finite_json(summary.value)}, {"unit", summary.unit}};
}

ScoreSummary summary_from_json(const Json& json, const std::string& place, Diagnostics& problems) {
    ScoreSummary summary;
    JsonReader reader(json, place, problems);
    reader.require("name");
    reader.text("name", summary.name);
    read_optional(reader, "value", summary.value);
    reader.text("unit", summary.unit);
    reader.refuse_unknown_keys();
    return summary;
}

namespace {

// The lists of a series with their names; said once.
constexpr std::array<std::pair<const char*, std::vector<double> LossSeries::*>, 5> series_lists = {{
    {"position", &LossSeries::position},
    {"loss", &LossSeries::loss},
    {"standard_error", &LossSeries::standard_error},
    {"difference", &LossSeries::difference},
    {"difference_error", &LossSeries::difference_error},
}};

Json to_json(const LossSeries& series) {
    Json json = Json::object();
    for (const auto& [key, list] : series_lists) {
        if ((series.*list).empty() && list != &LossSeries::position && list != &LossSeries::loss) continue;
        json[key] = numbers_json(series.*list);
    }
    return json;
}

LossSeries series_from(const Json& json, Diagnostics& problems) {
    LossSeries series;
    JsonReader reader(json, "series", problems);
    reader.require("position");
    reader.require("loss");
    for (const auto& [key, list] : series_lists) {
        read_numbers(reader, key, series.*list);
        const std::size_t size = (series.*list).size();
        if (size != series.position.size() && size > 0)
            reader.report(
                reader.place(key),
                "must have as many numbers as position (" + std::to_string(series.position.size()) + ")",
                size);
    }
    if (series.loss.size() != series.position.size() && series.loss.empty())
        reader.report("series.loss", "must have as many numbers as position");
    reader.refuse_unknown_keys();
    return series;
}

}  // namespace

std::span<const ScoreKind> score_kinds() { return kinds; }

const ScoreKind* find_score_kind(std::string_view id) {
    const auto* found =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.id == id; });
    return found == kinds.end() ? nullptr : found;
}

Json to_json(const ScoreRecord& record) {
    Json json = head_json(score_schema_version, record);
    json["scores"] = json["summary"] = Json::array();
    for (const Score& score : record.scores) json["scores"].push_back(to_json(score));
    for (const ScoreSummary& one : record.summary) json["summary"].push_back(to_json(one));
    if (record.series) json["series"] = to_json(*record.series);
    if (!record.answers.empty()) json["answers"] = record.answers;
    return json;
}

Checked<ScoreRecord> score_from_json(const Json& json) {
    Diagnostics problems;
    ScoreRecord record;
    JsonReader reader(json, "", problems);
    if (!reader.is_object() || !reader.schema_version(score_schema_version))
        return tl::unexpected(std::move(problems));
    std::vector<std::string_view> ids;
    for (const ScoreKind& kind : kinds) ids.push_back(kind.id);
    read_head(reader, ids, record);
    reader.require("scores");
    each_item(reader, "scores", [&](const Json& item, const std::string& place) {
        record.scores.push_back(score_from(item, place, problems));
    });
    each_item(reader, "summary", [&](const Json& item, const std::string& place) {
        record.summary.push_back(summary_from_json(item, place, problems));
    });
    if (const Json* series = reader.find("series")) record.series = series_from(*series, problems);
    reader.text("answers", record.answers);
    if (!record.answers.empty() && !is_plain_name(record.answers))
        reader.report("answers", "must be the name of a file in the same folder", record.answers);
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return record;
}

std::string score_id(const ScoreRecord& record) {
    return record_id(record.checkpoint.step, record.kind, record.settings);
}

std::string score_settings_hash(const ScoreRecord& record) { return settings_hash(record.settings); }

std::string score_metric(std::string_view kind, std::string_view summary_name) {
    std::string slug("score/");
    slug.append(kind).append("/");
    const std::size_t start = slug.size();
    for (const char c : summary_name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            slug.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
        else if (c == '<')
            slug.append(slug.size() > start && slug.back() != '-' ? "-up-to" : "up-to");
        else if (c == '>')
            slug.append(slug.size() > start && slug.back() != '-' ? "-above" : "above");
        else if (slug.size() > start && slug.back() != '-')
            slug.push_back('-');
    }
    while (slug.size() > start && slug.back() == '-') slug.pop_back();
    return slug;
}

Json to_json(const ScoreAnswer& answer) {
    Json json = {
        {"task", answer.task},         {"index", answer.index},   {"prompt_tail", answer.prompt_tail},
        {"expected", answer.expected}, {"answer", answer.answer}, {"correct", answer.correct}};
    if (answer.length) json["length"] = *answer.length;
    if (answer.depth) json["depth"] = *answer.depth;
    if (answer.actual_depth) json["actual_depth"] = *answer.actual_depth;
    if (answer.truncated) json["truncated"] = true;
    return json;
}

Checked<ScoreAnswer> answer_from_json(const Json& json) {
    Diagnostics problems;
    ScoreAnswer answer;
    JsonReader reader(json, "", problems);
    reader.text("task", answer.task);
    read_length(reader, answer.length);
    read_share(reader, "depth", answer.depth);
    read_share(reader, "actual_depth", answer.actual_depth);
    reader.integer("index", answer.index, 0);
    reader.text("prompt_tail", answer.prompt_tail);
    read_texts(reader, "expected", answer.expected);
    if (reader.require("answer") != nullptr) reader.text("answer", answer.answer);
    std::optional<double> correct;
    reader.require("correct");
    read_share(reader, "correct", correct);
    answer.correct = correct.value_or(0);
    reader.flag("truncated", answer.truncated);
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return answer;
}

Result<ScoreRecord> read_score(const std::string& file) {
    return read_record<ScoreRecord>(file, score_from_json);
}

Result<std::string> write_score(const std::string& folder, ScoreRecord record,
                                std::span<const ScoreAnswer> answers) {
    if (Result<void> made = make_folder(folder); !made) return fail(std::move(made.error()));
    std::string base = folder;
    const std::string id = score_id(record);
    base.append("/").append(id);
    record.answers = answers.empty() ? std::string() : id + ".jsonl";
    // The answers first: a score that names them finds them.
    if (!answers.empty()) {
        std::string lines;
        for (const ScoreAnswer& answer : answers)
            lines.append(to_json(answer).dump(-1, ' ', false, Json::error_handler_t::replace)).append("\n");
        if (Result<void> written = write_file_atomically(base + ".jsonl", lines); !written)
            return fail(std::move(written.error()));
    }
    if (Result<void> written = write_json_atomically(base + ".json", to_json(record)); !written)
        return fail(std::move(written.error()));
    if (answers.empty()) {
        std::error_code ignored;
        fs::remove(base + ".jsonl", ignored);
    }
    return base + ".json";
}

ScoreList read_scores(const std::string& folder) {
    ScoreList list;
    list.scores = read_records<ScoreRecord>(folder, read_score, list.problems);
    return list;
}

ScoreList read_scores(const RunFolder& run) { return read_scores(run.scores_folder()); }

Result<std::vector<ScoreAnswer>> read_answers(const ScoreRecord& record) {
    if (record.answers.empty()) return std::vector<ScoreAnswer>();
    if (!is_plain_name(record.answers))
        return fail(ErrorKind::invalid_input, "answers lie beside their score, not in " + record.answers,
                    record.file);
    const std::string file = (fs::path(record.file).parent_path() / record.answers).string();
    const Result<std::string> text = read_file(file);
    if (!text) return fail(text.error());
    std::vector<ScoreAnswer> answers;
    Diagnostics problems;
    std::size_t line = 1;
    for (std::size_t at = 0; at < text->size() && problems.size() < most_problems; ++line) {
        const std::size_t end = std::min(text->find('\n', at), text->size());
        const std::string_view row = std::string_view(*text).substr(at, end - at);
        at = end + 1;
        if (row.empty()) continue;
        const std::string place = "line " + std::to_string(line);
        const Result<Json> json = parse_json(row);
        if (!json) {
            problems.push_back({.path = place, .rule = json.error().message, .found = {}});
            continue;
        }
        Checked<ScoreAnswer> answer = answer_from_json(*json);
        if (answer) answers.push_back(std::move(*answer));
        for (Diagnostic& problem : answer ? Diagnostics{} : std::move(answer.error())) {
            problem.path = problem.path.empty() ? place : place + ": " + problem.path;
            problems.push_back(std::move(problem));
        }
    }
    if (problems.empty()) return answers;
    Error error = to_error(problems, file);
    error.kind = ErrorKind::corrupt;
    return fail(std::move(error));
}

}  // namespace braid
