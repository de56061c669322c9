#include <set>

#include "app/engine/cli/description.h"

namespace braid::cli {
namespace {

void each_verb(const VerbDescription& verb, const std::function<void(const VerbDescription&)>& visit) {
    visit(verb);
    for (const VerbDescription& inner : verb.verbs) each_verb(inner, visit);
}

std::string words_of(const VerbDescription& verb) {
    std::string words;
    for (const VerbDescription& inner : verb.verbs) words += inner.name + " ";
    for (const OptionDescription& option : verb.options)
        for (const std::string& flag : option.flags) words += flag + " ";
    if (!words.empty()) words.pop_back();
    return words;
}

bool takes(const VerbDescription& verb, const std::string& argument) {
    for (const OptionDescription& option : verb.options)
        if (option.flags.empty() && option.argument == argument) return true;
    return false;
}

// Both bash and zsh (through bashcompinit): which verb the words name, then its verbs and flags, its choices,
// or the runs and documents of the nearest project.
std::string bash_script(const VerbDescription& root) {
    std::string paths = "' '", words, choices, runs = "' '", studies = "' '";  // ' ' names no verb
    std::set<std::string> flags_with_choices;
    each_verb(root, [&](const VerbDescription& verb) {
        if (!verb.path.empty()) paths += "|'" + verb.path + "'";
        words += "        '" + verb.path + "') words='" + words_of(verb) + "' ;;\n";
        if (takes(verb, "RUN")) runs += "|'" + verb.path + "'";
        if (takes(verb, "STUDY")) studies += "|'" + verb.path + "'";
        for (const OptionDescription& option : verb.options)
            for (const std::string& flag : option.flags)
                if (!option.choices.empty() && flags_with_choices.insert(flag).second) {
                    choices += "        " + flag + ") words='";
                    for (const std::string& choice : option.choices) choices += choice + " ";
                    choices.back() = '\'';
                    choices += " ;;\n";
                }
    });
    return "# Completion of braid-engine; made by: braid-engine completion bash\n"
           "_braid_engine_project() {\n"
           "    local folder=$PWD\n"
           "    while [[ -n $folder && ! -e $folder/project.json ]]; do folder=${folder%/*}; done\n"
           "    printf '%s' \"$folder\"\n"
           "}\n"
           "_braid_engine() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb= words= i "
           "file\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        case \"${verb:+$verb }${COMP_WORDS[i]}\" in\n            " +
           paths +
           ") verb=\"${verb:+$verb }${COMP_WORDS[i]}\" ;;\n"
           "        esac\n"
           "    done\n"
           "    case $verb in\n" +
           words +
           "    esac\n"
           "    if [[ $current != -* ]]; then\n"
           "        local folder; folder=$(_braid_engine_project)\n"
           "        case $verb in\n            " +
           runs +
           ")\n"
           "                for file in \"$folder\"/runs/*/plan.json; do\n"
           "                    [[ -e $file ]] && file=${file%/plan.json} && words+=\" ${file##*/}\"\n"
           "                done ;;\n            " +
           studies +
           ")\n"
           "                for file in \"$folder\"/studies/*.json; do\n"
           "                    [[ -e $file ]] && file=${file##*/} && words+=\" ${file%.json}\"\n"
           "                done ;;\n"
           "        esac\n"
           "    fi\n"
           "    case $previous in\n" +
           choices +
           "        --project|--out|--data) COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n"
           "    esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "    if [[ ${#COMPREPLY[@]} -eq 0 && $current != -* ]]; then\n"
           "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
           "    fi\n"
           "}\n";
}

std::string fish_quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return quoted + "'";
}

std::string fish_script(const VerbDescription& root) {
    std::string script = "# Completion of braid-engine; made by: braid-engine completion fish\n";
    each_verb(root, [&](const VerbDescription& verb) {
        std::string condition;
        for (std::size_t at = 0; at < verb.path.size();) {
            const std::size_t end = std::min(verb.path.find(' ', at), verb.path.size());
            condition += (condition.empty() ? "" : "; and ") +
                         ("__fish_seen_subcommand_from " + verb.path.substr(at, end - at));
            at = end + 1;
        }
        if (condition.empty()) condition = "__fish_use_subcommand";
        const std::string head = "complete -c braid-engine -n " + fish_quoted(condition);
        for (const VerbDescription& inner : verb.verbs) {
            const std::string here =
                verb.path.empty()
                    ? condition
                    : condition + "; and not __fish_seen_subcommand_from " + words_of({.verbs = verb.verbs});
            script += "complete -c braid-engine -n " + fish_quoted(here) + " -f -a " + inner.name + " -d " +
                      fish_quoted(inner.text.summary) + "\n";
        }
        for (const OptionDescription& option : verb.options) {
            if (option.flags.empty()) continue;
            script += head;
            for (const std::string& flag : option.flags)
                script += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
            if (!option.argument.empty()) script += " -r";
            if (!option.choices.empty()) {
                std::string all;
                for (const std::string& choice : option.choices) all += (all.empty() ? "" : " ") + choice;
                script += " -f -a " + fish_quoted(all);
            }
            script += " -d " + fish_quoted(option.help) + "\n";
        }
    });
    return script;
}

}  // namespace

std::string completion_script(const VerbDescription& root, const std::string& shell) {
    if (shell == "bash") return bash_script(root) + "complete -F _braid_engine braid-engine\n";
    if (shell == "zsh")
        return "#compdef braid-engine\nautoload -Uz bashcompinit && bashcompinit\n" + bash_script(root) +
               "complete -F _braid_engine braid-engine\n";
    if (shell == "fish") return fish_script(root);
    return {};
}

}  // namespace braid::cli
