// serve: JSON-RPC 2.0 on stdin and stdout.
#include <cstdio>
#include <iostream>

#include "app/engine/cli/output.h"
#include "app/engine/serve/rpc.h"
#include "app/engine/verbs/verbs.h"

namespace braid::cli {
namespace {

// Reads up to the line feed; false at the end of the input. A line beyond the limit is read to its end and
// given back empty with `too_long` set.
bool read_line(std::string& line, bool& too_long) {
    line.clear();
    too_long = false;
    for (int c = std::getc(stdin); c != EOF; c = std::getc(stdin)) {
        if (c == '\n') return true;
        if (line.size() < max_request_bytes)
            line += static_cast<char>(c);
        else
            too_long = true;
    }
    return !line.empty() || too_long;
}

Result<void> serve(const std::string& project) {
    RpcServer server(project);
    std::string line;
    bool too_long = false;
    while (!server.ended() && read_line(line, too_long)) {
        const std::string answer = too_long ? RpcServer::too_long() : server.answer(line);
        if (!answer.empty()) print(answer + "\n");
        if (std::ferror(stdout) != 0) break;  // nobody reads any more
    }
    return {};
}

}  // namespace

void add_serve(CommandLine& line) {
    const auto project = std::make_shared<std::string>();
    CLI::App& verb = line.verb(
        line.root(),
        {.name = "serve",
         .summary = "JSON-RPC 2.0 on stdin and stdout, one message a line (the window uses it)",
         .example =
             "echo '{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"rpc.methods\"}' | braid-engine serve",
         .details =
             "Ends at the end of its input or after \"shutdown\". rpc.methods lists the methods with their "
             "parameters."},
        [project] { return serve(*project); });
    add_project_option(verb, *project);
}

}  // namespace braid::cli
