#include "app/engine/cli/settings.h"

#include <filesystem>

#include "core/data/corpus_source.h"
#include "core/data/task.h"

namespace braid::cli {
namespace {

constexpr std::string_view data_prefix = "data.";

const ParameterDescription* find_key(const std::vector<ParameterDescription>& descriptions,
                                     std::string_view key) {
    for (const ParameterDescription& description : descriptions)
        if (description.key == key) return &description;
    return nullptr;
}

std::string known_keys(const std::vector<ParameterDescription>& descriptions, std::string_view prefix) {
    std::string keys;
    for (const ParameterDescription& description : descriptions)
        keys += (keys.empty() ? "" : ", ") + std::string(prefix) + description.key;
    return keys;
}

}  // namespace

std::string task_ids() {
    std::string ids;
    for (const TaskKind* task : tasks()) ids += (ids.empty() ? "" : ", ") + task->id;
    return ids;
}

Diagnostics apply_settings(const std::vector<std::string>& settings, TrainingSpec& training, DataSpec& data) {
    Diagnostics problems;
    const TaskKind* task = find_task(data.kind);
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos || equals == 0) {
            problems.push_back({.path = "--set", .rule = "must be key=value", .found = setting});
            continue;
        }
        const std::string key = setting.substr(0, equals);
        const std::string text = setting.substr(equals + 1);
        const bool of_data = key.starts_with(data_prefix);
        const auto& descriptions = !of_data          ? training_parameters()
                                   : task == nullptr ? corpus_parameters()
                                                     : task->parameters;
        const std::string name = of_data ? key.substr(data_prefix.size()) : key;
        const ParameterDescription* description = find_key(descriptions, name);
        if (description == nullptr) {
            problems.push_back(
                {.path = "--set " + key,
                 .rule = "is not known; known are " + known_keys(descriptions, of_data ? data_prefix : ""),
                 .found = text});
            continue;
        }
        Checked<ParameterValue> value = parse_parameter(*description, text, "--set " + key);
        if (!value)
            problems.insert(problems.end(), value.error().begin(), value.error().end());
        else if (of_data)
            data.parameters.set(name, std::move(*value));
        else
            set_training_value(training, name, *value);
    }
    return problems;
}

std::string settings_help() {
    std::string text = "Keys of --set and their defaults:\n";
    for (const ParameterDescription& description : training_parameters())
        text += "  " + description.key + "=" + to_text(description.default_value) + "   " + description.help +
                "\n";
    for (const TaskKind* task : tasks())
        for (const ParameterDescription& description : task->parameters)
            text += "  data." + description.key + "=" + to_text(description.default_value) + "   (" +
                    task->id + ") " + description.help + "\n";
    for (const ParameterDescription& description : corpus_parameters())
        text += "  data." + description.key + "=" + to_text(description.default_value) + "   (corpus) " +
                description.help + "\n";
    text.pop_back();
    return text;
}

Checked<DataSpec> parse_data(const std::string& text) {
    if (find_task(text) != nullptr) return DataSpec{.kind = text};
    std::error_code ignored;
    if (std::filesystem::is_directory(text, ignored))
        return DataSpec{.kind = "corpus", .corpus = std::filesystem::absolute(text, ignored).string()};
    return tl::unexpected<Diagnostics>({{.path = "--data",
                                         .rule = "must be a task (" + task_ids() + ") or a corpus folder",
                                         .found = text}});
}

}  // namespace braid::cli
