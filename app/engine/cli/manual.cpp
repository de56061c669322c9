#include "app/engine/cli/description.h"
#include "app/engine/cli/version.h"

namespace braid::cli {
namespace {

// Text for roff: no line begins with a control character, dashes stay dashes.
std::string roff(const std::string& text) {
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if ((c == '.' || c == '\'') && (i == 0 || text[i - 1] == '\n')) made += "\\&";
        if (c == '\\')
            made += "\\e";
        else if (c == '-')
            made += "\\-";
        else
            made += c;
    }
    return made;
}

std::string option_text(const OptionDescription& option) {
    std::string flags;
    for (const std::string& flag : option.flags) flags += (flags.empty() ? "" : ", ") + flag;
    if (flags.empty()) flags = option.argument;
    std::string values;
    for (const std::string& choice : option.choices) values += (values.empty() ? "" : "|") + choice;
    if (!option.flags.empty() && !option.argument.empty())
        flags += " " + (values.empty() ? option.argument : values);
    return ".TP\n.B " + roff(flags) + "\n" + roff(option.help) + "\n";
}

std::string page_title(const VerbDescription& verb) {
    std::string title = "braid-engine" + (verb.path.empty() ? "" : "-" + verb.path);
    for (char& c : title)
        if (c == ' ') c = '-';
    return title;
}

}  // namespace

std::string man_page_name(const VerbDescription& verb) { return page_title(verb) + ".1"; }

std::string man_page(const VerbDescription& verb) {
    std::string page = ".TH " + page_title(verb) + " 1 \"\" \"Braid " + braid_version() + "\" \"Braid\"\n" +
                       ".SH NAME\n" + page_title(verb) + " \\- " + roff(verb.text.summary) + "\n" +
                       ".SH SYNOPSIS\n.B " + roff(usage(verb)) + "\n";
    if (!verb.text.details.empty()) page += ".SH DESCRIPTION\n" + roff(verb.text.details) + "\n";
    if (!verb.options.empty()) page += ".SH OPTIONS\n";
    for (const OptionDescription& option : verb.options) page += option_text(option);
    if (!verb.verbs.empty()) page += ".SH VERBS\n";
    for (const VerbDescription& inner : verb.verbs) {
        page += ".TP\n.B " + roff(usage(inner)) + "\n" + roff(inner.text.summary) + "\n";
        for (const VerbDescription& deeper : inner.verbs)
            page += ".RS\n.TP\n.B " + roff(usage(deeper)) + "\n" + roff(deeper.text.summary) + "\n.RE\n";
    }
    if (!verb.text.example.empty()) page += ".SH EXAMPLES\n.nf\n" + roff(verb.text.example) + "\n.fi\n";
    page +=
        ".SH EXIT STATUS\n0 done; 1 failed; 2 invalid input (also what is not there, or is damaged), every "
        "problem listed; 130 interrupted with the work saved.\n";
    return page;
}

}  // namespace braid::cli
