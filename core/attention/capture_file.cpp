#include "core/attention/capture_file.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/file.h"
#include "core/base/json.h"

namespace braid {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is written as it lies in memory");

constexpr std::string_view magic = "BRAIDATT";
constexpr std::int64_t widest = 4096;
constexpr std::size_t most_bytes = std::size_t{1} << 32;

template <class T>
void append(std::string& bytes, const std::vector<T>& values) {
    const std::size_t at = bytes.size(), size = values.size() * sizeof(T);
    bytes.resize(at + size);
    if (size > 0) std::memcpy(bytes.data() + at, values.data(), size);
}

void append_u32(std::string& bytes, std::uint32_t value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    std::uint32_t u32() {
        std::uint32_t value = 0;
        if (bytes_.size() < sizeof value) return failed_ = true, 0;
        std::memcpy(&value, bytes_.data(), sizeof value);
        bytes_.remove_prefix(sizeof value);
        return value;
    }
    std::string_view text(std::size_t size) {
        if (bytes_.size() < size) return failed_ = true, std::string_view{};
        const std::string_view text = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return text;
    }
    // Numbers that are not finite are damage, too.
    template <class T>
    std::vector<T> numbers(std::int64_t count) {
        std::vector<T> values;
        const std::string_view raw = text(static_cast<std::size_t>(count) * sizeof(T));
        if (failed_) return values;
        values.resize(static_cast<std::size_t>(count));
        if (!values.empty()) std::memcpy(values.data(), raw.data(), raw.size());
        for (const T value : values)
            if (!std::isfinite(value)) not_finite_ = true;
        return values;
    }
    bool failed() const { return failed_; }
    bool not_finite() const { return not_finite_; }
    std::size_t left() const { return bytes_.size(); }

private:
    std::string_view bytes_;
    bool failed_ = false, not_finite_ = false;
};

std::int64_t tiles_of(std::int64_t tokens, int level) {
    const std::int64_t wide = attention_tiles(tokens, level);
    return wide * (wide + 1) / 2;
}

std::int64_t pyramid_bytes(std::int64_t tokens, int finest) {
    std::int64_t tiles = 0;
    for (int level = finest; level <= std::max(finest, coarsest_attention_level(tokens)); ++level)
        tiles += tiles_of(tokens, level);
    return tiles * 2 * attention_tile_side * attention_tile_side * std::int64_t{sizeof(float)};
}

}  // namespace

std::int64_t captured_head_bytes(std::int64_t tokens, std::int64_t width, int finest) {
    return tokens * (2 * width * std::int64_t{sizeof(float)} + std::int64_t{sizeof(double)} +
                     std::int64_t{sizeof(float)}) +
           pyramid_bytes(tokens, finest) + 4096;
}

std::string to_bytes(const CapturedHead& head) {
    const HeadFactors none;
    const HeadFactors& factors = head.factors ? *head.factors : none;
    const Json header = {{"tokens", head.pyramid.tokens()}, {"width", factors.width},
                         {"window", factors.window},        {"implied", factors.implied},
                         {"factors", bool(head.factors)},   {"sink", !factors.sink_T.empty()},
                         {"finest", head.pyramid.finest()}};
    const std::string text = header.dump();
    std::string bytes(magic);
    append_u32(bytes, attention_file_version);
    append_u32(bytes, static_cast<std::uint32_t>(text.size()));
    bytes += text;
    append(bytes, factors.q_TK);
    append(bytes, factors.k_TK);
    append(bytes, factors.offset_T);
    append(bytes, factors.sink_T);
    for (int level = head.pyramid.finest(); level <= head.pyramid.coarsest(); ++level)
        for (const AttentionTile& tile : head.pyramid.tiles(level)) {
            append(bytes, tile.largest);
            append(bytes, tile.mean);
        }
    return bytes;
}

Result<CapturedHead> captured_head_from_bytes(std::string_view bytes, const std::string& file) {
    const auto damaged = [&file](const std::string& what) {
        return fail(ErrorKind::corrupt, "is no captured head: " + what, file, "Capture the head again.");
    };
    Reader reader(bytes);
    if (reader.text(magic.size()) != magic) return damaged("it does not begin with BRAIDATT");
    const std::uint32_t version = reader.u32();
    if (!reader.failed() && version > attention_file_version)
        return fail(ErrorKind::invalid_input,
                    "version: must be at most " + std::to_string(attention_file_version) + ", got " +
                        std::to_string(version),
                    file, "It was written by a newer Braid.");
    const std::string_view text = reader.text(reader.u32());
    if (reader.failed() || version == 0) return damaged("its header is cut off");
    const Result<Json> parsed = parse_json(std::string(text), file);
    if (!parsed || !parsed->is_object()) return damaged("its header is no JSON object");
    const Json& header = *parsed;
    const auto number = [&header](const char* key, std::int64_t least, std::int64_t most) -> std::int64_t {
        const auto at = header.find(key);
        if (at == header.end() || !at->is_number_integer()) return -1;
        const auto value = at->get<std::int64_t>();
        return value < least || value > most ? -1 : value;
    };
    const auto flag = [&header](const char* key) {
        const auto at = header.find(key);
        return at != header.end() && at->is_boolean() && at->get<bool>();
    };
    const std::int64_t tokens = number("tokens", 1, longest_captured_text);
    const std::int64_t width = number("width", 0, widest);
    const std::int64_t window = number("window", 0, longest_captured_text);
    const std::int64_t finest = number("finest", 0, 20);
    if (tokens < 0 || width < 0 || window < 0 || finest < 0)
        return damaged("tokens, width, window or finest of its header are missing or out of range");
    // Before anything is allocated: what the header says must be what the file holds.
    const bool with_factors = flag("factors"), with_sink = flag("sink");
    const std::int64_t expected = (with_factors ? tokens * (2 * width * 4 + 8 + (with_sink ? 4 : 0)) : 0) +
                                  pyramid_bytes(tokens, static_cast<int>(finest));
    if (static_cast<std::int64_t>(reader.left()) != expected)
        return damaged("must have " + std::to_string(expected) + " bytes behind its header, got " +
                       std::to_string(reader.left()));

    CapturedHead head;
    if (with_factors) {
        HeadFactors factors{.tokens = tokens, .width = width, .window = window, .implied = flag("implied")};
        factors.q_TK = reader.numbers<float>(tokens * width);
        factors.k_TK = reader.numbers<float>(tokens * width);
        factors.offset_T = reader.numbers<double>(tokens);
        if (with_sink) factors.sink_T = reader.numbers<float>(tokens);
        head.factors = std::move(factors);
    }
    head.pyramid = AttentionPyramid(tokens, static_cast<int>(finest));
    for (int level = head.pyramid.finest(); level <= head.pyramid.coarsest(); ++level) {
        std::vector<AttentionTile> tiles(static_cast<std::size_t>(tiles_of(tokens, level)));
        for (AttentionTile& tile : tiles) {
            tile.largest = reader.numbers<float>(attention_tile_side * attention_tile_side);
            tile.mean = reader.numbers<float>(attention_tile_side * attention_tile_side);
        }
        if (!head.pyramid.set_tiles(level, std::move(tiles))) return damaged("its tiles do not fit");
    }
    if (reader.failed()) return damaged("it is cut off");
    if (reader.not_finite()) return damaged("it holds numbers that are not finite");
    return head;
}

Result<void> write_captured_head(const std::string& file, const CapturedHead& head) {
    return write_file_atomically(file, to_bytes(head));
}

Result<CapturedHead> read_captured_head(const std::string& file) {
    const Result<std::string> bytes = read_file(file, most_bytes);
    if (!bytes) return fail(bytes.error());
    return captured_head_from_bytes(*bytes, file);
}

}  // namespace braid
