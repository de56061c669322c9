#include "app/engine/serve/capture_method.h"

#include <chrono>
#include <filesystem>

#include "app/engine/cli/signals.h"
#include "app/engine/verbs/capture_request.h"
#include "core/base/json_reader.h"

namespace braid::cli {
namespace {

// "8.3,10.7" of a text or of a list of texts.
void read_heads(JsonReader& reader, std::string& heads) {
    const Json* given = reader.find("heads");
    if (given == nullptr) return;
    if (!given->is_array()) return reader.text("heads", heads);
    if (given->empty()) heads = "none";
    for (const Json& head : *given) {
        if (head.is_string())
            heads.append(heads.empty() ? "" : ",").append(head.get<std::string>());
        else
            reader.report(reader.place("heads"), "must be texts such as \"8.3\"", head);
    }
}

void read_tokens(JsonReader& reader, std::string& tokens) {
    const Json* given = reader.find("tokens");
    if (given == nullptr) return;
    if (given->is_array())
        tokens = given->dump();
    else
        reader.text("tokens", tokens);
}

void read_whole(JsonReader& reader, const char* key, std::optional<std::int64_t>& value) {
    if (reader.find(key) == nullptr) return;
    std::int64_t read = 0;
    reader.integer(key, read, 0);
    value = read;
}

Json answer_json(const CaptureAnswer& answer) {
    return {{"folder", answer.capture.folder},
            {"id", std::filesystem::path(answer.capture.folder).filename().string()},
            {"tokens", answer.capture.tokens.size()},
            {"heads", answer.capture.heads.size()},
            {"bytes", answer.bytes},
            {"seconds", answer.seconds},
            {"notes", answer.capture.notes}};
}

}  // namespace

Result<Worker::Work> capture_work(const Json& params, const std::string& default_project,
                                  std::shared_ptr<OpenModels> models) {
    Diagnostics problems;
    JsonReader reader(params, "params", problems);
    CaptureRequest request;
    request.target.project = default_project;
    reader.require("checkpoint");
    reader.text("checkpoint", request.target.checkpoint);
    reader.text("project", request.target.project);
    reader.text("tokenizer", request.target.tokenizer);
    reader.text("device", request.target.device);
    reader.integer("threads", request.target.threads, 0, 4'096);
    if (reader.find("prompt") != nullptr) reader.text("prompt", request.prompt.emplace());
    read_tokens(reader, request.tokens);
    read_whole(reader, "sample", request.sample);
    read_whole(reader, "context", request.context);
    read_whole(reader, "seed", request.seed);
    if (reader.find("depth") != nullptr) reader.number("depth", request.depth.emplace());
    read_heads(reader, request.heads);
    reader.flag("allow_long", request.allow_long);
    reader.refuse_unknown_keys();
    if (!problems.empty()) return fail(to_error(problems));
    return [request = std::move(request), models = std::move(models)](
               const Worker::Progress& progress, const std::atomic<bool>& stop) -> Result<Json> {
        const OpenModel open = [&](const EvalTarget& target, const std::string& folder) {
            return models->open(target, folder);
        };
        const CaptureProgress go_on = [&](double fraction, const std::string& text) {
            return progress(fraction, text) && !stop_requested().load();
        };
        Result<CaptureAnswer> answer = make_capture(request, open, go_on, &stop, &models->last_pass());
        if (!answer && answer.error().kind == ErrorKind::out_of_memory) {
            models->drop_all();
            answer = make_capture(request, open, go_on, &stop, &models->last_pass());
        }
        if (!answer) return fail(std::move(answer.error()));
        return answer_json(*answer);
    };
}

}  // namespace braid::cli
