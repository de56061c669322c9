// A place in a text.
#pragma once

#include <cstdint>

namespace braid {

// Bytes [begin, end) of a text.
struct TokenSpan {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool operator==(const TokenSpan&) const = default;
};

}  // namespace braid
