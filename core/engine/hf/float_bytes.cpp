#include "core/engine/hf/float_bytes.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cstdint>
#include <cstring>

namespace braid {
namespace {

// No element with all bits of the exponent set.
template <class Bits>
bool finite(std::span<const std::byte> bytes, Bits exponent) {
    bool fine = true;
    for (std::size_t i = 0; i + sizeof(Bits) <= bytes.size(); i += sizeof(Bits)) {
        Bits bits;
        std::memcpy(&bits, bytes.data() + i, sizeof bits);
        fine &= (bits & exponent) != exponent;
    }
    return fine;
}

template <class From, class To>
void convert_to(std::span<const std::byte> bytes, std::vector<std::byte>& out) {
    const std::size_t count = bytes.size() / sizeof(From);
    out.resize(count * sizeof(To));
    for (std::size_t i = 0; i < count; ++i) {
        From from{};
        std::memcpy(&from, bytes.data() + i * sizeof from, sizeof from);
        const To to(static_cast<float>(from));
        std::memcpy(out.data() + i * sizeof to, &to, sizeof to);
    }
}

template <class From>
void convert_from(std::span<const std::byte> bytes, std::string_view to, std::vector<std::byte>& out) {
    if (to == "F32") return convert_to<From, float>(bytes, out);
    if (to == "BF16") return convert_to<From, c10::BFloat16>(bytes, out);
    convert_to<From, c10::Half>(bytes, out);
}

}  // namespace

bool is_float(std::string_view dtype) { return dtype == "F32" || dtype == "BF16" || dtype == "F16"; }

bool all_finite(std::string_view dtype, std::span<const std::byte> bytes) {
    if (dtype == "F32") return finite<std::uint32_t>(bytes, 0x7f80'0000);
    return finite<std::uint16_t>(bytes, dtype == "BF16" ? 0x7f80 : 0x7c00);
}

void convert(std::string_view from, std::span<const std::byte> bytes, std::string_view to,
             std::vector<std::byte>& out) {
    if (from == to) {
        out.assign(bytes.begin(), bytes.end());
    } else if (from == "F32") {
        convert_from<float>(bytes, to, out);
    } else if (from == "BF16") {
        convert_from<c10::BFloat16>(bytes, to, out);
    } else {
        convert_from<c10::Half>(bytes, to, out);
    }
}

}  // namespace braid
