// Philox 4x32-10 (Salmon et al., 2011): random numbers as a pure function of a key and a counter, so that a
// value does not depend on how many were drawn before it, on the device or on the number of threads.
#pragma once

#include <array>
#include <cstdint>

namespace braid {

class Philox {
public:
    explicit constexpr Philox(std::uint64_t key) : key_(key) {}

    // Four independent words for each 128-bit counter.
    constexpr std::array<std::uint32_t, 4> block(std::uint64_t counter, std::uint64_t stream = 0) const {
        std::array<std::uint32_t, 4> x = {std::uint32_t(counter), std::uint32_t(counter >> 32),
                                          std::uint32_t(stream), std::uint32_t(stream >> 32)};
        std::uint32_t key0 = std::uint32_t(key_), key1 = std::uint32_t(key_ >> 32);
        for (int round = 0; round < 10; ++round) {
            const std::uint64_t a = std::uint64_t{0xD2511F53} * x[0];
            const std::uint64_t b = std::uint64_t{0xCD9E8D57} * x[2];
            x = {std::uint32_t(b >> 32) ^ x[1] ^ key0, std::uint32_t(b), std::uint32_t(a >> 32) ^ x[3] ^ key1,
                 std::uint32_t(a)};
            key0 += 0x9E3779B9;
            key1 += 0xBB67AE85;
        }
        return x;
    }

private:
    std::uint64_t key_;
};

}  // namespace braid
