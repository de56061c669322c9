#include "core/record/capture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "core/record/record_files.h"
#include "core/record/record_json.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t coarsest_level = 20;
constexpr const char* description = "capture.json";

constexpr std::array<std::pair<const char*, CaptureSource>, 3> sources = {{
    {"needle", CaptureSource::needle},
    {"prompt", CaptureSource::prompt},
    {"tokens", CaptureSource::tokens},
}};

constexpr std::array<std::pair<const char*, std::optional<double> CaptureScores::*>, 4> score_names = {{
    {"needle", &CaptureScores::needle},
    {"entropy", &CaptureScores::entropy},
    {"sink", &CaptureScores::sink},
    {"far", &CaptureScores::far},
}};

Json to_json(const CaptureSpan& span) { return {{"begin", span.begin}, {"end", span.end}}; }

Json to_json(const CaptureHead& head) {
    Json scores = Json::object();
    for (const auto& [name, score] : score_names) scores[name] = finite_json(head.scores.*score);
    return {{"layer", head.layer},     {"head", head.head},     {"mixer", head.mixer},
            {"implied", head.implied}, {"window", head.window}, {"has_sink", head.has_sink},
            {"factors", head.factors}, {"finest", head.finest}, {"scores", std::move(scores)},
            {"file", head.file}};
}

void read_span(JsonReader& reader, CaptureSpan& span, std::int64_t tokens) {
    reader.require("begin");
    reader.require("end");
    reader.integer("begin", span.begin, 0, tokens);
    reader.integer("end", span.end, 0, tokens);
    if (span.end < span.begin) reader.report(reader.place("end"), "must not be before begin", span.end);
}

CaptureHead head_from(const Json& json, const std::string& place, const std::vector<CaptureLayer>& layers,
                      Diagnostics& problems) {
    CaptureHead head;
    JsonReader reader(json, place, problems);
    for (const char* key : {"layer", "head", "mixer", "finest", "file"}) reader.require(key);
    const auto depth = static_cast<std::int64_t>(layers.size());
    reader.integer("layer", head.layer, 0, std::max<std::int64_t>(depth - 1, 0));
    if (head.layer >= 0 && head.layer < depth)
        reader.integer("head", head.head, 0,
                       std::max<std::int64_t>(layers[static_cast<std::size_t>(head.layer)].heads - 1, 0));
    reader.text("mixer", head.mixer);
    reader.flag("implied", head.implied);
    reader.integer("window", head.window, 0);
    reader.flag("has_sink", head.has_sink);
    reader.flag("factors", head.factors);
    std::int64_t finest = 0;
    reader.integer("finest", finest, 0, coarsest_level);
    head.finest = static_cast<int>(finest);
    if (const Json* scores = reader.find("scores")) {
        JsonReader inner(*scores, reader.place("scores"), problems);
        for (const auto& [name, score] : score_names) read_optional(inner, name, head.scores.*score);
        inner.refuse_unknown_keys();
    }
    reader.text("file", head.file);
    if (!is_plain_name(head.file))
        reader.report(reader.place("file"), "must be the name of a file in the same folder", head.file);
    reader.refuse_unknown_keys();
    return head;
}

// Whole numbers from 0 on.
void read_numbers_from_0(JsonReader& reader, const std::string& key, std::int64_t below,
                         std::vector<std::int64_t>& numbers) {
    each_item(reader, key, [&](const Json& number, const std::string& place) {
        const bool huge =
            number.is_number_unsigned() && number.get<std::uint64_t>() >= static_cast<std::uint64_t>(below);
        const bool fits = number.is_number_integer() && !huge && number.get<std::int64_t>() >= 0 &&
                          number.get<std::int64_t>() < below;
        if (fits)
            numbers.push_back(number.get<std::int64_t>());
        else
            reader.report(place, "must be a whole number from 0 to " + std::to_string(below - 1), number);
    });
}

void read_text(JsonReader& reader, Capture& capture, Diagnostics& problems) {
    std::string source;
    reader.require("source");
    reader.text("source", source);
    bool known = false;
    for (const auto& [name, value] : sources)
        if (source == name) known = true, capture.source = value;
    if (!known) reader.report("source", "must be one of needle, prompt, tokens", source);

    reader.require("tokens");
    read_numbers_from_0(reader, "tokens", std::int64_t{1} << 31, capture.tokens);
    const auto count = static_cast<std::int64_t>(capture.tokens.size());
    if (count == 0) reader.report("tokens", "must have at least one token");
    reader.require("texts");
    read_texts(reader, "texts", capture.texts);
    if (capture.texts.size() != capture.tokens.size())
        reader.report("texts", "must have as many entries as tokens (" + std::to_string(count) + ")",
                      capture.texts.size());
    each_item(reader, "needles", [&](const Json& item, const std::string& place) {
        CaptureNeedle needle;
        JsonReader inner(item, place, problems);
        read_span(inner, needle.span, count);
        inner.text("label", needle.label);
        inner.refuse_unknown_keys();
        capture.needles.push_back(std::move(needle));
    });
    if (const Json* answer = reader.find("answer")) {
        CaptureSpan span;
        JsonReader inner(*answer, "answer", problems);
        read_span(inner, span, count);
        inner.refuse_unknown_keys();
        capture.answer = span;
    }
    read_numbers_from_0(reader, "documents", std::max<std::int64_t>(count, 1), capture.documents);
    if (!std::is_sorted(capture.documents.begin(), capture.documents.end()))
        reader.report("documents", "must ascend");
    if (const Json* context = reader.find("trained_context"); context != nullptr && !context->is_null()) {
        std::int64_t tokens = 0;
        reader.integer("trained_context", tokens, 1);
        capture.trained_context = tokens;
    }
}

}  // namespace

std::int64_t far_distance(std::int64_t tokens) { return std::clamp<std::int64_t>(tokens / 8, 1, 128); }

const CaptureHead* Capture::find(std::int64_t layer, std::int64_t head) const {
    const auto at = std::find_if(heads.begin(), heads.end(), [&](const CaptureHead& each) {
        return each.layer == layer && each.head == head;
    });
    return at == heads.end() ? nullptr : &*at;
}

Json to_json(const Capture& capture) {
    Json json = {
        {"schema_version", capture_schema_version},
        {"created", capture.created},
        {"command", capture.command},
        {"checkpoint", to_json(capture.checkpoint)},
        {"settings", capture.settings},
        {"tokens", capture.tokens},
        {"texts", capture.texts},
        {"documents", capture.documents},
        {"notes", capture.notes},
        {"trained_context", capture.trained_context ? Json(*capture.trained_context) : Json(nullptr)}};
    for (const auto& [name, value] : sources)
        if (value == capture.source) json["source"] = name;
    if (capture.tokens_seen) json["tokens_seen"] = *capture.tokens_seen;
    if (capture.answer) json["answer"] = to_json(*capture.answer);
    json["needles"] = json["layers"] = json["heads"] = Json::array();
    for (const CaptureNeedle& needle : capture.needles) {
        Json one = to_json(needle.span);
        one["label"] = needle.label;
        json["needles"].push_back(std::move(one));
    }
    for (const CaptureLayer& layer : capture.layers)
        json["layers"].push_back({{"mixer", layer.mixer}, {"heads", layer.heads}});
    for (const CaptureHead& head : capture.heads) json["heads"].push_back(to_json(head));
    return json;
}

Checked<Capture> capture_from_json(const Json& json) {
    Diagnostics problems;
    Capture capture;
    JsonReader reader(json, "", problems);
    if (!reader.is_object() || !reader.schema_version(capture_schema_version))
        return tl::unexpected(std::move(problems));
    reader.text("created", capture.created);
    reader.text("command", capture.command);
    if (const Json* checkpoint = reader.require("checkpoint"))
        reader.take("checkpoint", origin_from_json(*checkpoint), capture.checkpoint);
    if (reader.find("tokens_seen") != nullptr) {
        std::int64_t seen = 0;
        reader.integer("tokens_seen", seen, 0);
        capture.tokens_seen = seen;
    }
    if (const Json* settings = reader.require("settings")) {
        if (settings->is_object())
            capture.settings = *settings;
        else
            reader.report("settings", "must be an object", *settings);
    }
    read_text(reader, capture, problems);
    read_texts(reader, "notes", capture.notes);
    reader.require("layers");
    each_item(reader, "layers", [&](const Json& item, const std::string& place) {
        CaptureLayer layer;
        JsonReader inner(item, place, problems);
        inner.require("mixer");
        inner.text("mixer", layer.mixer);
        inner.integer("heads", layer.heads, 0);
        inner.refuse_unknown_keys();
        capture.layers.push_back(std::move(layer));
    });
    reader.require("heads");
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    each_item(reader, "heads", [&](const Json& item, const std::string& place) {
        capture.heads.push_back(head_from(item, place, capture.layers, problems));
        if (!seen.emplace(capture.heads.back().layer, capture.heads.back().head).second)
            reader.report(place, "must be another head than those before it");
    });
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return capture;
}

std::string capture_id(const Capture& capture) {
    std::string id = record_id(capture.checkpoint.step, "", capture.settings);
    return id.erase(id.rfind('-'), 1);
}

std::string capture_file_name(std::int64_t layer, std::int64_t head) {
    std::string name = std::to_string(layer);
    return name.append(".").append(std::to_string(head)).append(".att");
}

Result<Capture> read_capture(const std::string& folder) {
    const std::string file = (fs::path(folder) / description).string();
    return read_json(file).and_then([&](const Json& json) -> Result<Capture> {
        Checked<Capture> capture = capture_from_json(json);
        if (!capture) return fail(to_error(capture.error(), file));
        capture->folder = folder;
        return std::move(*capture);
    });
}

Result<void> write_capture_description(const std::string& folder, const Capture& capture) {
    return write_json_atomically((fs::path(folder) / description).string(), to_json(capture));
}

CaptureList list_captures(const std::string& folder_of_captures) {
    CaptureList list;
    std::error_code error;
    std::vector<std::string> folders;
    for (fs::directory_iterator at(folder_of_captures, error), end; !error && at != end;
         at.increment(error)) {
        std::error_code ignored;
        const std::string name = at->path().filename().string();
        if (name.front() != '.' && at->is_directory(ignored)) folders.push_back(at->path().string());
    }
    if (error && error != std::errc::no_such_file_or_directory)
        list.problems.push_back(error_from_errno(error.value(), "cannot read", folder_of_captures));
    std::sort(folders.begin(), folders.end());
    for (const std::string& folder : folders) {
        if (Result<Capture> capture = read_capture(folder))
            list.captures.push_back(std::move(*capture));
        else
            list.problems.push_back(std::move(capture.error()));
    }
    std::stable_sort(list.captures.begin(), list.captures.end(), [](const Capture& a, const Capture& b) {
        return a.checkpoint.step < b.checkpoint.step;
    });
    return list;
}

}  // namespace braid
