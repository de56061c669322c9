// Words that were tokenised lately, for one thread. A fixed number of slots, each of one cache line; a word
// takes the slot of its hash, whoever was there: nothing is allocated, nothing grows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace braid {

class WordCache {
public:
    static constexpr std::size_t max_bytes = 22;
    static constexpr std::size_t max_tokens = 10;

    WordCache() : slots_(std::size_t{1} << 16U) {}

    // The tokens of the word; empty where they are not known.
    std::span<const std::int32_t> find(std::string_view word, std::uint64_t hash) const {
        const Slot& slot = slots_[hash & (slots_.size() - 1)];
        if (slot.bytes != word.size() || std::memcmp(slot.word.data(), word.data(), word.size()) != 0)
            return {};
        return {slot.ids.data(), slot.tokens};
    }

    void put(std::string_view word, std::uint64_t hash, std::span<const std::int32_t> ids) {
        if (word.size() > max_bytes || ids.size() > max_tokens || word.empty()) return;
        Slot& slot = slots_[hash & (slots_.size() - 1)];
        slot.bytes = static_cast<std::uint8_t>(word.size());
        slot.tokens = static_cast<std::uint8_t>(ids.size());
        std::memcpy(slot.word.data(), word.data(), word.size());
        std::copy(ids.begin(), ids.end(), slot.ids.begin());
    }

private:
    struct alignas(64) Slot {
        std::uint8_t bytes = 0;
        std::uint8_t tokens = 0;
        std::array<char, max_bytes> word{};
        std::array<std::int32_t, max_tokens> ids{};
    };
    static_assert(sizeof(Slot) == 64);
    std::vector<Slot> slots_;
};

}  // namespace braid
