#include "core/engine/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "core/base/json.h"

namespace braid {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

constexpr std::size_t prefix_bytes = 8;
constexpr std::size_t max_dimensions = 16;

struct Dtype {
    std::string_view name;
    std::size_t bytes;
};
constexpr std::array dtypes = {Dtype{"F32", 4},     Dtype{"BF16", 2},    Dtype{"F16", 2}, Dtype{"F64", 8},
                               Dtype{"I64", 8},     Dtype{"I32", 4},     Dtype{"I16", 2}, Dtype{"I8", 1},
                               Dtype{"U64", 8},     Dtype{"U32", 4},     Dtype{"U16", 2}, Dtype{"U8", 1},
                               Dtype{"F8_E4M3", 1}, Dtype{"F8_E5M2", 1}, Dtype{"BOOL", 1}};

tl::unexpected<Error> foreign(std::string message, const std::string& path) {
    return fail(ErrorKind::corrupt, "no valid safetensors file: " + std::move(message), path);
}

std::string named_tensor(std::string_view name) {
    return "tensor \"" + std::string(name.substr(0, 80)) + (name.size() > 80 ? "...\"" : "\"");
}

// Elements of a shape, or nothing where the product does not fit.
std::optional<std::uint64_t> element_count(const std::vector<std::int64_t>& shape) {
    std::uint64_t count = 1;
    for (const std::int64_t size : shape)
        if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) return std::nullopt;
    return count;
}

std::optional<std::uint64_t> as_size(const Json& json) {
    if (json.is_number_unsigned()) return json.get<std::uint64_t>();
    return std::nullopt;
}

Result<SafetensorsEntry> parse_entry(const std::string& name, const Json& json, std::uint64_t data_bytes,
                                     const std::string& path) {
    const auto wrong = [&](const std::string& what) {
        return foreign(named_tensor(name) + " " + what, path);
    };
    if (!json.is_object()) return wrong("is not described by an object");
    const auto dtype = json.find("dtype");
    const auto shape = json.find("shape");
    const auto offsets = json.find("data_offsets");
    if (dtype == json.end() || !dtype->is_string()) return wrong("has no dtype");
    if (shape == json.end() || !shape->is_array()) return wrong("has no shape");
    if (offsets == json.end() || !offsets->is_array() || offsets->size() != 2)
        return wrong("has no data_offsets");
    SafetensorsEntry entry{.name = name, .dtype = dtype->get<std::string>()};
    const std::size_t element = safetensors_element_bytes(entry.dtype);
    if (element == 0) return wrong("has the unknown dtype \"" + entry.dtype.substr(0, 40) + "\"");
    if (shape->size() > max_dimensions) return wrong("has " + std::to_string(shape->size()) + " dimensions");
    for (const Json& size : *shape) {
        const auto value = as_size(size);
        if (!value || *value > static_cast<std::uint64_t>(INT64_MAX))
            return wrong("has a dimension that is no size");
        entry.shape.push_back(static_cast<std::int64_t>(*value));
    }
    const auto begin = as_size((*offsets)[0]);
    const auto end = as_size((*offsets)[1]);
    if (!begin || !end || *begin > *end) return wrong("has impossible data_offsets");
    if (*end > data_bytes)
        return wrong("ends at byte " + std::to_string(*end) + " of " + std::to_string(data_bytes) +
                     ": the file is cut short");
    entry.begin = *begin;
    entry.end = *end;
    const auto count = element_count(entry.shape);
    std::uint64_t bytes = 0;
    if (!count || __builtin_mul_overflow(*count, std::uint64_t{element}, &bytes) || bytes != entry.bytes())
        return wrong("has " + std::to_string(entry.bytes()) + " bytes, its shape needs another number");
    return entry;
}

Result<void> parse_metadata(const Json& json, SafetensorsHeader& header, const std::string& path) {
    if (!json.is_object()) return foreign("__metadata__ is not an object", path);
    for (const auto& [key, value] : json.items()) {
        if (!value.is_string()) return foreign("__metadata__ holds something other than text", path);
        header.metadata[key] = value.get<std::string>();
    }
    return {};
}

Result<void> check_coverage(const SafetensorsHeader& header, std::uint64_t data_bytes,
                            const std::string& path) {
    std::uint64_t at = 0;
    for (const SafetensorsEntry& entry : header.tensors) {
        if (entry.begin < at) return foreign(named_tensor(entry.name) + " overlaps another tensor", path);
        if (entry.begin > at) return foreign("a hole before " + named_tensor(entry.name), path);
        at = entry.end;
    }
    if (at != data_bytes)
        return foreign(std::to_string(data_bytes - at) + " bytes after the last tensor", path);
    return {};
}

std::uint64_t little_endian(const char* bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

Result<std::uint64_t> header_length(std::string_view file_start, std::uint64_t file_bytes,
                                    const std::string& path) {
    if (file_bytes < prefix_bytes || file_start.size() < prefix_bytes)
        return foreign("it has only " + std::to_string(file_bytes) + " bytes", path);
    const std::uint64_t length = little_endian(file_start.data());
    if (length > max_safetensors_header_bytes)
        return foreign("a header of " + std::to_string(length) + " bytes; the limit is 64 MiB", path);
    if (length > file_bytes - prefix_bytes)
        return foreign("a header of " + std::to_string(length) + " bytes in a file of " +
                           std::to_string(file_bytes) + ": the file is cut short",
                       path);
    return length;
}

Result<void> read_at(int descriptor, std::uint64_t offset, std::span<std::byte> out,
                     const std::string& file) {
    while (!out.empty()) {
        const ssize_t n = ::pread(descriptor, out.data(), out.size(), static_cast<off_t>(offset));
        if (n < 0) {
            if (errno == EINTR) continue;
            return fail(error_from_errno(errno, "cannot read", file));
        }
        if (n == 0)
            return foreign("it ends at byte " + std::to_string(offset) + ": the file is cut short", file);
        out = out.subspan(static_cast<std::size_t>(n));
        offset += static_cast<std::uint64_t>(n);
    }
    return {};
}

}  // namespace

const SafetensorsEntry* SafetensorsHeader::find(std::string_view name) const {
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const SafetensorsEntry& entry) { return entry.name == name; });
    return found == tensors.end() ? nullptr : &*found;
}

std::size_t safetensors_element_bytes(std::string_view dtype) {
    for (const Dtype& known : dtypes)
        if (known.name == dtype) return known.bytes;
    return 0;
}

Result<SafetensorsHeader> parse_safetensors_header(std::string_view text, std::uint64_t data_bytes,
                                                   const std::string& path) {
    if (!text.starts_with('{')) return foreign("its header does not begin with '{'", path);
    const Result<Json> json = parse_json(text, path);
    if (!json) return foreign("its header is " + json.error().message, path);
    SafetensorsHeader header;
    for (const auto& [name, value] : json->items()) {
        if (name == "__metadata__") {
            if (Result<void> done = parse_metadata(value, header, path); !done) return fail(done.error());
            continue;
        }
        Result<SafetensorsEntry> entry = parse_entry(name, value, data_bytes, path);
        if (!entry) return fail(std::move(entry.error()));
        header.tensors.push_back(std::move(*entry));
    }
    std::sort(header.tensors.begin(), header.tensors.end(), [](const auto& a, const auto& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    if (Result<void> covered = check_coverage(header, data_bytes, path); !covered)
        return fail(covered.error());
    return header;
}

Result<SafetensorsHeader> parse_safetensors(std::string_view file_start, std::uint64_t file_bytes,
                                            const std::string& path) {
    const Result<std::uint64_t> length = header_length(file_start, file_bytes, path);
    if (!length) return fail(length.error());
    if (*length > file_start.size() - prefix_bytes) return foreign("its header is cut short", path);
    return parse_safetensors_header(file_start.substr(prefix_bytes, *length),
                                    file_bytes - prefix_bytes - *length, path);
}

SafetensorsFile::SafetensorsFile(SafetensorsFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      file_(std::move(other.file_)),
      data_offset_(other.data_offset_),
      header_(std::move(other.header_)) {}

SafetensorsFile::~SafetensorsFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<SafetensorsFile> SafetensorsFile::open(const std::string& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return fail(error_from_errno(errno, "cannot open", file));
    SafetensorsFile opened(descriptor, file);
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return fail(error_from_errno(errno, "cannot read", file));
    if (!S_ISREG(status.st_mode)) return foreign("it is not a file", file);
    const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
    std::string start(std::min<std::uint64_t>(prefix_bytes, file_bytes), '\0');
    if (Result<void> read = read_at(descriptor, 0, std::as_writable_bytes(std::span(start)), file); !read)
        return fail(read.error());
    const Result<std::uint64_t> length = header_length(start, file_bytes, file);
    if (!length) return fail(length.error());
    start.resize(prefix_bytes + *length);
    if (Result<void> read = read_at(descriptor, 0, std::as_writable_bytes(std::span(start)), file); !read)
        return fail(read.error());
    Result<SafetensorsHeader> header = parse_safetensors(start, file_bytes, file);
    if (!header) return fail(std::move(header.error()));
    opened.header_ = std::move(*header);
    opened.data_offset_ = prefix_bytes + *length;
    return opened;
}

Result<void> SafetensorsFile::read(const SafetensorsEntry& entry, std::span<std::byte> out) const {
    if (out.size() != entry.bytes())
        return fail(ErrorKind::internal, named_tensor(entry.name) + " read into a place of another size",
                    file_);
    return read_at(descriptor_, data_offset_ + entry.begin, out, file_);
}

}  // namespace braid
