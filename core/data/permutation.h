// A shuffled order of 0 .. n-1 that needs no memory: any place of it can be computed alone.
#pragma once

#include <bit>
#include <cstdint>

#include "core/base/random.h"

namespace braid {

// A Feistel network over the smallest even number of bits that holds n - 1, walked until the image lies below
// n (Black and Rogaway, 2002): bijective, on average fewer than four rounds through the network.
class Permutation {
public:
    Permutation(std::uint64_t n, std::uint64_t seed, std::uint64_t stream, std::uint64_t number)
        : n_(n), half_bits_((std::bit_width(n > 1 ? n - 1 : 1) + 1U) / 2U) {
        const PhiloxBlock block = philox4x64({0, number, 0, 0}, {seed, stream});
        key_ = {block[0], block[1]};
    }

    std::uint64_t operator()(std::uint64_t i) const {
        do i = network(i);
        while (i >= n_);
        return i;
    }

private:
    std::uint64_t network(std::uint64_t i) const {
        const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
        std::uint64_t left = i >> half_bits_;
        std::uint64_t right = i & mask;
        for (std::uint64_t round = 0; round < 4; ++round) {
            const std::uint64_t mixed = philox4x64({right, round, 0, 0}, key_)[0] & mask;
            const std::uint64_t next = left ^ mixed;
            left = right;
            right = next;
        }
        return (left << half_bits_) | right;
    }

    std::uint64_t n_;
    unsigned half_bits_;
    std::array<std::uint64_t, 2> key_{};
};

}  // namespace braid
