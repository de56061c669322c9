#include "app/engine/study/evaluations.h"

#include <algorithm>

#include "core/base/file.h"
#include "core/base/json.h"

namespace braid::cli {
namespace {

std::string file_of(const RunFolder& run) { return run.path() + "/evaluations.json"; }

std::vector<std::string> answered(const RunFolder& run) {
    std::vector<std::string> done;
    const Result<Json> json = read_json(file_of(run));
    if (!json || !json->is_object() || !json->contains("answered") || !(*json)["answered"].is_array())
        return done;
    for (const Json& one : (*json)["answered"])
        if (one.is_string()) done.push_back(one.get<std::string>());
    return done;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    bool quoted = false, inside = false;
    for (const char c : text) {
        if (c == '"') {
            quoted = !quoted;
            if (!inside) words.emplace_back();
            inside = true;
        } else if (c == ' ' && !quoted) {
            inside = false;
        } else {
            if (!inside) words.emplace_back();
            inside = true;
            words.back() += c;
        }
    }
    return words;
}

std::vector<std::string> unanswered(const RunFolder& run, const std::vector<std::string>& asked) {
    const std::vector<std::string> done = answered(run);
    std::vector<std::string> left;
    for (const std::string& one : asked)
        if (std::find(done.begin(), done.end(), one) == done.end()) left.push_back(one);
    return left;
}

Result<void> mark_answered(const RunFolder& run, const std::string& evaluation) {
    std::vector<std::string> done = answered(run);
    done.push_back(evaluation);
    return write_json_atomically(file_of(run), Json{{"schema_version", 1}, {"answered", done}});
}

}  // namespace braid::cli
