// A file opened for reading that is one: folders, pipes and devices are refused, and a pipe that nobody
// writes to is not waited for.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace braid {

class RegularFile {
public:
    // Errors: those of open(2); invalid_input where it is no file.
    static Result<RegularFile> open(const std::string& file);
    RegularFile(RegularFile&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}
    RegularFile& operator=(RegularFile&&) = delete;
    ~RegularFile();

    int descriptor() const { return descriptor_; }
    std::size_t size() const { return size_; }                // when it was opened, bytes
    int release() { return std::exchange(descriptor_, -1); }  // the caller closes it

private:
    RegularFile(int descriptor, std::size_t size) : descriptor_(descriptor), size_(size) {}
    int descriptor_;
    std::size_t size_;
};

}  // namespace braid
