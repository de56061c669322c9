#include "core/base/random.h"

namespace braid {

PhiloxBlock philox4x64(PhiloxBlock counter, std::array<std::uint64_t, 2> key) {
    __extension__ using Wide = unsigned __int128;
    constexpr std::uint64_t multiplier0 = 0xD2E7470EE14C6C93ULL;
    constexpr std::uint64_t multiplier1 = 0xCA5A826395121157ULL;
    constexpr std::uint64_t weyl0 = 0x9E3779B97F4A7C15ULL;
    constexpr std::uint64_t weyl1 = 0xBB67AE8584CAA73BULL;
    for (int round = 0; round < 10; ++round) {
        const Wide product0 = static_cast<Wide>(multiplier0) * counter[0];
        const Wide product1 = static_cast<Wide>(multiplier1) * counter[2];
        counter = {static_cast<std::uint64_t>(product1 >> 64) ^ counter[1] ^ key[0],
                   static_cast<std::uint64_t>(product1),
                   static_cast<std::uint64_t>(product0 >> 64) ^ counter[3] ^ key[1],
                   static_cast<std::uint64_t>(product0)};
        key[0] += weyl0;
        key[1] += weyl1;
    }
    return counter;
}

}  // namespace braid
