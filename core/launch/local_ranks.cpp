#include "core/launch/local_ranks.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace braid {
namespace {

constexpr std::chrono::milliseconds patience{10'000};

// A port of the loopback device that nobody listens on.
Result<int> free_port() {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return fail(error_from_errno(errno, "cannot open a socket", {}));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* place = reinterpret_cast<sockaddr*>(&address);
    const bool known = ::bind(descriptor, place, size) == 0 && ::getsockname(descriptor, place, &size) == 0;
    const int error = errno;
    ::close(descriptor);
    if (!known) return fail(error_from_errno(error, "cannot bind a port", {}));
    return int{ntohs(address.sin_port)};
}

}  // namespace

Result<LocalRanks> LocalRanks::start(const RunFolder& folder, std::int64_t count) {
    const Result<int> port = free_port();
    if (!port) return fail(port.error());
    LocalRanks ranks;
    ranks.port_ = *port;
    for (std::int64_t rank = 1; rank < count; ++rank) {
        const std::string number = std::to_string(rank);
        const std::string size = std::to_string(count);
        Result<EngineProcess> process =
            EngineProcess::start({.arguments = {"train", folder.path()},
                                  .log_file = folder.log_file(),
                                  .environment = {{"RANK", number},
                                                  {"WORLD_SIZE", size},
                                                  {"LOCAL_RANK", number},
                                                  {"LOCAL_WORLD_SIZE", size},
                                                  {"MASTER_ADDR", "127.0.0.1"},
                                                  {"MASTER_PORT", std::to_string(*port)}}});
        if (!process) return fail(std::move(process.error()));
        ranks.processes_.push_back(std::move(*process));
    }
    return ranks;
}

LocalRanks::~LocalRanks() {
    for (EngineProcess& process : processes_)
        if (!process.wait(patience)) break;
    end();
}

std::optional<Error> LocalRanks::failed() {
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        const std::optional<int> code = processes_[i].poll();
        if (!code) continue;
        const std::string words = processes_[i].last_words();
        std::string message = "rank " + std::to_string(i + 1);
        message.append(" ended with code ").append(std::to_string(*code)).append(" before the run began");
        if (!words.empty()) message.append(": ").append(words);
        return Error{.kind = ErrorKind::unavailable, .message = std::move(message)};
    }
    return std::nullopt;
}

void LocalRanks::end() {
    for (EngineProcess& process : processes_)
        if (!process.poll()) {
            (void)signal_process(process.identity(), SIGKILL);
            (void)process.wait(patience);
        }
    processes_.clear();
}

}  // namespace braid
