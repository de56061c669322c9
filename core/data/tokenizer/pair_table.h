// The merges of a BPE model: which two tokens become which third, and in what order of preference.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace braid {

struct Merge {
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t rank = none;  // lower merges first
    std::int32_t id = -1;       // the token they become
};

// Open addressing with linear steps, at most half full: one cache line a look-up for most pairs of a text.
class PairTable {
public:
    explicit PairTable(std::size_t expected = 0) { slots_.resize(std::bit_ceil(2 * expected + 2)); }

    void set(std::int32_t left, std::int32_t right, Merge merge) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        Slot& slot = slots_[place_of(key_of(left, right))];
        if (slot.key == empty) ++size_;
        slot = {key_of(left, right), merge};
    }

    Merge find(std::int32_t left, std::int32_t right) const {
        return slots_[place_of(key_of(left, right))].merge;
    }

    std::size_t size() const { return size_; }

private:
    static constexpr std::uint64_t empty = ~std::uint64_t{0};
    struct Slot {
        std::uint64_t key = empty;
        Merge merge = {};
    };
    static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32U |
               static_cast<std::uint32_t>(right);
    }
    // The slot that has the key, or the free one where it belongs.
    std::size_t place_of(std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> 20U) & mask;
        while (slots_[at].key != key && slots_[at].key != empty) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.key != empty) slots_[place_of(slot.key)] = slot;
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
};

}  // namespace braid
