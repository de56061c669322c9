#include "app/engine/cli/command_line.h"

#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "app/engine/cli/output.h"
#include "app/engine/cli/version.h"

#include "core/spec/parameter.h"

namespace braid::cli {

ExitCode exit_code(const Error& error) {
    switch (error.kind) {
        // What was named is not there, or is not what it should be: the input was wrong.
        case ErrorKind::invalid_input:
        case ErrorKind::not_found:
        case ErrorKind::corrupt:
            return ExitCode::invalid;
        case ErrorKind::interrupted:
            return ExitCode::interrupted;
        default:
            return ExitCode::failed;
    }
}

void print_error(const Error& error) {
    const std::string text = "braid-engine: " + describe(error) + "\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
}

CommandLine::CommandLine()
    : root_(std::make_unique<CLI::App>("Trains, measures and compares hybrid-attention language models.",
                                       "braid-engine")) {
    root_->set_version_flag("--version", version_text, "Version, commit, LibTorch and CUDA");
    root_->require_subcommand(1);
    root_->set_help_all_flag("--help-all", "Help of all verbs");
    root_->footer(
        "\nResults go to stdout, progress and messages to stderr. Exit codes: 0 done, 1 failed, 2 invalid "
        "input\n(also what is not there, or is damaged), 130 interrupted with the work saved. Every verb has "
        "--help\nwith an example.");
    root_->get_formatter()->column_width(34);
}

CLI::App& CommandLine::group(const std::string& name, const std::string& summary) {
    CLI::App* app = root_->add_subcommand(name, summary);
    app->require_subcommand(1);
    return *app;
}

CLI::App& CommandLine::verb(CLI::App& parent, VerbText text, std::function<Result<void>()> body) {
    CLI::App* app = parent.add_subcommand(text.name, text.summary);
    std::string footer = text.details.empty() ? "" : "\n" + text.details + "\n";
    footer += "\nExample:\n  ";
    for (const char c : text.example) footer += c == '\n' ? std::string("\n  ") : std::string(1, c);
    app->footer(footer);
    app->callback([this, body = std::move(body)] { chosen_ = body; });
    texts_[app] = std::move(text);
    return *app;
}

const VerbText* CommandLine::text_of(const CLI::App& verb) const {
    const auto found = texts_.find(&verb);
    return found == texts_.end() ? nullptr : &found->second;
}

bool CommandLine::knows(int argc, const char* const* argv) const {
    if (argc == 2 && std::string_view(argv[1]) == "--version") return true;
    const CLI::App* at = root_.get();
    for (int i = 1; i < argc && text_of(*at) == nullptr; ++i) {
        const std::vector<const CLI::App*> inner =
            at->get_subcommands([&](const CLI::App* app) { return app->get_name() == argv[i]; });
        if (inner.empty()) return false;
        at = inner.front();
    }
    return text_of(*at) != nullptr;
}

int CommandLine::run(int argc, const char* const* argv) {
    const int code = parse_and_run(argc, argv);
    const std::optional<Error> lost = lost_output();
    if (!lost) return code;
    print_error(*lost);
    return code == ExitCode::done ? ExitCode::failed : code;
}

int CommandLine::parse_and_run(int argc, const char* const* argv) {
    try {
        root_->parse(argc, argv);
    } catch (const CLI::Success& success) {  // --help, --version
        return root_->exit(success);
    } catch (const CLI::ParseError& error) {
        const CLI::App* at = root_.get();  // the deepest verb that was named: its help is the useful one
        while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
        std::string name;
        for (const CLI::App* app = at; app != nullptr; app = app->get_parent())
            name.insert(0, app->get_name() + (name.empty() ? "" : " "));
        print_error(
            {.kind = ErrorKind::invalid_input, .message = error.what(), .hint = "See " + name + " --help"});
        return ExitCode::invalid;
    }
    const Result<void> result = chosen_();
    if (result) return ExitCode::done;
    print_error(result.error());
    return exit_code(result.error());
}

void add_json_option(CLI::App& verb, bool& json) {
    verb.add_flag("--json", json, "Print one JSON document instead of a table");
}

void add_project_option(CLI::App& verb, std::string& project) {
    verb.add_option("--project", project,
                    "Project folder; without it the nearest one upwards from the working directory")
        ->type_name("DIR");
}

void add_quiet_option(CLI::App& verb, bool& quiet) {
    verb.add_flag("-q,--quiet", quiet, "No progress on stderr");
}

CLI::Validator real_range(double low, double high) {
    const auto text = [](double value) { return to_text(ParameterValue(value)); };
    const std::string range = text(low).append(" to ").append(text(high));
    return CLI::Validator(
        [low, high, range](std::string& given) {
            double value = 0;
            const bool number = CLI::detail::lexical_cast(given, value);
            return number && value >= low && value <= high ? std::string()
                                                           : "must be from " + range + ", got " + given;
        },
        text(low).append(" - ").append(text(high)));
}

}  // namespace braid::cli
