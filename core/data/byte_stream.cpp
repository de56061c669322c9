#include "core/data/byte_stream.h"

#include <unistd.h>
#include <zlib.h>

#include <cerrno>

#include "core/base/regular_file.h"

namespace braid {
namespace {

gzFile handle(void* file) { return static_cast<gzFile>(file); }

}  // namespace

void ByteStream::Close::operator()(void* file) const { gzclose_r(handle(file)); }

Result<ByteStream> ByteStream::open(const std::string& path) {
    Result<RegularFile> opened = RegularFile::open(path);
    if (!opened) return fail(std::move(opened.error()));
    const int descriptor = opened->release();
    // zlib reads a file that is not compressed as it is.
    gzFile file = gzdopen(descriptor, "rb");
    if (file == nullptr) {
        ::close(descriptor);
        return fail(ErrorKind::out_of_memory, "not enough memory to read", path);
    }
    gzbuffer(file, 1U << 18);
    return ByteStream(path, file);
}

Result<std::size_t> ByteStream::read(std::string& text, std::size_t count) {
    const std::size_t before = text.size();
    text.resize(before + count);
    const int n = gzread(handle(file_.get()), text.data() + before, static_cast<unsigned>(count));
    text.resize(before + (n > 0 ? static_cast<std::size_t>(n) : 0));
    int code = Z_OK;
    const char* message = gzerror(handle(file_.get()), &code);
    if (code == Z_ERRNO) return fail(error_from_errno(errno, "cannot read", path_));
    if (n < 0 || (code != Z_OK && code != Z_STREAM_END))
        return fail(ErrorKind::corrupt,
                    code == Z_BUF_ERROR ? "the compressed file is cut off"
                                        : "the compressed file is damaged (" + std::string(message) + ")",
                    path_, "Get the file again, or leave it out");
    return static_cast<std::size_t>(n);
}

std::int64_t ByteStream::position() const { return gzoffset(handle(file_.get())); }

}  // namespace braid
