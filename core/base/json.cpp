#include "core/base/json.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>

#include "core/base/file.h"

namespace braid {
namespace {

constexpr std::size_t max_json_bytes = std::size_t{64} << 20;
constexpr int max_json_depth = 256;

}  // namespace

Result<Json> parse_json(std::string_view text, std::string path) {
    if (text.size() > max_json_bytes)
        return fail(ErrorKind::invalid_input,
                    "JSON of " + std::to_string(text.size()) + " bytes; the limit is 64 MiB",
                    std::move(path));
    bool too_deep = false;
    const auto watch_depth = [&too_deep](int depth, Json::parse_event_t, Json&) {
        too_deep = too_deep || depth > max_json_depth;
        return !too_deep;
    };
    try {
        Json value = Json::parse(text.begin(), text.end(), watch_depth);
        if (too_deep)
            return fail(ErrorKind::invalid_input, "JSON nested deeper than 256 levels", std::move(path));
        return value;
    } catch (const Json::parse_error& error) {
        const std::size_t at = std::min<std::size_t>(error.byte == 0 ? 0 : error.byte - 1, text.size());
        std::size_t line = 1;
        std::size_t column = 1;
        for (std::size_t i = 0; i < at; ++i) {
            ++column;
            if (text[i] == '\n') {
                ++line;
                column = 1;
            }
        }
        std::string what =
            error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
        if (const auto cut = what.find(": "); cut != std::string::npos) what.erase(0, cut + 2);
        return fail(
            ErrorKind::invalid_input,
            "not JSON at line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what,
            std::move(path));
    } catch (const Json::out_of_range& error) {
        // The parser's only other exception: JSON, but 1e999 is no double.
        std::string what = error.what();
        if (const auto quote = what.find('\''); quote != std::string::npos) what.erase(0, quote);
        return fail(ErrorKind::invalid_input, "a number of the JSON is too large: " + what, std::move(path));
    }
}

Result<Json> read_json(const std::string& file) {
    return read_file(file, max_json_bytes).and_then([&](const std::string& text) {
        return parse_json(text, file);
    });
}

Result<void> write_json_atomically(const std::string& file, const Json& value) {
    return write_file_atomically(file, value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string content_hash(const Json& value) {
    return content_hash(std::string_view(value.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

std::string content_hash(std::string_view bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const XXH64_hash_t half : {hash.high64, hash.low64})
        for (int shift = 60; shift >= 0; shift -= 4) text += digits[(half >> shift) & 15U];
    return text;
}

}  // namespace braid
