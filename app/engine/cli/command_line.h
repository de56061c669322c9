// The tree of verbs. Help, completion and man pages are all made from it.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/base/error.h"

namespace braid::cli {

enum ExitCode : int { done = 0, failed = 1, invalid = 2, interrupted = 130 };

ExitCode exit_code(const Error& error);
// On stderr, one line a problem, with the hint.
void print_error(const Error& error);

struct VerbText {
    std::string name;
    std::string summary;       // one sentence
    std::string example;       // one or more command lines
    std::string details = {};  // paragraphs for help and the man page
};

class CommandLine {
public:
    CommandLine();

    CLI::App& root() { return *root_; }
    // A verb that only holds others: "arch".
    CLI::App& group(const std::string& name, const std::string& summary);
    // A verb with a body. Options hold their values in what the body captures.
    CLI::App& verb(CLI::App& parent, VerbText text, std::function<Result<void>()> body);
    const VerbText* text_of(const CLI::App& verb) const;

    // Whether these words name a verb that is here, or ask for the version.
    bool knows(int argc, const char* const* argv) const;
    int run(int argc, const char* const* argv);

private:
    int parse_and_run(int argc, const char* const* argv);

    std::unique_ptr<CLI::App> root_;
    std::map<const CLI::App*, VerbText> texts_;
    std::function<Result<void>()> chosen_;
};

// Options that several verbs share, said once.
void add_json_option(CLI::App& verb, bool& json);
void add_project_option(CLI::App& verb, std::string& project);
void add_quiet_option(CLI::App& verb, bool& quiet);

// A finite number from low to high; CLI::Range lets NaN pass.
CLI::Validator real_range(double low, double high);

}  // namespace braid::cli
