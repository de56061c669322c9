#include "core/spec/data_kinds.h"

#include <algorithm>

#include "core/spec/task_kind.h"

namespace braid {
namespace {

std::string known_kinds() {
    std::string list;
    for (const TaskKind* task : tasks()) list += task->id + ", ";
    return list + std::string(corpus_kind);
}

}  // namespace

const std::vector<ParameterDescription>* data_parameters(const std::string& kind) {
    if (kind == corpus_kind) return &corpus_parameters();
    const TaskKind* task = find_task(kind);
    return task == nullptr ? nullptr : &task->parameters;
}

const std::vector<ParameterDescription>& corpus_parameters() {
    static const std::vector<ParameterDescription> descriptions = {
        {.key = "evaluation_tokens",
         .label = "Validation tokens",
         .unit = "tokens",
         .help = "Tokens of the validation split on which the loss is measured.",
         .default_value = std::int64_t{65'536},
         .minimum = 1,
         .maximum = 1e9},
        {.key = "pools",
         .label = "Documents",
         .help = "all: as they come; mixed: long and short documents by a share of the tokens.",
         .default_value = std::string("all"),
         .choices = {"all", "mixed"}},
        {.key = "long_share",
         .label = "Long share",
         .help = "Share of the tokens that come from long documents.",
         .default_value = 0.5,
         .minimum = 0,
         .maximum = 1,
         .only_if = "pools=mixed"},
        {.key = "separate",
         .label = "Separate documents",
         .help = "A token sees its own document alone: attention stops at the beginning of a document, and "
                 "recurrent states start anew there.",
         .default_value = false},
        {.key = "key_tokens",
         .label = "Key tokens",
         .help = "File of key tokens (eval keys makes it): each evaluation then scores log LongPPL.",
         .default_value = std::string()},
    };
    return descriptions;
}

Diagnostics check_corpus_parameters(const ParameterValues& values) {
    if (values.find("long_share") == nullptr || values.text("pools", corpus_parameters()) == "mixed")
        return {};
    return {{.path = "data.long_share",
             .rule = "has an effect with pools=mixed only",
             .found = to_text(*values.find("long_share"))}};
}

Diagnostics validate(const DataSpec& data, const TrainingSpec& training) {
    Diagnostics problems;
    const std::vector<ParameterDescription>* descriptions = data_parameters(data.kind);
    if (descriptions == nullptr) {
        problems.push_back(
            {.path = "data.kind", .rule = "must be one of " + known_kinds(), .found = data.kind});
        return problems;
    }
    for (const auto& [key, value] : data.parameters) {
        const auto description = std::find_if(descriptions->begin(), descriptions->end(),
                                              [&name = key](const auto& one) { return one.key == name; });
        if (description == descriptions->end())
            problems.push_back({.path = "data." + key,
                                .rule = "is not a parameter of " + data.kind,
                                .found = to_text(value)});
        else if (std::optional<Diagnostic> problem = check_parameter(*description, value, "data." + key))
            problems.push_back(std::move(*problem));
    }
    if (data.kind == corpus_kind) {
        if (data.corpus.empty())
            problems.push_back(
                {.path = "data.corpus", .rule = "must name the folder of a corpus", .found = ""});
        if (problems.empty()) problems = check_corpus_parameters(data.parameters);
        return problems;
    }
    if (!problems.empty()) return problems;
    return find_task(data.kind)->check(data.parameters, training.context);
}

}  // namespace braid
