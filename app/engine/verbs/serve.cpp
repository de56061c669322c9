// serve: JSON-RPC 2.0 on stdin and stdout.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "app/engine/cli/output.h"
#include "app/engine/serve/rpc.h"
#include "app/engine/verbs/verbs.h"

namespace braid::cli {
namespace {

constexpr std::chrono::milliseconds patience{300};

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

// Lines from two threads, each whole.
class Lines {
public:
    void write(const std::string& line) {
        const std::lock_guard lock(mutex_);
        print(line + "\n");
        if (std::ferror(stdout) != 0) broken_ = true;
    }
    bool broken() const { return broken_; }  // nobody reads any more

private:
    std::mutex mutex_;
    std::atomic<bool> broken_{false};
};

Result<void> serve(const std::string& project) {
    Lines lines;
    RpcServer server(project, [&](const std::string& line) { lines.write(line); });
    std::string line;
    bool too_long = false;
    while (!server.ended() && !lines.broken() && read_line(line, too_long)) {
        const std::string answer = too_long ? RpcServer::too_long() : server.answer(line);
        if (!answer.empty()) lines.write(answer);
        server.answer_cancelled();
    }
    // At the end of the input what was asked for is still wanted, as long as somebody reads it.
    while (!server.ended() && server.busy() && !lines.broken())
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    // Nothing that is still computed is wanted: whoever ended this does not wait for a layer of a long text.
    // The draft of its capture is removed by the next one.
    if (server.stop(patience)) return {};
    std::fflush(nullptr);
    std::_Exit(0);
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
             "Ends at the end of its input, once everything is answered, or after \"shutdown\". rpc.methods "
             "lists "
             "the methods with their parameters. A long method (capture) is done while others are answered; "
             "notifications \"progress\" tell its id, the fraction that is done and what is being done, and "
             "\"cancel\" stops it."},
        [project] { return serve(*project); });
    add_project_option(verb, *project);
}

}  // namespace braid::cli
