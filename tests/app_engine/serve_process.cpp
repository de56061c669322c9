#include "tests/app_engine/serve_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

namespace braid::testing {

using Clock = std::chrono::steady_clock;

Json request(const Json& id, const std::string& method, Json params) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
}

ServeProcess::ServeProcess(const std::string& folder) {
    std::array<int, 2> in{}, out{};
    EXPECT_EQ(::pipe2(in.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
    const std::string program = engine_program();
    std::signal(SIGPIPE, SIG_IGN);
    pid_ = ::fork();
    if (pid_ == 0) {
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        if (::chdir(folder.c_str()) != 0) ::_exit(126);
        ::execl(program.c_str(), program.c_str(), "serve", nullptr);
        ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = out[0];
}

ServeProcess::~ServeProcess() {
    kill();
    close_input();
    ::close(out_);
}

void ServeProcess::send(const Json& message) {
    const std::string line = message.dump() + "\n";
    std::string_view rest = line;
    while (!rest.empty()) {
        const ssize_t n = ::write(in_, rest.data(), rest.size());
        ASSERT_GT(n, 0) << "serve does not read any more";
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
}

Json ServeProcess::next(std::chrono::milliseconds limit) {
    const auto end = Clock::now() + limit;
    for (;;) {
        if (const std::size_t line = read_.find('\n'); line != std::string::npos) {
            Json message = Json::parse(read_.substr(0, line), nullptr, false);
            read_.erase(0, line + 1);
            EXPECT_FALSE(message.is_discarded()) << "every line is JSON";
            return message;
        }
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
        if (left.count() <= 0) return nullptr;
        pollfd open{.fd = out_, .events = POLLIN, .revents = 0};
        if (::poll(&open, 1, static_cast<int>(left.count())) <= 0) continue;
        std::array<char, 65'536> block{};
        const ssize_t n = ::read(out_, block.data(), block.size());
        if (n <= 0) return nullptr;
        read_.append(block.data(), static_cast<std::size_t>(n));
    }
}

Json ServeProcess::answer(const Json& id, std::chrono::milliseconds limit, std::vector<Json>* before) {
    const auto end = Clock::now() + limit;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
        Json message = next(std::max(left, std::chrono::milliseconds(0)));
        if (message.is_null() || (message.contains("id") && message["id"] == id)) return message;
        if (before != nullptr) before->push_back(std::move(message));
    }
}

void ServeProcess::close_input() {
    if (in_ >= 0) ::close(in_);
    in_ = -1;
}

void ServeProcess::kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

void ServeProcess::terminate() { ::kill(pid_, SIGTERM); }

int ServeProcess::wait(std::chrono::milliseconds limit) {
    for (const auto end = Clock::now() + limit; Clock::now() < end;) {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) == pid_) {
            pid_ = -1;
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return -1;
}

}  // namespace braid::testing
