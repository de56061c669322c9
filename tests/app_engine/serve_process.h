// A running `braid-engine serve` that is talked to message by message.
#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "tests/app_engine/program.h"

namespace braid::testing {

class ServeProcess {
public:
    explicit ServeProcess(const std::string& folder);
    ~ServeProcess();  // killed

    void send(const Json& message);
    // The next message, whatever it is; null after the limit or at the end.
    Json next(std::chrono::milliseconds limit);
    // The next message that answers this id; notifications before it are added to `before` where that is
    // given.
    Json answer(const Json& id, std::chrono::milliseconds limit, std::vector<Json>* before = nullptr);
    void close_input();
    void kill();       // -9
    void terminate();  // SIGTERM
    // Its exit code once it has ended; -1 where it has not within the limit, or by a signal.
    int wait(std::chrono::milliseconds limit);

private:
    pid_t pid_ = -1;
    int in_ = -1, out_ = -1;
    std::string read_;
};

Json request(const Json& id, const std::string& method, Json params = Json::object());

}  // namespace braid::testing
