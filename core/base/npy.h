// Arrays in NumPy's .npy format (versions 1 to 3), little-endian, row-major: whole numbers in, float32
// or int32 out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace braid {

struct NpyHeader {
    char kind = '?';        // 'i', 'u', 'f', 'b'
    std::size_t bytes = 0;  // of an element
    bool big_endian = false;
    bool by_columns = false;  // fortran_order
    std::vector<std::int64_t> shape = {};
    std::size_t data_begin = 0;  // bytes from the start of the file
    std::int64_t elements() const;
};

// The first bytes of a file, its header at least. Error: corrupt.
Result<NpyHeader> parse_npy_header(std::string_view start, const std::string& path = {});

struct NpyIntegers {
    std::vector<std::int64_t> shape = {};
    std::vector<std::int64_t> values = {};
};

// Signed and unsigned whole numbers of any width. Errors: not_found; corrupt (no .npy file, cut short, bytes
// after the array); invalid_input (another type or order).
Result<NpyIntegers> read_npy_integers(const std::string& file);

enum class NpyType { float32, int32 };

// Writes an array piece by piece; the file appears under its name when finish() says so.
class NpyWriter {
public:
    static Result<NpyWriter> create(const std::string& file, const std::vector<std::int64_t>& shape,
                                    NpyType type = NpyType::float32);
    NpyWriter(NpyWriter&& other) noexcept;
    NpyWriter& operator=(NpyWriter&&) = delete;
    ~NpyWriter();

    // Error: internal where the array has another type or no room for so many.
    Result<void> write(std::span<const float> values);
    Result<void> write(std::span<const std::int32_t> values);
    // Error: internal where values are missing.
    Result<void> finish();

private:
    NpyWriter(int descriptor, std::string file, std::string unfinished, NpyType type)
        : descriptor_(descriptor), file_(std::move(file)), unfinished_(std::move(unfinished)), type_(type) {}
    Result<void> write_bytes(NpyType type, const void* bytes, std::size_t count, std::size_t size);
    int descriptor_ = -1;
    std::string file_, unfinished_;
    NpyType type_ = NpyType::float32;
    std::uint64_t left_ = 0;  // values still to come
};

}  // namespace braid
