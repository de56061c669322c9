#include "app/engine/serve/rpc.h"

#include <exception>

namespace braid::cli {
namespace {

constexpr std::size_t max_batch = 1'000;

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json error_answer(const Json& id, int code, const std::string& message, Json data = nullptr) {
    Json error = {{"code", code}, {"message", message}};
    if (!data.is_null()) error["data"] = std::move(data);
    return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}};
}

const char* kind_name(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::invalid_input:
            return "invalid_input";
        case ErrorKind::not_found:
            return "not_found";
        case ErrorKind::already_exists:
            return "already_exists";
        case ErrorKind::permission:
            return "permission";
        case ErrorKind::no_space:
            return "no_space";
        case ErrorKind::io:
            return "io";
        case ErrorKind::corrupt:
            return "corrupt";
        case ErrorKind::busy:
            return "busy";
        case ErrorKind::out_of_memory:
            return "out_of_memory";
        case ErrorKind::unavailable:
            return "unavailable";
        case ErrorKind::interrupted:
            return "interrupted";
        case ErrorKind::internal:
            return "internal";
    }
    return "internal";
}

Json result_answer(const Json& id, const Result<Json>& result) {
    if (result) return {{"jsonrpc", "2.0"}, {"id", id}, {"result", *result}};
    const Error& error = result.error();
    return error_answer(id, error.kind == ErrorKind::invalid_input ? invalid_params : failed_request,
                        error.message,
                        {{"kind", kind_name(error.kind)}, {"path", error.path}, {"hint", error.hint}});
}

bool is_id(const Json& id) { return id.is_string() || id.is_number_integer() || id.is_null(); }

}  // namespace

RpcServer::RpcServer(std::string project, std::function<void(const std::string& line)> send)
    : project_(std::move(project)),
      models_(std::make_shared<OpenModels>()),
      worker_([send = std::move(send)](const Json& message) { send(dumped(message)); }, result_answer) {
    add_methods();
    methods_["shutdown"] = {.help = "Ends the server after its answer",
                            .parameters = "",
                            .call = [this](const Json&) -> Result<Json> {
                                ended_ = true;
                                return Json(nullptr);
                            }};
    methods_["rpc.methods"] = {
        .help = "Methods with their parameters",
        .parameters = "",
        .call = [this](const Json&) -> Result<Json> {
            Json list = Json::object();
            for (const auto& [name, method] : methods_)
                list[name] = {{"help", method.help}, {"parameters", method.parameters}};
            return list;
        }};
}

std::string RpcServer::too_long() {
    return dumped(error_answer(nullptr, invalid_request, "a message of more than 16 MiB"));
}

Result<Json> RpcServer::call(const std::string& method, const Json& params) {
    try {
        return methods_.at(method).call(params);
    } catch (const std::bad_alloc&) {
        return fail(ErrorKind::out_of_memory, "not enough memory for " + method);
    } catch (const std::exception& error) {
        return fail(ErrorKind::internal, method + ": " + error.what());
    }
}

Json RpcServer::begin(const std::string& method, const Json& params, const Json& id) {
    Result<Worker::Work> work = methods_.at(method).begin(params);
    if (!work) return result_answer(id, fail(std::move(work.error())));
    if (worker_.add(id, std::move(*work))) return nullptr;
    return error_answer(id, invalid_request, "\"id\" is that of a request that is not answered yet");
}

Json RpcServer::answer_one(const Json& request, bool in_batch) {
    if (!request.is_object()) return error_answer(nullptr, invalid_request, "a request must be an object");
    const bool has_id = request.contains("id");
    const Json id = has_id && is_id(request["id"]) ? request["id"] : Json(nullptr);
    const auto version = request.find("jsonrpc");
    const auto method = request.find("method");
    if (version == request.end() || *version != "2.0")
        return error_answer(id, invalid_request, "\"jsonrpc\" must be \"2.0\"");
    if (method == request.end() || !method->is_string())
        return error_answer(id, invalid_request, "\"method\" must be text");
    if (has_id && !is_id(request["id"]))
        return error_answer(id, invalid_request, "\"id\" must be text, a whole number or null");
    const auto name = method->get<std::string>();
    if (!methods_.contains(name))
        return has_id ? error_answer(id, method_not_found, "no method \"" + name.substr(0, 80) + "\"")
                      : Json(nullptr);
    const Json params = request.contains("params") ? request["params"] : Json::object();
    if (!params.is_object())
        return has_id ? error_answer(id, invalid_params, "\"params\" must be an object") : Json(nullptr);
    if (methods_.at(name).begin) {
        if (!has_id || id.is_null())
            return error_answer(nullptr, invalid_request, "\"" + name + "\" needs an \"id\"");
        if (in_batch)
            return error_answer(id, invalid_request, "\"" + name + "\" must be a message of its own");
        return begin(name, params, id);
    }
    const Result<Json> result = call(name, params);
    return has_id ? result_answer(id, result) : Json(nullptr);
}

std::string RpcServer::answer(std::string_view message) {
    const Result<Json> request = parse_json(message);
    if (!request) return dumped(error_answer(nullptr, parse_error, request.error().message));
    if (!request->is_array()) {
        const Json answer = answer_one(*request, false);
        return answer.is_null() ? "" : dumped(answer);
    }
    if (request->empty() || request->size() > max_batch)
        return dumped(error_answer(nullptr, invalid_request, "a batch must have 1 to 1,000 requests"));
    Json answers = Json::array();
    for (const Json& each : *request)
        if (Json answer = answer_one(each, true); !answer.is_null()) answers.push_back(std::move(answer));
    return answers.empty() ? "" : dumped(answers);
}

}  // namespace braid::cli
