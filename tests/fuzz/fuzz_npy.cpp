// Headers of .npy files: whatever is accepted has a shape that its bytes can be checked against.
#include <cstdint>
#include <cstdlib>

#include "core/base/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto header = braid::parse_npy_header(bytes);
    if (!header) return 0;
    if (header->data_begin > size || header->bytes == 0 || header->elements() < 0) std::abort();
    return 0;
}
