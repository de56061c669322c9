// The safetensors file format (https://huggingface.co/docs/safetensors), without Torch: 8 bytes length of the
// header, little-endian; the header, JSON; the data of all tensors, little-endian, row-major.
// A file is refused unless its tensors cover its data exactly: no overlap, no hole, nothing beyond the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace braid {

struct SafetensorsEntry {
    std::string name = {};
    std::string dtype = {};                // "F32", "BF16", "I64", ...
    std::vector<std::int64_t> shape = {};  // empty: a scalar
    std::uint64_t begin = 0;               // bytes from the start of the data
    std::uint64_t end = 0;
    std::uint64_t bytes() const { return end - begin; }
    bool operator==(const SafetensorsEntry&) const = default;
};

struct SafetensorsHeader {
    std::map<std::string, std::string> metadata = {};  // "__metadata__"
    std::vector<SafetensorsEntry> tensors = {};        // in the order of their data
    const SafetensorsEntry* find(std::string_view name) const;
    bool operator==(const SafetensorsHeader&) const = default;
};

// Bytes of one element; 0 for a type that the format does not know.
std::size_t safetensors_element_bytes(std::string_view dtype);

// Headers beyond this are refused; 64 MiB describe about half a million tensors.
inline constexpr std::uint64_t max_safetensors_header_bytes = std::uint64_t{64} << 20;

// `text` is the JSON header, `data_bytes` what follows it in the file.
Result<SafetensorsHeader> parse_safetensors_header(std::string_view text, std::uint64_t data_bytes,
                                                   const std::string& path = {});

// The first bytes of a file (at least its header) and the file's size.
Result<SafetensorsHeader> parse_safetensors(std::string_view file_start, std::uint64_t file_bytes,
                                            const std::string& path = {});

// An open file. Reading copies: a file cut short meanwhile is an error, not a signal.
class SafetensorsFile {
public:
    static Result<SafetensorsFile> open(const std::string& file);
    SafetensorsFile(SafetensorsFile&& other) noexcept;
    SafetensorsFile& operator=(SafetensorsFile&&) = delete;
    ~SafetensorsFile();

    const SafetensorsHeader& header() const { return header_; }
    // `out` has exactly entry.bytes() bytes.
    Result<void> read(const SafetensorsEntry& entry, std::span<std::byte> out) const;

private:
    SafetensorsFile(int descriptor, std::string file) : descriptor_(descriptor), file_(std::move(file)) {}
    int descriptor_ = -1;
    std::string file_;
    std::uint64_t data_offset_ = 0;
    SafetensorsHeader header_;
};

struct SafetensorsView {
    std::string name = {};
    std::string dtype = {};
    std::vector<std::int64_t> shape = {};
    std::span<const std::byte> data = {};
};

struct SafetensorsShape {
    std::string name = {};
    std::string dtype = {};
    std::vector<std::int64_t> shape = {};
};

// Writes a file whose tensors need not be in memory at once: their data in the order of `tensors`, in pieces
// of any size. The file must not exist; one that finish() did not complete is removed.
class SafetensorsWriter {
public:
    static Result<SafetensorsWriter> create(const std::string& file,
                                            std::span<const SafetensorsShape> tensors,
                                            const std::map<std::string, std::string>& metadata = {});
    SafetensorsWriter(SafetensorsWriter&& other) noexcept;
    SafetensorsWriter& operator=(SafetensorsWriter&&) = delete;
    ~SafetensorsWriter();

    Result<void> write(std::span<const std::byte> bytes);
    // Syncs. Error: internal where the tensors' bytes are not all there.
    Result<void> finish();

private:
    SafetensorsWriter(int descriptor, std::string file) : descriptor_(descriptor), file_(std::move(file)) {}
    int descriptor_ = -1;
    std::string file_;
    std::uint64_t left_ = 0;  // bytes of data still to come
};

// Creates `file` (it must not exist), writes, syncs. A file that could not be finished is removed.
Result<void> write_safetensors(const std::string& file, std::span<const SafetensorsView> tensors,
                               const std::map<std::string, std::string>& metadata = {});

}  // namespace braid
