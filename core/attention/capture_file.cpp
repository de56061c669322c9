#include "core/attention/capture_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/file.h"
#include "core/base/json.h"

namespace braid {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is written as it lies in memory");

constexpr std::string_view magic = "BRAIDATT";
constexpr std::int64_t widest = 4096;
constexpr std::size_t most_bytes = std::size_t{1} << 32;
constexpr std::size_t bytes_at_once = std::size_t{4} << 20;  // a slow disk takes them soon

template <class T>
void append(std::string& bytes, const T* values, std::size_t count) {
    bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}
template <class T>
void append(std::string& bytes, const std::vector<T>& values) {
    append(bytes, values.data(), values.size());
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
    void numbers(std::int64_t count, T* values) {
        const std::string_view raw = text(static_cast<std::size_t>(count) * sizeof(T));
        if (failed_ || raw.empty()) return;
        std::memcpy(values, raw.data(), raw.size());
        for (std::int64_t i = 0; i < count; ++i)
            if (!std::isfinite(values[i])) not_finite_ = true;
    }
    // `count` is known to be there.
    template <class T>
    std::vector<T> numbers(std::int64_t count) {
        std::vector<T> values(static_cast<std::size_t>(count));
        numbers(count, values.data());
        return values;
    }
    bool failed() const { return failed_; }
    bool not_finite() const { return not_finite_; }
    std::size_t left() const { return bytes_.size(); }

private:
    std::string_view bytes_;
    bool failed_ = false, not_finite_ = false;
};

// f(row, column) for the tiles of a level, in the order of AttentionPyramid::tiles().
template <class F>
void for_tiles(std::int64_t tokens, int level, F&& f) {
    for (std::int64_t row = 0; row < attention_tiles(tokens, level); ++row)
        for (std::int64_t column = 0; column <= row; ++column) f(row, column);
}

// f(offset, count) for each line of a tile: where its squares that hold a pair lie.
template <class F>
void for_lines(std::int64_t tokens, int level, std::int64_t row, std::int64_t column, F&& f) {
    for (std::int64_t line = 0; line < attention_tile_side; ++line)
        f(line * attention_tile_side, seen_squares(tokens, level, row, column, line));
}

std::int64_t pyramid_bytes(std::int64_t tokens, int finest) {
    std::int64_t numbers = 0;
    for (int level = finest; level <= std::max(finest, coarsest_attention_level(tokens)); ++level)
        for_tiles(tokens, level, [&](std::int64_t row, std::int64_t column) {
            numbers += seen_squares(tokens, level, row, column) * (level > 0 ? 2 : 1);
        });
    return numbers * std::int64_t{sizeof(float)};
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
                         {"diagonal", factors.diagonal},    {"factors", bool(head.factors)},
                         {"sink", !factors.sink_T.empty()}, {"finest", head.pyramid.finest()}};
    const std::string text = header.dump();
    std::string bytes(magic);
    bytes.reserve(static_cast<std::size_t>(
        captured_head_bytes(head.pyramid.tokens(), factors.width, head.pyramid.finest())));
    append_u32(bytes, attention_file_version);
    append_u32(bytes, static_cast<std::uint32_t>(text.size()));
    bytes += text;
    append(bytes, factors.q_TK);
    append(bytes, factors.k_TK);
    append(bytes, factors.offset_T);
    append(bytes, factors.sink_T);
    const std::int64_t tokens = head.pyramid.tokens();
    for (int level = head.pyramid.finest(); level <= head.pyramid.coarsest(); ++level)
        for_tiles(tokens, level, [&](std::int64_t row, std::int64_t column) {
            const AttentionTile& tile = *head.pyramid.tile(level, row, column);
            for (const std::vector<float>* values : {&tile.largest, &tile.mean}) {
                if (level == 0 && values == &tile.mean) continue;
                for_lines(tokens, level, row, column, [&](std::int64_t at, std::int64_t count) {
                    append(bytes, values->data() + at, static_cast<std::size_t>(count));
                });
            }
        });
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
        if (const auto at = header.find("diagonal"); at != header.end()) {
            factors.diagonal = at->is_number() ? at->get<float>() : std::numeric_limits<float>::infinity();
            if (!std::isfinite(factors.diagonal)) return damaged("diagonal of its header is no number");
        }
        factors.q_TK = reader.numbers<float>(tokens * width);
        factors.k_TK = reader.numbers<float>(tokens * width);
        factors.offset_T = reader.numbers<double>(tokens);
        if (with_sink) factors.sink_T = reader.numbers<float>(tokens);
        head.factors = std::move(factors);
    }
    head.pyramid = AttentionPyramid(tokens, static_cast<int>(finest));
    for (int level = head.pyramid.finest(); level <= head.pyramid.coarsest(); ++level) {
        std::vector<AttentionTile> tiles;
        for_tiles(tokens, level, [&](std::int64_t row, std::int64_t column) {
            AttentionTile& tile = tiles.emplace_back(*head.pyramid.tile(level, row, column));  // zeros
            for (std::vector<float>* values : {&tile.largest, &tile.mean}) {
                if (level == 0 && values == &tile.mean) {
                    tile.mean = tile.largest;
                    continue;
                }
                for_lines(tokens, level, row, column, [&](std::int64_t at, std::int64_t count) {
                    reader.numbers(count, values->data() + at);
                });
            }
        });
        if (!head.pyramid.set_tiles(level, std::move(tiles))) return damaged("its tiles do not fit");
    }
    if (reader.failed()) return damaged("it is cut off");
    if (reader.not_finite()) return damaged("it holds numbers that are not finite");
    return head;
}

Result<void> write_captured_head(const std::string& file, const CapturedHead& head,
                                 const std::function<bool()>& go_on) {
    const std::string bytes = to_bytes(head);
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor < 0) return fail(error_from_errno(errno, "cannot create", file));
    std::string_view left = bytes;
    int problem = 0;
    bool stopped = false;
    while (!left.empty() && problem == 0) {
        if (go_on && !go_on()) {
            stopped = true;
            break;
        }
        const ssize_t written = ::write(descriptor, left.data(), std::min(left.size(), bytes_at_once));
        if (written >= 0)
            left.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            problem = errno;
    }
    if (::close(descriptor) != 0 && problem == 0) problem = errno;
    if (problem != 0) return fail(error_from_errno(problem, "cannot write", file));
    if (stopped) return fail(ErrorKind::interrupted, "stopped", file);
    return {};
}

Result<CapturedHead> read_captured_head(const std::string& file) {
    const Result<std::string> bytes = read_file(file, most_bytes);
    if (!bytes) return fail(bytes.error());
    return captured_head_from_bytes(*bytes, file);
}

}  // namespace braid
