// serve: JSON-RPC 2.0 on stdin and stdout.
#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "app/engine/cli/output.h"
#include "app/engine/cli/signals.h"
#include "app/engine/serve/rpc.h"
#include "app/engine/verbs/verbs.h"

namespace braid::cli {
namespace {

constexpr std::chrono::milliseconds patience{300};

constexpr int look_ms = 200;  // between two looks at the flag of the signals, should one slip past poll()

// The lines of stdin, which a signal ends at once.
class Input {
public:
    // Reads up to the line feed; false at the end of the input, or once a stop was requested. A line beyond
    // the limit is read to its end and given back empty with `too_long` set.
    bool read_line(std::string& line, bool& too_long) {
        line.clear();
        too_long = false;
        for (;;) {
            const std::size_t end = std::min(read_.find('\n', next_), read_.size());
            if (line.size() + (end - next_) <= max_request_bytes)
                line.append(read_, next_, end - next_);
            else
                too_long = true;
            const bool whole = end < read_.size();
            next_ = whole ? end + 1 : end;
            if (whole || !more()) {
                if (too_long) line.clear();
                return whole || ((!line.empty() || too_long) && !stop_requested());
            }
        }
    }

private:
    bool more() {
        read_.resize(std::size_t{1} << 16);
        next_ = 0;
        ssize_t count = -1;
        while (count < 0 && !stop_requested()) {
            pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
            const int ready = ::poll(&input, 1, look_ms);
            if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
            count = ::read(STDIN_FILENO, read_.data(), read_.size());
            if (count < 0 && errno != EINTR && errno != EAGAIN) count = 0;
        }
        read_.resize(std::size_t(std::max<ssize_t>(count, 0)));
        return !read_.empty();
    }

    std::string read_;
    std::size_t next_ = 0;
};

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
    Input input;
    std::string line;
    bool too_long = false;
    while (!server.ended() && !lines.broken() && input.read_line(line, too_long)) {
        const std::string answer = too_long ? RpcServer::too_long() : server.answer(line);
        if (!answer.empty()) lines.write(answer);
        server.answer_cancelled();
    }
    // At the end of the input what was asked for is still wanted, as long as somebody reads it.
    while (!server.ended() && server.busy() && !lines.broken() && !stop_requested())
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    // Nothing that is still computed is wanted, and whoever ended this does not wait for it. A draft of a
    // capture that is left is removed by the next one.
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
             "Ends at the end of its input, once everything is answered, after \"shutdown\", or by SIGTERM. "
             "rpc.methods "
             "lists "
             "the methods with their parameters. A long method (capture) is done while others are answered; "
             "notifications \"progress\" tell its id, the fraction that is done and what is being done, and "
             "\"cancel\" stops it."},
        [project] { return serve(*project); });
    add_project_option(verb, *project);
}

}  // namespace braid::cli
