// A whole file as read-only memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/error.h"

namespace braid {

class MappedFile {
public:
    static Result<MappedFile> open(const std::string& path);
    MappedFile(MappedFile&& other) noexcept : data_(other.data_), size_(other.size_) {
        other.data_ = nullptr;
        other.size_ = 0;
    }
    MappedFile& operator=(MappedFile&&) = delete;
    ~MappedFile();

    std::size_t size() const { return size_; }
    // Mapped memory is aligned to pages.
    template <class T>
    std::span<const T> as() const {
        return {static_cast<const T*>(data_), size_ / sizeof(T)};
    }

private:
    MappedFile(const void* data, std::size_t size) : data_(data), size_(size) {}
    const void* data_;
    std::size_t size_;
};

}  // namespace braid
