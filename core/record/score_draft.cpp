#include "core/record/score_draft.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "core/base/file.h"

namespace braid {
namespace {

std::string line_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Up to the first line that is no answer; `whole` is how many bytes they take.
std::vector<ScoreAnswer> read_lines(const std::string& text, const std::string& head, std::size_t& whole) {
    std::vector<ScoreAnswer> answers;
    if (!text.starts_with(head)) return answers;
    whole = head.size();
    for (std::size_t end = text.find('\n', whole); end != std::string::npos; end = text.find('\n', whole)) {
        const Result<Json> json = parse_json(std::string_view(text).substr(whole, end - whole));
        if (!json) break;
        Checked<ScoreAnswer> answer = answer_from_json(*json);
        if (!answer) break;
        answers.push_back(std::move(*answer));
        whole = end + 1;
    }
    return answers;
}

std::string draft_file(const std::string& folder, const std::string& id) {
    std::string file = folder;
    return file.append("/").append(id).append(".part.jsonl");
}

}  // namespace

Result<ScoreDraft> ScoreDraft::open(const std::string& folder, const std::string& id,
                                    const std::string& stamp) {
    if (Result<void> made = make_folder(folder); !made) return fail(std::move(made.error()));
    std::string file = draft_file(folder, id);
    const std::string head = line_of({{"stamp", stamp}});
    std::error_code ignored;
    std::string text;
    if (std::filesystem::exists(file, ignored)) {
        Result<std::string> read = read_file(file);
        if (!read) return fail(std::move(read.error()));
        text = std::move(*read);
    }
    std::size_t whole = 0;
    std::vector<ScoreAnswer> known = read_lines(text, head, whole);
    text.resize(whole);
    if (Result<void> written = write_file_atomically(file, text.empty() ? head : text); !written)
        return fail(std::move(written.error()));
    return ScoreDraft(std::move(file), std::move(known));
}

Result<void> ScoreDraft::append(std::span<const ScoreAnswer> answers) {
    std::string lines;
    for (const ScoreAnswer& answer : answers) lines.append(line_of(to_json(answer)));
    std::FILE* out = std::fopen(file_.c_str(), "ab");
    if (out == nullptr) return fail(error_from_errno(errno, "cannot write", file_));
    bool good = std::fwrite(lines.data(), 1, lines.size(), out) == lines.size() && std::fflush(out) == 0 &&
                ::fsync(::fileno(out)) == 0;
    const int error = errno;
    good = std::fclose(out) == 0 && good;
    if (!good) return fail(error_from_errno(error, "cannot write", file_));
    return {};
}

void ScoreDraft::remove(const std::string& folder, const std::string& id) {
    std::error_code ignored;
    std::filesystem::remove(draft_file(folder, id), ignored);
}

}  // namespace braid
