#include "app/engine/cli/description.h"

namespace braid::cli {
namespace {

// "{auto,cpu,cuda}" as CLI11 writes a set of choices into the type name: the only place where it keeps them.
std::vector<std::string> choices_in(const std::string& type) {
    std::vector<std::string> choices;
    const std::size_t open = type.find('{');
    const std::size_t close = type.find('}', open == std::string::npos ? 0 : open);
    if (open == std::string::npos || close == std::string::npos) return choices;
    for (std::size_t at = open + 1; at < close;) {
        const std::size_t end = std::min(type.find(',', at), close);
        choices.push_back(type.substr(at, end - at));
        at = end + 1;
    }
    return choices;
}

OptionDescription describe_option(const CLI::Option& option) {
    OptionDescription made{.help = option.get_description(), .required = option.get_required()};
    const bool is_switch = option.get_items_expected_max() == 0;
    if (option.get_positional()) {
        made.argument = option.get_name(true, false);
    } else {
        for (const std::string& name : option.get_snames()) made.flags.push_back("-" + name);
        for (const std::string& name : option.get_lnames()) made.flags.push_back("--" + name);
        if (!is_switch) {
            made.choices = choices_in(option.get_type_name());
            made.argument = option.get_type_name().substr(0, option.get_type_name().find(':'));
            if (!made.choices.empty() || made.argument.empty()) made.argument = "VALUE";
        }
    }
    made.repeated = option.get_items_expected_max() > 1;
    return made;
}

VerbDescription describe_app(const CommandLine& line, const CLI::App& app, const std::string& parent) {
    VerbDescription verb{.name = app.get_name()};
    const bool is_root = app.get_parent() == nullptr;
    if (!is_root) verb.path = parent.empty() ? verb.name : parent + " " + verb.name;
    if (const VerbText* text = line.text_of(app))
        verb.text = *text;
    else
        verb.text = {.name = verb.name, .summary = app.get_description(), .example = {}};
    for (const CLI::Option* option : app.get_options())
        if (!option->get_lnames().empty() || option->get_positional() || !option->get_snames().empty())
            verb.options.push_back(describe_option(*option));
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        verb.verbs.push_back(describe_app(line, *sub, verb.path));
    return verb;
}

}  // namespace

VerbDescription describe_verbs(const CommandLine& line) {
    return describe_app(line, const_cast<CommandLine&>(line).root(), "");
}

std::string usage(const VerbDescription& verb) {
    std::string text = "braid-engine" + (verb.path.empty() ? "" : " " + verb.path);
    for (const OptionDescription& option : verb.options) {
        if (!option.flags.empty()) continue;
        const std::string name = option.argument + (option.repeated ? "..." : "");
        text += option.required ? " " + name : " [" + name + "]";
    }
    text += verb.verbs.empty() ? " [OPTIONS]" : " VERB";
    return text;
}

}  // namespace braid::cli
