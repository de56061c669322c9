#include "tests/app_engine/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace braid::testing {
namespace {

std::pair<int, int> make_pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    return {ends[0], ends[1]};
}

}  // namespace

Workplace::Workplace() {
    static int counter = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("braid tests äöü " + std::to_string(::getpid()) + "-" + std::to_string(counter++));
    std::filesystem::create_directories(folder_);
}

Workplace::~Workplace() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

Json Finished::json() const { return Json::parse(out, nullptr, false); }

Json Finished::last_json() const {
    std::string text = out;
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const std::size_t line = text.rfind('\n');
    return Json::parse(line == std::string::npos ? text : text.substr(line + 1), nullptr, false);
}

Started::Started(pid_t pid, int out, int err) : pid_(pid), out_(out), err_(err) {}
Started::Started(Started&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), out_(other.out_), err_(other.err_) {}

Started::~Started() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::close(out_);
    ::close(err_);
}

void Started::signal(int number) const { ::kill(pid_, number); }

Finished Started::wait(std::chrono::seconds limit) {
    Finished finished;
    const auto end = std::chrono::steady_clock::now() + limit;
    std::array<pollfd, 2> open{pollfd{.fd = out_, .events = POLLIN, .revents = 0},
                               pollfd{.fd = err_, .events = POLLIN, .revents = 0}};
    std::array<std::string*, 2> texts{&finished.out, &finished.err};
    while ((open[0].fd >= 0 || open[1].fd >= 0) && std::chrono::steady_clock::now() < end) {
        ::poll(open.data(), open.size(), 100);
        for (std::size_t i = 0; i < 2; ++i) {
            if (open[i].fd < 0 || open[i].revents == 0) continue;
            std::array<char, 4096> block{};
            const ssize_t n = ::read(open[i].fd, block.data(), block.size());
            if (n > 0)
                texts[i]->append(block.data(), static_cast<std::size_t>(n));
            else
                open[i].fd = -1;
        }
    }
    if (std::chrono::steady_clock::now() >= end) {
        ADD_FAILURE() << "still works after " << limit.count() << " s\n" << finished.all();
        ::kill(pid_, SIGKILL);
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ::close(out_);
    ::close(err_);
    pid_ = -1;
    return finished;
}

std::string engine_program() {
    const char* build = std::getenv("BRAID_BINARY_DIR");
    EXPECT_NE(build, nullptr) << "BRAID_BINARY_DIR names the build folder";
    return std::string(build == nullptr ? "." : build) + "/bin/braid-engine";
}

Started start(const Call& call) {
    const auto [in_read, in_write] = make_pipe();
    const auto [out_read, out_write] = make_pipe();
    const auto [err_read, err_write] = make_pipe();
    std::vector<std::string> words{call.program.empty() ? engine_program() : call.program};
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::dup2(in_read, 0);
        ::dup2(out_write, 1);
        ::dup2(err_write, 2);
        if (!call.folder.empty() && ::chdir(call.folder.c_str()) != 0) ::_exit(126);
        for (const auto& [name, value] : call.environment) ::setenv(name.c_str(), value.c_str(), 1);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    for (const int end : {in_read, out_write, err_write}) ::close(end);
    std::signal(SIGPIPE, SIG_IGN);
    std::string_view rest = call.input;
    while (!rest.empty()) {
        const ssize_t n = ::write(in_write, rest.data(), rest.size());
        if (n <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
    ::close(in_write);
    return {pid, out_read, err_read};
}

Finished run(const Call& call, std::chrono::seconds limit) { return start(call).wait(limit); }

}  // namespace braid::testing
