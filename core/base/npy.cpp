#include "core/base/npy.h"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/base/file.h"

namespace braid {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_dimensions = 32;

tl::unexpected<Error> foreign(std::string what, const std::string& path) {
    return fail(ErrorKind::corrupt, "no valid .npy file: " + std::move(what), path);
}

// The header is a Python dictionary: {'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }
class Dictionary {
public:
    explicit Dictionary(std::string_view text) : rest_(text) {}

    bool read(NpyHeader& header) {
        bool descr = false, order = false, shape = false;
        if (!take('{')) return false;
        while (!take('}')) {
            std::string_view key;
            if (!quoted(key) || !take(':')) return false;
            if (key == "descr" && !std::exchange(descr, true)) {
                if (!read_type(header)) return false;
            } else if (key == "fortran_order" && !std::exchange(order, true)) {
                if (!read_order(header)) return false;
            } else if (key == "shape" && !std::exchange(shape, true)) {
                if (!read_shape(header)) return false;
            } else {
                return false;
            }
            take(',');
        }
        blanks();
        return descr && order && shape && rest_.empty();
    }

private:
    void blanks() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t'))
            rest_.remove_prefix(1);
    }
    bool take(char c) {
        blanks();
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool word(std::string_view wanted) {
        blanks();
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(wanted.size());
        return true;
    }
    bool quoted(std::string_view& text) {
        blanks();
        if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return false;
        const std::size_t end = rest_.find(rest_.front(), 1);
        if (end == std::string_view::npos) return false;
        text = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return true;
    }
    bool read_type(NpyHeader& header) {
        std::string_view text;
        if (!quoted(text) || text.size() < 3) return false;
        header.big_endian = text[0] == '>';
        if (std::string_view("<>|=").find(text[0]) == std::string_view::npos) return false;
        header.kind = text[1];
        const auto read = std::from_chars(text.data() + 2, text.data() + text.size(), header.bytes);
        return read.ec == std::errc() && read.ptr == text.data() + text.size() && header.bytes >= 1 &&
               header.bytes <= 16;
    }
    bool read_order(NpyHeader& header) {
        header.by_columns = word("True");
        return header.by_columns || word("False");
    }
    bool read_shape(NpyHeader& header) {
        if (!take('(')) return false;
        while (!take(')')) {
            blanks();
            std::int64_t size = -1;
            const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
            if (read.ec != std::errc() || size < 0 || header.shape.size() >= max_dimensions) return false;
            rest_.remove_prefix(std::size_t(read.ptr - rest_.data()));
            header.shape.push_back(size);
            take(',');
        }
        return true;
    }

    std::string_view rest_;
};

// Of unsigned numbers those that an int64 does not hold; at most `most` are told.
Diagnostics too_large(std::string_view bytes, std::size_t count, std::size_t most) {
    Diagnostics problems;
    for (std::size_t i = 0; i < count && problems.size() < most; ++i) {
        std::uint64_t value = 0;
        std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
        if (value > std::uint64_t(INT64_MAX))
            problems.push_back({.path = "[" + std::to_string(i) + "]",
                                .rule = "must be at most " + std::to_string(INT64_MAX),
                                .found = std::to_string(value)});
    }
    return problems;
}

template <class T>
void widen(std::string_view bytes, std::vector<std::int64_t>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        T value;
        std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
        values[i] = static_cast<std::int64_t>(value);  // NOLINT(bugprone-signed-char-misuse): an int8
    }
}

}  // namespace

std::int64_t NpyHeader::elements() const {
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        if (__builtin_mul_overflow(count, size, &count)) return INT64_MAX;
    return count;
}

Result<NpyHeader> parse_npy_header(std::string_view start, const std::string& path) {
    if (!start.starts_with(magic)) return foreign("it does not begin as one", path);
    if (start.size() < 10) return foreign("its header is cut short", path);
    const int version = static_cast<unsigned char>(start[6]);
    if (version < 1 || version > 3) return foreign("version " + std::to_string(version), path);
    const std::size_t prefix = version == 1 ? 10 : 12;
    if (start.size() < prefix) return foreign("its header is cut short", path);
    std::size_t length = 0;
    for (std::size_t i = prefix; i-- > 8;) length = length << 8 | static_cast<unsigned char>(start[i]);
    if (length > start.size() - prefix) return foreign("its header is cut short", path);
    NpyHeader header;
    if (!Dictionary(start.substr(prefix, length)).read(header))
        return foreign("its header does not name type, order and shape as NumPy does", path);
    header.data_begin = prefix + length;
    return header;
}

Result<NpyIntegers> read_npy_integers(const std::string& file) {
    const Result<std::string> bytes = read_file(file);
    if (!bytes) return fail(bytes.error());
    const Result<NpyHeader> header = parse_npy_header(*bytes, file);
    if (!header) return fail(header.error());
    if ((header->kind != 'i' && header->kind != 'u') || header->big_endian || header->bytes > 8 ||
        std::popcount(header->bytes) != 1)
        return fail(ErrorKind::invalid_input,
                    std::string("must hold whole numbers, little-endian, got type ") +
                        (header->big_endian ? ">" : "") + header->kind + std::to_string(header->bytes),
                    file, "Save it with .astype('int64')");
    if (header->by_columns && header->shape.size() > 1)
        return fail(ErrorKind::invalid_input, "must lie by rows (fortran_order is True)", file);
    const std::string_view data = std::string_view(*bytes).substr(header->data_begin);
    std::int64_t size = 0;
    if (__builtin_mul_overflow(header->elements(), std::int64_t(header->bytes), &size) ||
        size != std::int64_t(data.size()))
        return foreign("its shape needs another number of bytes than the " + std::to_string(data.size()) +
                           " behind its header",
                       file);
    NpyIntegers made{.shape = header->shape,
                     .values = std::vector<std::int64_t>(std::size_t(header->elements()))};
    const bool is_signed = header->kind == 'i';
    constexpr std::size_t most_problems = 8;
    if (!is_signed && header->bytes == 8)
        if (const Diagnostics problems = too_large(data, made.values.size(), most_problems);
            !problems.empty())
            return fail(to_error(problems, file));
    switch (header->bytes) {
        case 1:
            is_signed ? widen<std::int8_t>(data, made.values) : widen<std::uint8_t>(data, made.values);
            break;
        case 2:
            is_signed ? widen<std::int16_t>(data, made.values) : widen<std::uint16_t>(data, made.values);
            break;
        case 4:
            is_signed ? widen<std::int32_t>(data, made.values) : widen<std::uint32_t>(data, made.values);
            break;
        default:
            is_signed ? widen<std::int64_t>(data, made.values) : widen<std::uint64_t>(data, made.values);
    }
    return made;
}

NpyWriter::NpyWriter(NpyWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      file_(std::move(other.file_)),
      unfinished_(std::move(other.unfinished_)),
      type_(other.type_),
      left_(other.left_) {}

NpyWriter::~NpyWriter() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(unfinished_.c_str());
}

namespace {

Result<void> write_all(int descriptor, const char* bytes, std::size_t count, const std::string& file) {
    while (count > 0) {
        const ssize_t n = ::write(descriptor, bytes, count);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(error_from_errno(errno, "cannot write", file));
        bytes += n;
        count -= std::size_t(n);
    }
    return {};
}

}  // namespace

Result<NpyWriter> NpyWriter::create(const std::string& file, const std::vector<std::int64_t>& shape,
                                    NpyType type) {
    std::string text = "{'descr': '";
    text.append(type == NpyType::float32 ? "<f4" : "<i4").append("', 'fortran_order': False, 'shape': (");
    std::uint64_t elements = 1;
    for (const std::int64_t size : shape) {
        text.append(std::to_string(size)).append(", ");
        elements *= static_cast<std::uint64_t>(size);
    }
    text.append("), }");
    text.resize((text.size() + 10 + 1 + 63) / 64 * 64 - 10, ' ');  // the data begin aligned
    text.back() = '\n';
    std::string head(magic);
    head.append({'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)});
    const std::string unfinished = file + ".unfinished-" + std::to_string(::getpid());
    const int descriptor = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor < 0) return fail(error_from_errno(errno, "cannot create", file));
    NpyWriter writer(descriptor, file, unfinished, type);
    writer.left_ = elements;
    head.append(text);
    if (Result<void> done = write_all(descriptor, head.data(), head.size(), file); !done)
        return fail(std::move(done.error()));
    return writer;
}

Result<void> NpyWriter::write_bytes(NpyType type, const void* bytes, std::size_t count, std::size_t size) {
    if (type != type_) return fail(ErrorKind::internal, "values of another type than the array's", file_);
    if (count > left_) return fail(ErrorKind::internal, "more values than its shape has", file_);
    left_ -= count;
    return write_all(descriptor_, static_cast<const char*>(bytes), count * size, file_);
}

Result<void> NpyWriter::write(std::span<const float> values) {
    return write_bytes(NpyType::float32, values.data(), values.size(), sizeof(float));
}

Result<void> NpyWriter::write(std::span<const std::int32_t> values) {
    return write_bytes(NpyType::int32, values.data(), values.size(), sizeof(std::int32_t));
}

Result<void> NpyWriter::finish() {
    if (left_ > 0)
        return fail(ErrorKind::internal, std::to_string(left_) + " of its values were not written", file_);
    const bool closed = ::fsync(descriptor_) == 0 && ::close(std::exchange(descriptor_, -1)) == 0;
    if (!closed || std::rename(unfinished_.c_str(), file_.c_str()) != 0) {
        const int number = errno;
        ::unlink(unfinished_.c_str());
        return fail(error_from_errno(number, "cannot write", file_));
    }
    return {};
}

}  // namespace braid
