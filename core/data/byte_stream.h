// A file's bytes, unpacked where it is compressed, a block at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/error.h"

namespace braid {

class ByteStream {
public:
    static Result<ByteStream> open(const std::string& path);

    // Appends up to `count` bytes; 0 at the end.
    Result<std::size_t> read(std::string& text, std::size_t count);
    // How far we are, in bytes of the file as it lies on disk.
    std::int64_t position() const;

private:
    struct Close {
        void operator()(void* file) const;
    };
    ByteStream(std::string path, void* file) : path_(std::move(path)), file_(file) {}
    std::string path_;
    std::unique_ptr<void, Close> file_;
};

}  // namespace braid
