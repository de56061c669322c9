// --pattern, --bos, --eos: what a tokenizer file alone does not say.
#pragma once

#include "app/engine/cli/command_line.h"
#include "core/data/tokenizer/tokenizer.h"

namespace braid::cli {

inline void add_tokenizer_options(CLI::App& verb, TokenizerOptions& options) {
    verb.add_option(
            "--pattern", options.pattern,
            "How tiktoken ranks cut text into words: gpt2, cl100k, o200k, llama3 or a regular expression "
            "(by the number of ranks)")
        ->type_name("NAME|REGEX");
    verb.add_option("--bos", options.bos, "Token that opens a document (as the file says)")
        ->type_name("TOKEN");
    verb.add_option("--eos", options.eos, "Token that ends a document (as the file says)")
        ->type_name("TOKEN");
}

}  // namespace braid::cli
