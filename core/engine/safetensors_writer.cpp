#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/base/json.h"
#include "core/engine/safetensors.h"

namespace braid {
namespace {

Result<void> write_all(int descriptor, std::span<const std::byte> bytes, const std::string& file) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
        if (n < 0) {
            if (errno == EINTR) continue;
            return fail(error_from_errno(errno, "cannot write", file));
        }
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return {};
}

std::uint64_t bytes_of(const SafetensorsShape& tensor) {
    std::uint64_t bytes = safetensors_element_bytes(tensor.dtype);
    for (const std::int64_t size : tensor.shape) bytes *= static_cast<std::uint64_t>(size);
    return bytes;
}

std::string header_text(std::span<const SafetensorsShape> tensors,
                        const std::map<std::string, std::string>& metadata) {
    Json json = Json::object();
    if (!metadata.empty()) json["__metadata__"] = metadata;
    std::uint64_t at = 0;
    for (const SafetensorsShape& tensor : tensors) {
        const std::uint64_t end = at + bytes_of(tensor);
        json[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
        at = end;
    }
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.resize((text.size() + 7) / 8 * 8, ' ');  // the data begin aligned
    return text;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(SafetensorsWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), file_(std::move(other.file_)), left_(other.left_) {}

SafetensorsWriter::~SafetensorsWriter() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(file_.c_str());
}

Result<SafetensorsWriter> SafetensorsWriter::create(const std::string& file,
                                                    std::span<const SafetensorsShape> tensors,
                                                    const std::map<std::string, std::string>& metadata) {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor < 0) return fail(error_from_errno(errno, "cannot create", file));
    SafetensorsWriter writer(descriptor, file);
    const std::string header = header_text(tensors, metadata);
    const std::uint64_t length = header.size();
    Result<void> done = write_all(descriptor, std::as_bytes(std::span(&length, 1)), file);
    if (done) done = write_all(descriptor, std::as_bytes(std::span(header)), file);
    if (!done) return fail(std::move(done.error()));
    for (const SafetensorsShape& tensor : tensors) writer.left_ += bytes_of(tensor);
    return writer;
}

Result<void> SafetensorsWriter::write(std::span<const std::byte> bytes) {
    if (bytes.size() > left_)
        return fail(ErrorKind::internal, "more bytes than the header of the file announces", file_);
    left_ -= bytes.size();
    return write_all(descriptor_, bytes, file_);
}

Result<void> SafetensorsWriter::finish() {
    if (left_ > 0)
        return fail(ErrorKind::internal, std::to_string(left_) + " bytes of its tensors were not written",
                    file_);
    if (::fsync(descriptor_) != 0) return fail(error_from_errno(errno, "cannot write", file_));
    if (::close(std::exchange(descriptor_, -1)) != 0) {
        const int number = errno;
        ::unlink(file_.c_str());
        return fail(error_from_errno(number, "cannot write", file_));
    }
    return {};
}

Result<void> write_safetensors(const std::string& file, std::span<const SafetensorsView> tensors,
                               const std::map<std::string, std::string>& metadata) {
    std::vector<SafetensorsShape> shapes;
    for (const SafetensorsView& tensor : tensors)
        shapes.push_back({.name = tensor.name, .dtype = tensor.dtype, .shape = tensor.shape});
    Result<SafetensorsWriter> writer = SafetensorsWriter::create(file, shapes, metadata);
    if (!writer) return fail(std::move(writer.error()));
    for (const SafetensorsView& tensor : tensors)
        if (Result<void> done = writer->write(tensor.data); !done) return done;
    return writer->finish();
}

}  // namespace braid
