#include "core/data/r_data.h"

#include <zlib.h>

#include <cstdint>

#include "core/base/file.h"

namespace braid {
namespace {

constexpr std::size_t max_file = std::size_t{1} << 30;
constexpr std::size_t max_record = std::size_t{256} << 20;
constexpr std::uint32_t type_mask = 0xFF;
constexpr std::uint32_t text_vector = 16;  // STRSXP
constexpr std::uint32_t text_element = 9;  // CHARSXP

class Cursor {
public:
    explicit Cursor(std::string_view bytes) : bytes_(bytes) {}
    bool integer(std::uint32_t& value) {
        if (bytes_.size() < 4) return false;
        value = 0;
        for (int i = 0; i < 4; ++i)
            value = (value << 8) | static_cast<unsigned char>(bytes_[static_cast<std::size_t>(i)]);
        bytes_.remove_prefix(4);
        return true;
    }
    bool text(std::size_t length, std::string_view& value) {
        if (bytes_.size() < length) return false;
        value = bytes_.substr(0, length);
        bytes_.remove_prefix(length);
        return true;
    }

private:
    std::string_view bytes_;
};

tl::unexpected<Error> damaged(const std::string& file, const std::string& what) {
    return fail(ErrorKind::corrupt, "is no data base of R: " + what, file, "Install the package again");
}

}  // namespace

Result<std::string> text_of_r_vector(std::string_view serialised, const std::string& file) {
    Cursor cursor(serialised);
    std::string_view format;
    std::uint32_t version = 0;
    std::uint32_t number = 0;
    if (!cursor.text(2, format) || format != "X\n" || !cursor.integer(version) || !cursor.integer(number) ||
        !cursor.integer(number) || (version != 2 && version != 3))
        return damaged(file, "a record is not serialised in XDR, version 2 or 3");
    if (version == 3) {
        std::string_view encoding;
        if (!cursor.integer(number) || !cursor.text(number, encoding))
            return damaged(file, "a record is cut off");
    }
    std::uint32_t flags = 0;
    if (!cursor.integer(flags)) return damaged(file, "a record is cut off");
    if ((flags & type_mask) != text_vector) return std::string();
    std::uint32_t count = 0;
    if (!cursor.integer(count)) return damaged(file, "a record is cut off");
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint32_t length = 0;
        std::string_view element;
        if (!cursor.integer(flags) || (flags & type_mask) != text_element || !cursor.integer(length))
            return damaged(file, "a text is cut off");
        if (length == 0xFFFFFFFFU) continue;  // NA
        if (!cursor.text(length, element)) return damaged(file, "a text is cut off");
        text.append(element).push_back('\n');
    }
    return text;
}

Result<void> read_r_data(const std::string& file, const std::atomic<bool>* cancel,
                         const std::function<Result<void>(std::string_view)>& document) {
    const Result<std::string> bytes = read_file(file, max_file);
    if (!bytes) return fail(bytes.error());
    std::size_t at = 0;
    std::string content;
    while (at < bytes->size()) {
        if (cancel != nullptr && cancel->load()) return fail(ErrorKind::interrupted, "stopped", file);
        Cursor cursor(std::string_view(*bytes).substr(at));
        std::uint32_t length = 0;
        if (!cursor.integer(length) || length > max_record)
            return damaged(file, "a record's length is wrong");
        at += 4;
        content.resize(length);
        z_stream stream{};
        inflateInit(&stream);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes->data() + at));
        stream.avail_in = static_cast<uInt>(bytes->size() - at);
        stream.next_out = reinterpret_cast<Bytef*>(content.data());
        stream.avail_out = static_cast<uInt>(content.size());
        const int code = inflate(&stream, Z_FINISH);
        const std::size_t used = stream.total_in;
        const std::size_t made = stream.total_out;
        inflateEnd(&stream);
        if (code != Z_STREAM_END || made != length) return damaged(file, "a record cannot be unpacked");
        at += used;
        const Result<std::string> text = text_of_r_vector(content, file);
        if (!text) return fail(text.error());
        if (text->empty()) continue;
        if (Result<void> done = document(*text); !done) return done;
    }
    return {};
}

}  // namespace braid
