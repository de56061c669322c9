// The tree of verbs as plain values: what completion scripts and man pages are made from.
#pragma once

#include <string>
#include <vector>

#include "app/engine/cli/command_line.h"

namespace braid::cli {

struct OptionDescription {
    std::vector<std::string> flags = {};  // "--scale", "-q"; empty for a positional argument
    std::string argument = {};            // "DIR"; the name of a positional; empty for a switch
    std::vector<std::string> choices = {};
    std::string help = {};
    bool required = false;
    bool repeated = false;
};

struct VerbDescription {
    std::string path = {};  // "arch show"; empty for the program itself
    std::string name = {};
    VerbText text = {};
    std::vector<OptionDescription> options = {};
    std::vector<VerbDescription> verbs = {};
};

VerbDescription describe_verbs(const CommandLine& line);

// "braid-engine arch show SPEC [OPTIONS]"
std::string usage(const VerbDescription& verb);

// "bash", "zsh", "fish"; an empty text for another shell.
std::string completion_script(const VerbDescription& root, const std::string& shell);

// roff. `verb` is the program itself or one of its verbs.
std::string man_page(const VerbDescription& verb);
std::string man_page_name(const VerbDescription& verb);  // "braid-engine-arch-show.1"

}  // namespace braid::cli
