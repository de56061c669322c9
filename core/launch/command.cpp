#include "core/launch/command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

extern char** environ;

namespace braid {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t most_output = std::size_t{64} << 20;
constexpr int between_looks_ms = 50;

// Both ends of a pipe; closed at the end.
struct Pipe {
    std::array<int, 2> ends{-1, -1};
    Pipe() {
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        for (const int end : ends)
            if (end >= 0) ::close(end);
    }
    void close_writer() {
        ::close(ends[1]);
        ends[1] = -1;
    }
};

std::vector<std::string> environment() {
    std::vector<std::string> variables = {"LC_ALL=C"};
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (std::string text = *variable; !text.starts_with("LC_ALL=")) variables.push_back(std::move(text));
    return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

// What comes out of both until they are closed; false where that takes longer than until `end`.
bool read_all(Pipe& out, Pipe& err, CommandResult& result, Clock::time_point end) {
    std::array<pollfd, 2> open{pollfd{.fd = out.ends[0], .events = POLLIN, .revents = 0},
                               pollfd{.fd = err.ends[0], .events = POLLIN, .revents = 0}};
    const std::array<std::string*, 2> texts{&result.out, &result.err};
    while (open[0].fd >= 0 || open[1].fd >= 0) {
        if (Clock::now() > end) return false;
        ::poll(open.data(), open.size(), between_looks_ms);
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (open[i].fd < 0 || open[i].revents == 0) continue;
            std::array<char, 16'384> block{};
            const ssize_t n = ::read(open[i].fd, block.data(), block.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0)
                open[i].fd = -1;
            else if (texts[i]->size() < most_output)
                texts[i]->append(block.data(), static_cast<std::size_t>(n));
        }
    }
    return true;
}

}  // namespace

Result<CommandResult> run_command(const std::vector<std::string>& words, std::chrono::milliseconds limit) {
    const Clock::time_point end = Clock::now() + limit;
    Pipe out, err;
    if (out.ends[0] < 0 || err.ends[0] < 0)
        return fail(error_from_errno(errno, "cannot open a pipe", words[0]));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err.ends[1], 2);
    // A group of its own: the terminal's Ctrl-C is ours to answer.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<std::string> arguments = words, variables = environment();
    pid_t pid = 0;
    const int error = ::posix_spawnp(&pid, words[0].c_str(), &actions, &attributes,
                                     pointers_to(arguments).data(), pointers_to(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        Error reason = error_from_errno(error, "cannot start", words[0]);
        if (reason.kind == ErrorKind::not_found) reason.kind = ErrorKind::unavailable;
        return fail(std::move(reason));
    }
    out.close_writer();
    err.close_writer();
    CommandResult result;
    const bool ended = read_all(out, err, result, end);
    if (!ended) ::kill(-pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!ended)
        return fail(ErrorKind::busy, "gave no answer within " + std::to_string(limit.count() / 1000) + " s",
                    command_line(words));
    result.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return result;
}

std::string quoted(const std::string& word) {
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_=./:,%@+").find(c) != std::string_view::npos;
    });
    if (plain) return word;
    std::string text = "'";
    for (const char c : word) {
        if (c == '\'')
            text += "'\\''";
        else
            text += c;
    }
    return text += "'";
}

std::string command_line(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text.append(text.empty() ? "" : " ").append(quoted(word));
    return text;
}

}  // namespace braid
