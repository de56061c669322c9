#include "core/engine/parallel/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace braid {
namespace {

constexpr std::size_t header_bytes = 9;                      // magic, length, kind
constexpr std::array<char, 4> magic = {'B', 'R', 'K', '1'};  // nobody else's protocol begins like that
constexpr std::uint32_t longest = 64U << 20;
constexpr timeval send_limit{.tv_sec = 10, .tv_usec = 0};

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses look_up(const std::string& host, int port, int flags, std::string& problem) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int rc =
        ::getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (rc != 0) problem = ::gai_strerror(rc);
    return Addresses(rc == 0 ? found : nullptr, &::freeaddrinfo);
}

void prepare(int descriptor) {
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &send_limit, sizeof send_limit);
}

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace

Socket::Socket(Socket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), received_(std::move(other.received_)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
    if (this != &other) {
        close();
        descriptor_ = std::exchange(other.descriptor_, -1);
        received_ = std::move(other.received_);
    }
    return *this;
}

void Socket::close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
}

Result<Socket> Socket::listen(const std::string& host, int port) {
    std::string problem;
    const Addresses addresses = look_up(is_loopback(host) ? host : "", port, AI_PASSIVE, problem);
    int reason = 0;
    for (const addrinfo* each = addresses.get(); each != nullptr; each = each->ai_next) {
        Socket socket(
            ::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, each->ai_protocol));
        const int on = 1;
        if (!socket.open()) continue;
        ::setsockopt(socket.descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (::bind(socket.descriptor_, each->ai_addr, each->ai_addrlen) == 0 &&
            ::listen(socket.descriptor_, SOMAXCONN) == 0)
            return socket;
        reason = errno;
    }
    if (problem.empty()) problem = std::strerror(reason);
    return fail(reason == EADDRINUSE ? ErrorKind::busy : ErrorKind::unavailable,
                "rank 0 cannot listen at port " + std::to_string(port) + ": " + problem, {},
                "Set MASTER_PORT to a free port, the same for all ranks");
}

Result<Socket> Socket::connect(const std::string& host, int port, std::chrono::milliseconds limit) {
    std::string problem;
    const Addresses addresses = look_up(host, port, 0, problem);
    for (const addrinfo* each = addresses.get(); each != nullptr; each = each->ai_next) {
        Socket socket(
            ::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, each->ai_protocol));
        if (!socket.open()) continue;
        int error = ::connect(socket.descriptor_, each->ai_addr, each->ai_addrlen) == 0 ? 0 : errno;
        if (error == EINPROGRESS) {
            pollfd waiting{.fd = socket.descriptor_, .events = POLLOUT, .revents = 0};
            socklen_t size = sizeof error;
            if (::poll(&waiting, 1, static_cast<int>(limit.count())) != 1)
                error = ETIMEDOUT;
            else
                ::getsockopt(socket.descriptor_, SOL_SOCKET, SO_ERROR, &error, &size);
        }
        if (error == 0) {
            ::fcntl(socket.descriptor_, F_SETFL, 0);  // writes wait, up to their limit
            prepare(socket.descriptor_);
            return socket;
        }
        problem = std::strerror(error);
    }
    return fail(ErrorKind::unavailable, problem.empty() ? "it has no address" : problem);
}

std::optional<Socket> Socket::accept() const {
    const int descriptor = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) return std::nullopt;
    prepare(descriptor);
    return Socket(descriptor);
}

bool Socket::send(const Frame& frame) {
    if (!open()) return false;
    const auto length = static_cast<std::uint32_t>(frame.text.size());
    std::string bytes(magic.data(), magic.size());
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(length >> shift & 0xFFU);
    bytes += static_cast<char>(frame.kind);
    bytes += frame.text;
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t n = ::send(descriptor_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        sent += static_cast<std::size_t>(n);
    }
    return true;
}

bool Socket::receive(std::vector<Frame>& frames) {
    std::array<char, 65'536> chunk{};
    bool goes_on = open();
    while (goes_on) {
        const ssize_t n = ::recv(descriptor_, chunk.data(), chunk.size(), MSG_DONTWAIT);
        if (n > 0) {
            received_.append(chunk.data(), static_cast<std::size_t>(n));
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else {
            goes_on = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
            break;
        }
    }
    std::size_t at = 0;
    while (received_.size() - at >= header_bytes) {
        if (received_.compare(at, magic.size(), magic.data(), magic.size()) != 0) return false;
        std::uint32_t length = 0;
        for (std::size_t i = 0; i < 4; ++i)
            length |= static_cast<std::uint32_t>(static_cast<unsigned char>(received_[at + 4 + i])) << 8 * i;
        if (length > longest) return false;
        if (received_.size() - at - header_bytes < length) break;
        frames.push_back({.kind = static_cast<FrameKind>(received_[at + 8]),
                          .text = received_.substr(at + header_bytes, length)});
        at += header_bytes + length;
    }
    received_.erase(0, at);
    return goes_on;
}

}  // namespace braid
