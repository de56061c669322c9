#include "core/attention/coarsest_tile.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "core/attention/capture_file.h"
#include "core/base/json.h"

namespace braid {
namespace {

constexpr std::size_t most_header = 4096;

std::int64_t integer_of(const Json& header, const char* key, std::int64_t most) {
    const auto at = header.find(key);
    if (at == header.end() || !at->is_number_integer()) return -1;
    const auto value = at->get<std::int64_t>();
    return value < 0 || value > most ? -1 : value;
}

}  // namespace

Result<CoarsestTile> read_coarsest_tile(const std::string& file) {
    const auto damaged = [&file](const char* what) {
        return fail(ErrorKind::corrupt, std::string("is no captured head: ").append(what), file,
                    "Capture the head again.");
    };
    std::ifstream in(file, std::ios::binary);
    if (!in) return fail(ErrorKind::not_found, "cannot be opened", file, "Capture the head again.");
    char start[16];
    if (!in.read(start, sizeof start) || std::memcmp(start, "BRAIDATT", 8) != 0)
        return damaged("it does not begin with BRAIDATT");
    std::uint32_t version = 0, length = 0;
    std::memcpy(&version, start + 8, sizeof version);
    std::memcpy(&length, start + 12, sizeof length);
    if (version == 0 || version > attention_file_version || length > most_header)
        return damaged("its version or its header is none of this program's");
    std::string text(length, '\0');
    if (!in.read(text.data(), static_cast<std::streamsize>(length))) return damaged("its header is cut off");
    const Result<Json> header = parse_json(text, file);
    if (!header || !header->is_object()) return damaged("its header is no JSON object");
    const std::int64_t tokens = integer_of(*header, "tokens", longest_captured_text);
    const std::int64_t finest = integer_of(*header, "finest", 20);
    if (tokens < 1 || finest < 0) return damaged("tokens or finest of its header are out of range");

    CoarsestTile read{.tokens = tokens,
                      .level = std::max(static_cast<int>(finest), coarsest_attention_level(tokens)),
                      .tile = {}};
    // Only squares that hold a pair are in the file; single weights once, others with their means.
    const std::int64_t numbers = seen_squares(tokens, read.level, 0, 0);
    const auto bytes = static_cast<std::streamoff>(numbers * (read.level > 0 ? 2 : 1) * 4);
    in.seekg(0, std::ios::end);
    if (in.tellg() < static_cast<std::streamoff>(sizeof start + length) + bytes)
        return damaged("its last tile is cut off");
    in.seekg(-bytes, std::ios::end);
    for (std::vector<float>* values : {&read.tile.largest, &read.tile.mean}) {
        values->assign(attention_tile_side * attention_tile_side, 0.0F);
        if (read.level == 0 && values == &read.tile.mean) {
            read.tile.mean = read.tile.largest;
            continue;
        }
        for (std::int64_t line = 0; line < attention_tile_side; ++line) {
            const std::int64_t count = seen_squares(tokens, read.level, 0, 0, line);
            if (!in.read(reinterpret_cast<char*>(values->data() + line * attention_tile_side), count * 4))
                return damaged("its last tile cannot be read");
        }
    }
    const auto finite = [](float value) { return std::isfinite(value); };
    if (!std::all_of(read.tile.largest.begin(), read.tile.largest.end(), finite) ||
        !std::all_of(read.tile.mean.begin(), read.tile.mean.end(), finite))
        return damaged("it holds numbers that are not finite");
    return read;
}

}  // namespace braid
