// JSON-RPC 2.0: requests, notifications and batches in, answers out. Input is hostile until it is parsed: any
// text gets an answer, none ends the server.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "app/engine/serve/open_models.h"
#include "app/engine/serve/worker.h"
#include "core/base/error.h"
#include "core/base/json.h"

namespace braid::cli {

inline constexpr std::size_t max_request_bytes = std::size_t{16} << 20;

// Codes of the JSON-RPC specification, and ours from -32000 on.
enum RpcCode : int {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
    failed_request = -32000,  // data.kind says why
};

class RpcServer {
public:
    // `project` may be empty: methods that need one then take it from "project" in their parameters, or find
    // it from the working directory upwards. send(line): a message that nobody waits for right now, from
    // another thread: progress and answers of long methods.
    RpcServer(std::string project, std::function<void(const std::string& line)> send);

    // The answer to one message, on one line; empty for a notification and for a long method, whose answer
    // is sent when it is done.
    std::string answer(std::string_view message);
    // After each answer() and once it was written: requests that it has cancelled are answered.
    void answer_cancelled() { worker_.answer_cancelled(); }
    // Whether a long method is not done yet.
    bool busy() { return worker_.busy(); }
    // Long methods are given up; Worker::stop().
    bool stop(std::chrono::milliseconds patience) { return worker_.stop(patience); }
    bool ended() const { return ended_; }  // after "shutdown"

    static std::string too_long();

private:
    struct Method {
        std::string help;
        std::string parameters;
        std::function<Result<Json>(const Json& params)> call = {};
        // In place of call: a long one, done on the worker's thread.
        std::function<Result<Worker::Work>(const Json& params)> begin = {};
    };

    void add_methods();
    Json answer_one(const Json& request, bool in_batch);  // null: nothing to answer now
    Result<Json> call(const std::string& method, const Json& params);
    // Null: it will be answered.
    Json begin(const std::string& method, const Json& params, const Json& id);

    std::string project_;
    bool ended_ = false;
    std::map<std::string, Method> methods_;
    std::shared_ptr<OpenModels> models_;
    Worker worker_;
};

}  // namespace braid::cli
