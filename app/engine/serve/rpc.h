// JSON-RPC 2.0: requests, notifications and batches in, answers out. Input is hostile until it is parsed: any
// text gets an answer, none ends the server.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

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
    // it from the working directory upwards.
    explicit RpcServer(std::string project);

    // The answer to one message, on one line; empty for a notification.
    std::string answer(std::string_view message);
    bool ended() const { return ended_; }  // after "shutdown"

    static std::string too_long();

private:
    struct Method {
        std::string help;
        std::string parameters;
        std::function<Result<Json>(const Json& params)> call;
    };

    void add_methods();
    Json answer_one(const Json& request);  // null for a notification
    Result<Json> call(const std::string& method, const Json& params);

    std::string project_;
    bool ended_ = false;
    std::map<std::string, Method> methods_;
};

}  // namespace braid::cli
