// A TCP connection that carries frames: a kind and bytes. Non-blocking to read, blocking (with a limit) to
// write.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace braid {

enum class FrameKind : std::uint8_t { hello = 1, welcome, text, heartbeat, leave };

struct Frame {
    FrameKind kind = FrameKind::heartbeat;
    std::string text = {};
};

class Socket {
public:
    Socket() = default;
    explicit Socket(int descriptor) : descriptor_(descriptor) {}
    Socket(Socket&& other) noexcept;
    Socket& operator=(Socket&& other) noexcept;
    ~Socket() { close(); }

    // Binds to the loopback device where `host` is on it, else to all devices.
    static Result<Socket> listen(const std::string& host, int port);
    // One try. Error: unavailable.
    static Result<Socket> connect(const std::string& host, int port, std::chrono::milliseconds limit);
    std::optional<Socket> accept() const;

    bool open() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }
    void close();

    // False where the other side is gone or does not take it.
    bool send(const Frame& frame);
    // What has come, in whole frames. False behind them where the other side has closed or sends what is no
    // frame.
    bool receive(std::vector<Frame>& frames);

private:
    int descriptor_ = -1;
    std::string received_;
};

}  // namespace braid
