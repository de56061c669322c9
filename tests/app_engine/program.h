// Runs the real braid-engine and looks at what a shell would see.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace braid::testing {

// A folder of its own for each test, with a blank and umlauts in its path; removed afterwards.
class Workplace {
public:
    Workplace();
    ~Workplace();
    std::filesystem::path folder() const { return folder_; }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }

private:
    std::filesystem::path folder_;
};

struct Finished {
    int code = -1;  // 128 + n for a signal
    std::string out;
    std::string err;
    Json json() const;       // of all of stdout; discarded (is_discarded()) where it is none
    Json last_json() const;  // of its last line
    std::string all() const { return "exit " + std::to_string(code) + "\n" + out + err; }
};

// A started program; killed when it goes out of scope.
class Started {
public:
    Started(pid_t pid, int out, int err);
    Started(Started&& other) noexcept;
    ~Started();
    pid_t pid() const { return pid_; }
    void signal(int number) const;
    Finished wait(std::chrono::seconds limit = std::chrono::seconds(60));

private:
    pid_t pid_;
    int out_, err_;
};

struct Call {
    std::vector<std::string> arguments;
    std::string folder = {};  // working directory
    std::string input = {};
    std::map<std::string, std::string> environment = {};
    std::string program = {};  // empty: engine_program()
};

std::string engine_program();
Started start(const Call& call);
Finished run(const Call& call, std::chrono::seconds limit = std::chrono::seconds(60));

// Polls until `holds` is true; false after the limit.
template <class Condition>
bool within(std::chrono::milliseconds limit, Condition holds);

}  // namespace braid::testing

#include <thread>

template <class Condition>
bool braid::testing::within(std::chrono::milliseconds limit, Condition holds) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}
