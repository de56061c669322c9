// Immutable, contiguous values that grow cheaply: the reader thread appends, views keep what they were given.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

namespace braid {

// The first size() values of a shared buffer. Copies share it. The one owner that builds a column goes on
// appending behind what others see (Column::append); nobody ever writes inside it, so a column can be read
// from any thread once it has been handed over.
template <class T>
class Column {
public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::span<const T> values() const { return {buffer_.get(), size_}; }
    operator std::span<const T>() const { return values(); }
    const T& operator[](std::size_t i) const { return buffer_[static_cast<std::ptrdiff_t>(i)]; }
    const T& back() const { return (*this)[size_ - 1]; }
    const T* begin() const { return buffer_.get(); }
    const T* end() const { return buffer_.get() + size_; }
    bool operator==(const Column& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }

    // For the owner only, of the newest copy: an older copy would overwrite what the newer one shows.
    void append(T value) {
        if (size_ == capacity_) grow();
        buffer_[static_cast<std::ptrdiff_t>(size_)] = std::move(value);
        ++size_;
    }
    // For the owner: the first `size` values in a buffer of its own; earlier copies keep theirs.
    void cut(std::size_t size) {
        Column shorter;
        shorter.capacity_ = size;
        if (size > 0) shorter.buffer_ = std::shared_ptr<T[]>(new T[size]);
        std::copy(begin(), begin() + size, shorter.buffer_.get());
        shorter.size_ = size;
        *this = std::move(shorter);
    }

private:
    void grow() {
        const std::size_t capacity = std::max<std::size_t>(64, capacity_ * 2);
        std::shared_ptr<T[]> larger(new T[capacity]);
        std::copy(begin(), end(), larger.get());
        buffer_ = std::move(larger);
        capacity_ = capacity;
    }

    std::shared_ptr<T[]> buffer_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace braid
