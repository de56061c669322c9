#include "core/measure/task_file.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/base/file.h"
#include "core/base/json_reader.h"

namespace braid {
namespace {

constexpr std::size_t most_problems = 20;

void texts(JsonReader& reader, const Json* list, const std::string& key, std::vector<std::string>& out) {
    if (list == nullptr || list->is_null()) return;
    if (!list->is_array()) {
        reader.report(reader.place(key), "must be a list of texts", *list);
        return;
    }
    for (const Json& item : *list) {
        if (item.is_string())
            out.push_back(item.get<std::string>());
        else
            reader.report(reader.place(key), "must hold texts only", item);
    }
}

void optional_text(JsonReader& reader, const std::string& key, std::string& out) {
    if (const Json* value = reader.find(key); value != nullptr && !value->is_null()) reader.text(key, out);
}

ChoiceItem choice_from(const Json& json, const std::string& place, Diagnostics& problems) {
    ChoiceItem item;
    JsonReader reader(json, place, problems);
    reader.require("context");
    reader.text("context", item.context);
    const std::size_t before = problems.size();
    texts(reader, reader.require("choices"), "choices", item.choices);
    if (problems.size() == before && item.choices.size() < 2)
        reader.report(reader.place("choices"), "must be at least two", item.choices.size());
    for (const std::string& choice : item.choices)
        if (choice.empty()) reader.report(reader.place("choices"), "must not be empty texts");
    const Json* answer = reader.require("answer");
    if (answer == nullptr || problems.size() != before) return item;
    if (answer->is_string()) {
        const auto found = std::find(item.choices.begin(), item.choices.end(), answer->get<std::string>());
        if (found == item.choices.end())
            reader.report(reader.place("answer"), "must be one of the choices, or its number from 0",
                          *answer);
        item.answer = found - item.choices.begin();
    } else {
        reader.integer("answer", item.answer, 0, static_cast<std::int64_t>(item.choices.size()) - 1);
    }
    return item;
}

ReadingItem reading_from(const Json& json, const std::string& place, Diagnostics& problems) {
    ReadingItem item;
    JsonReader reader(json, place, problems);
    reader.require("context");
    reader.text("context", item.context);
    optional_text(reader, "input", item.input);
    texts(reader, reader.require("answers"), "answers", item.references.answers);
    texts(reader, reader.find("all_classes"), "all_classes", item.references.classes);
    if (reader.is_object() && json.contains("answers") && item.references.answers.empty())
        reader.report(reader.place("answers"), "must hold an answer");
    return item;
}

template <class Item>
Result<std::vector<Item>> read_lines(const std::string& file,
                                     Item (*read)(const Json&, const std::string&, Diagnostics&)) {
    const Result<std::string> text = read_file(file);
    if (!text) return fail(text.error());
    std::vector<Item> items;
    Diagnostics problems;
    std::size_t line = 1;
    for (std::size_t at = 0; at < text->size() && problems.size() < most_problems; ++line) {
        const std::size_t end = std::min(text->find('\n', at), text->size());
        const std::string_view row = std::string_view(*text).substr(at, end - at);
        at = end + 1;
        if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        const std::string place = "line " + std::to_string(line);
        if (const Result<Json> json = parse_json(row))
            items.push_back(read(*json, place, problems));
        else
            problems.push_back({.path = place, .rule = json.error().message, .found = {}});
    }
    if (!problems.empty()) return fail(to_error(problems, file));
    if (items.empty()) return fail(ErrorKind::invalid_input, "there is no question in it", file);
    return items;
}

}  // namespace

Result<std::vector<ChoiceItem>> read_choice_file(const std::string& file) {
    return read_lines(file, choice_from);
}

Result<std::vector<ReadingItem>> read_reading_file(const std::string& file) {
    return read_lines(file, reading_from);
}

std::string task_name(const std::string& file) { return std::filesystem::path(file).stem().string(); }

Result<void> check_task_names(std::span<const std::string> files) {
    Diagnostics problems;
    std::map<std::string, std::string> known;
    for (const std::string& file : files) {
        const auto [first, fresh] = known.emplace(task_name(file), file);
        if (fresh) continue;
        std::string rule = "must be called differently: scores of both would be \"";
        problems.push_back({.path = "data",
                            .rule = rule.append(first->first).append("\""),
                            .found = first->second + " and " + file});
    }
    if (problems.empty()) return {};
    return fail(to_error(problems));
}

}  // namespace braid
